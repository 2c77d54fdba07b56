import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import type pg from 'pg'
import { importText, openAddresses } from './testing/import.ts'
import { testDatabase } from '../../../test/support/database.ts'
import { kyselyForPool } from '../../platform/db.ts'
import { clearDatasets } from './clear.ts'
import { coverageByState } from './coverage-store.ts'
import { listDatasets } from './store.ts'
import { activateDataset, dropDataset, noFollowUps } from './switch.ts'
import { CSV, stored } from './testing/stored.ts'

const ONE = openAddresses('12 Main St|Hertford|NC|27944')
const TWO = openAddresses('12 Main St|Hertford|NC|27944', '14 Oak St|Hertford|NC|27944')

const NOW = new Date('2026-03-01T12:00:00Z')
const SWITCH = { now: NOW, follow_ups: noFollowUps }
const clear = (pool: pg.Pool) => clearDatasets(kyselyForPool(pool), new AbortController().signal)

describe('a dataset', () => {
  test('of the same name and vintage is not loaded again', async (t) => {
    const { pool } = await testDatabase(t)
    const first = await importText(pool, 'openaddresses-csv', ONE)
    const second = await importText(pool, 'openaddresses-csv', TWO)
    assert.ok(!first.repeated && second.repeated)
    assert.equal(second.dataset.id, first.dataset.id)
    assert.equal((await stored(pool)).length, 1)
  })

  test('of a new vintage replaces the old one, which is kept for rollback until the next', async (t) => {
    const { pool } = await testDatabase(t)
    await importText(pool, 'openaddresses-csv', ONE)
    await importText(pool, 'openaddresses-csv', TWO, { vintage: '2' })
    const statuses = async () =>
      (await listDatasets(kyselyForPool(pool))).map(({ vintage, status }) => `${vintage} ${status}`)
    assert.deepEqual(await statuses(), ['1 superseded', '2 active'])
    const [first] = await listDatasets(kyselyForPool(pool))
    assert.equal(await activateDataset(kyselyForPool(pool), first?.id ?? 0, SWITCH), 'active')
    assert.deepEqual(await statuses(), ['1 active', '2 superseded'])
    await importText(pool, 'openaddresses-csv', TWO, { vintage: '3' })
    assert.deepEqual(await statuses(), ['1 superseded', '3 active'])
    await clear(pool)
    assert.equal((await stored(pool)).length, 3)
  })

  test('that is loaded but not active has no effect until it is activated', async (t) => {
    const { pool } = await testDatabase(t)
    const { dataset } = await importText(pool, 'openaddresses-csv', ONE, { activate: false })
    assert.equal(dataset.status, 'loaded')
    assert.deepEqual(await coverageByState(kyselyForPool(pool)), [])
    assert.equal(await activateDataset(kyselyForPool(pool), dataset.id, SWITCH), 'active')
    assert.deepEqual(await coverageByState(kyselyForPool(pool)), [
      { country: 'US', state: 'NC', datasets: 1, places: 1, streets: 1 },
    ])
  })

  test('that is dropped loses its streets', async (t) => {
    const { pool } = await testDatabase(t)
    const { dataset } = await importText(pool, 'openaddresses-csv', ONE)
    assert.ok(await dropDataset(kyselyForPool(pool), dataset.id, NOW, noFollowUps))
    assert.ok(!(await dropDataset(kyselyForPool(pool), dataset.id, NOW, noFollowUps)))
    assert.deepEqual(await coverageByState(kyselyForPool(pool)), [], 'it has no effect before its rows are deleted')
    await clear(pool)
    assert.deepEqual(await stored(pool), [])
    const { rows } = await pool.query('select from e911_area')
    assert.equal(rows.length, 0)
  })

  test('of a truncated file is marked as failed, leaves no rows or tables, and can be repeated', async (t) => {
    const { pool } = await testDatabase(t)
    const packed = gzipSync(ONE.repeat(50))
    await assert.rejects(importText(pool, 'openaddresses-csv', packed.subarray(0, packed.length - 10)))
    const [failed] = await listDatasets(kyselyForPool(pool))
    assert.equal(failed?.status, 'failed')
    assert.ok(failed.failure)
    assert.deepEqual(await stored(pool), [])
    const { rows } = await pool.query(`select from pg_class where relname like 'e911_staging%'`)
    assert.equal(rows.length, 0)
    const { dataset } = await importText(pool, 'openaddresses-csv', ONE)
    assert.equal(dataset.status, 'active')
  })

  test('can be aborted while it is loaded', async (t) => {
    const { pool } = await testDatabase(t)
    const rows = Array.from({ length: 3_000 }, (_, i) => `${i + 1} Main St|Hertford|NC|27944`)
    const signal = AbortSignal.abort(new Error('enough'))
    await assert.rejects(importText(pool, 'openaddresses-csv', openAddresses(...rows), { signal }), /enough/)
    assert.equal((await listDatasets(kyselyForPool(pool)))[0]?.status, 'failed')
  })

  test('is loaded by one session at a time', async (t) => {
    const { pool } = await testDatabase(t)
    const settled = await Promise.allSettled([1, 2, 3].map(() => importText(pool, 'openaddresses-csv', TWO)))
    for (const one of settled) if (one.status === 'rejected') assert.match(String(one.reason), /by another process/)
    assert.equal((await listDatasets(kyselyForPool(pool))).length, 1)
    assert.equal((await stored(pool)).length, 2)
  })

  test('is loaded with every character that COPY escapes', async (t) => {
    const { pool } = await testDatabase(t)
    const header = 'State,Post_Code,MSAGComm,PSAP,Add_Number,St_Name,St_PosTyp'
    await importText(
      pool,
      'nena-ssap-csv',
      CSV(header, `NC,27944,Hertford,"Tab\there, back\\slash ""quoted"" é\\n",12,"Main\\t",St`),
    )
    const { rows } = await pool.query<{ label: string; psap: string }>('select label, psap from e911_street')
    assert.deepEqual(rows, [{ label: 'MAIN T ST', psap: 'Tab\there, back\\slash "quoted" é\\n' }])
  })
})

const [HERTFORD_1, HERTFORD_2] = ['12 Main St|Hertford|NC|27944', '14 Oak St|Hertford|NC|27944']
const NUMBERLESS = 'NONE Elm St|Durham|NC|27701'

describe('rows that cannot be used', () => {
  test('are skipped, even if a place has no others', async (t) => {
    const { pool } = await testDatabase(t)
    const { dataset } = await importText(pool, 'openaddresses-csv', openAddresses(HERTFORD_1, NUMBERLESS, HERTFORD_2))
    assert.deepEqual([dataset.status, dataset.streets], ['active', 2])
    assert.deepEqual(dataset.skipped, { 'house number not understood': 1 })
  })

  test('alone are refused with the reason', async (t) => {
    const { pool } = await testDatabase(t)
    const refused = importText(pool, 'openaddresses-csv', openAddresses(NUMBERLESS))
    await assert.rejects(refused, /No row could be used: house number not understood \(1\)/)
    assert.equal((await listDatasets(kyselyForPool(pool)))[0]?.status, 'failed')
  })

  test('are skipped regardless of their content', async (t) => {
    const { pool } = await testDatabase(t)
    const garbage = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 90 }),
      fc.constantFrom(
        '',
        'NONE',
        '0',
        '-1',
        '1e9',
        '99999999',
        '2147483648',
        '12',
        'Main St',
        'NC',
        '27944',
        'K1A 0B1',
      ),
    )
    const row = fc.record({
      number: garbage,
      street: garbage,
      unit: garbage,
      city: garbage,
      region: garbage,
      postcode: garbage,
    })
    let vintage = 0
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 40 }), async (rows) => {
        const good = { number: '12', street: 'Main St', city: 'Hertford', region: 'NC', postcode: '27944' }
        const lines = [...rows, good].map((properties) => `${JSON.stringify({ properties })}\n`)
        const { dataset } = await importText(pool, 'openaddresses-geojsonl', lines.join(''), {
          vintage: String(++vintage),
        })
        // A generated row may have values in the wrong columns, for which a dataset this small is held.
        assert.equal(dataset.status, dataset.report?.held.length === 0 ? 'active' : 'held')
        assert.equal(dataset.rows_read, rows.length + 1)
        assert.ok((dataset.streets ?? 0) >= 1)
      }),
      { numRuns: 40 },
    )
  })
})

test('a file that is not a dBASE table is refused', async (t) => {
  const { pool } = await testDatabase(t)
  await assert.rejects(
    importText(pool, 'tiger-edges', 'this is no table at all, whatever its name says'),
    /not a dBASE table/,
  )
})

describe('many rows', () => {
  let pool: pg.Pool
  before(async () => {
    pool = (await testDatabase()).pool
  })

  test('are sent in several COPY statements, none of them lost', async () => {
    const rows = Array.from(
      { length: 20_000 },
      (_, i) => `${(i % 500) + 1} ${Math.floor(i / 500) + 1}th St|Hertford|NC|27944`,
    )
    let reports = 0
    const { dataset } = await importText(pool, 'openaddresses-csv', openAddresses(...rows), {
      onProgress: () => reports++,
    })
    assert.equal(dataset.rows_read, 20_000)
    assert.equal(dataset.streets, 40)
    assert.equal(dataset.ranges, 20_000)
  })
})
