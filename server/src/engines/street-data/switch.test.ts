import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kyselyForPool } from '../../platform/db.ts'
import { testDatabase } from '../../../test/support/database.ts'
import { addressOf } from '../addresses/testing/address.ts'
import { importText, openAddresses } from './testing/import.ts'
import { localValidator } from '../addresses/validators/local.ts'
import { coverageByState } from './coverage-store.ts'
import { activateDataset, noFollowUps } from './switch.ts'
import { activeStreets } from './lookup-store.ts'

/** Two vintages that contradict each other: any mixture of them has outcomes that neither has alone. */
const vintages = [
  openAddresses('1 Alpha St|Hertford|NC|27944', '5 Same St|Hertford|NC|27944', '1 Gamma St|Winfall|NC|27985'),
  openAddresses('1 Beta St|Hertford|NC|27944', '5 Same St|Hertford|NC|27944', '1 Delta St|Edenton|NC|27932'),
] as const

const SWITCH = { now: new Date('2026-03-01T12:00:00Z'), follow_ups: noFollowUps }

const addresses = [
  ['1', 'Alpha St', 'Hertford, NC 27944'],
  ['1', 'Beta St', 'Hertford, NC 27944'],
  ['5', 'Same St', 'Hertford, NC 27944'],
  ['5', 'Sane St', 'Hertford, NC 27944'],
  ['1', 'Gamma St', 'Winfall, NC 27985'],
  ['1', 'Delta St', 'Edenton, NC 27932'],
  ['1', 'Detla St', 'Edenton, NC 27932'],
] as const

test('validations while vintages are activated see one of them, never none and never both', async (t) => {
  const { pool, db } = await testDatabase(t, { pool_size: 16 })
  const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
  const outcome = async (i: number) => {
    const [number, street, where] = addresses[i] ?? assert.fail()
    return JSON.stringify(await validator.validate(addressOf(number, street, where)))
  }
  const load = (vintage: number, activate: boolean, round = 0) =>
    importText(pool, 'openaddresses-csv', vintages[vintage % 2] ?? '', {
      vintage: `${vintage}.${round}`,
      activate,
      authority: 'authoritative',
    })

  // the outcomes of each vintage alone, without its name
  const plain = (text: string) => text.replaceAll(/"vintage":"(\d)\.\d+"/g, '"vintage":"$1"')
  const expected: Set<string>[] = addresses.map(() => new Set<string>())
  for (const vintage of [0, 1]) {
    await load(vintage, true)
    for (const i of addresses.keys()) expected[i]?.add(plain(await outcome(i)))
  }

  const state = { switching: true }
  let validated = 0
  const validate = async (from: number) => {
    for (let i = from; state.switching; i++) {
      const at = i % addresses.length
      const found = plain(await outcome(at))
      assert.ok(expected[at]?.has(found), `${addresses[at]?.join(' ')}: ${found}`)
      validated++
    }
  }
  const validating = Promise.all(Array.from({ length: 6 }, (_, i) => validate(i)))
  validating.catch(() => undefined)
  const watching = (async () => {
    while (state.switching) {
      const [coverage] = await coverageByState(kyselyForPool(pool))
      assert.deepEqual([coverage?.datasets, coverage?.streets], [1, 3])
    }
  })()
  watching.catch(() => undefined)
  try {
    for (let round = 1; round <= 40; round++) {
      const { dataset } = await load(round % 2, false, round)
      assert.equal(await activateDataset(kyselyForPool(pool), dataset.id, SWITCH), 'active')
    }
  } finally {
    state.switching = false
  }
  await validating
  await watching
  assert.ok(validated > 100, String(validated))
})

test('after several concurrent activations one vintage is active', async (t) => {
  const { pool } = await testDatabase(t, { pool_size: 16 })
  const loaded = []
  for (let i = 0; i < 6; i++)
    loaded.push(
      (await importText(pool, 'openaddresses-csv', vintages[0], { vintage: String(i), activate: false })).dataset.id,
    )
  const done = await Promise.all(loaded.map((id) => activateDataset(kyselyForPool(pool), id, SWITCH)))
  assert.ok(done.includes('active'))
  const { rows } = await pool.query<{ id: number; status: string }>(
    `select id, status from e911_dataset order by status = 'active'`,
  )
  assert.deepEqual(
    rows.map(({ status }) => status),
    ['superseded', 'active'],
  )
})
