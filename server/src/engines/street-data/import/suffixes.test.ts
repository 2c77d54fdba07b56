import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addressOf } from '../../addresses/testing/address.ts'
import { localValidator } from '../../addresses/validators/local.ts'
import { alternatives, level } from '../../addresses/validators/testing/outcomes.ts'
import { testDatabase } from '../../../../test/support/database.ts'
import { activeStreets } from '../lookup-store.ts'
import { importText, openAddresses } from '../testing/import.ts'
import { learnSuffixes, type Suffixed } from './suffixes.ts'

const NONE: Suffixed = { bases: new Set(), types: new Map() }

/** What the words at the end of these names are taken for. */
function taken(names: readonly string[], suffixed: Partial<Suffixed> = {}): Record<string, string> {
  const streets = names.map((name) => {
    const at = name.lastIndexOf(' ')
    return { country: 'US', base: name.slice(0, at), word: name.slice(at + 1) } as const
  })
  const learnt = learnSuffixes(streets, { ...NONE, ...suffixed })
  return Object.fromEntries(learnt.map(({ written, taken_for }) => [written, taken_for]))
}

describe('the last word of a name', () => {
  test('is a county suffix if several names end in a known spelling', () => {
    const spelt = { BL: 'BLVD', TE: 'TER', CI: 'CIR', CM: 'CMN', LP: 'LOOP', PW: 'PKWY', PZ: 'PLZ' }
    assert.deepEqual(taken(Object.keys(spelt).flatMap((word) => [`MISSION ${word}`, `OAK GROVE ${word}`])), spelt)
  })

  test('is a suffix in a single name only if that name has another suffix too', () => {
    assert.deepEqual(taken(['MISSION PZ']), {})
    assert.deepEqual(taken(['MISSION PZ'], { bases: new Set(['MISSION']) }), { PZ: 'PLZ' })
  })

  test('is a part of the name where it is a word, however often', () => {
    const words = ['TEE', 'ROD', 'SET', 'OAK', 'DEL', 'MAR', 'WAYS', 'II', 'XX']
    const names = words.flatMap((word) => ['A', 'B', 'C', 'D', 'E', 'F'].map((name) => `${name} ${word}`))
    assert.deepEqual(taken(names, { bases: new Set(['A', 'B', 'C', 'D', 'E', 'F']) }), {})
  })

  test('that is ambiguous stands for the suffix that the data does not write in the usual way', () => {
    const names = ['ALDER TR', 'BIRCH TR', 'CEDAR TR', 'DOGWOOD TR']
    const bases = new Set(['ALDER'])
    assert.deepEqual(taken(names, { bases }), {})
    const types = new Map([['TER', 40]])
    assert.deepEqual(taken(names, { bases, types }), { TR: 'TRL' })
    assert.deepEqual(taken(names, { types }), {}, 'without another suffix of one of the names')
  })

  test('that also ends other names needs more evidence', () => {
    assert.deepEqual(taken(['DE LA', 'VIA LA']), {})
  })
})

test('a street is found under any spelling of its suffix, and a mistyped suffix is corrected to the usual spelling', async (t) => {
  const { pool, db } = await testDatabase(t)
  const rows = ['100 MISSION BL', '102 W MISSION BL N', '100 KERN TE', '100 ALBER TE', '100 GARNET AV', '100 MESA BL']
  await importText(pool, 'openaddresses-csv', openAddresses(...rows.map((row) => `${row}|San Diego|CA|92109`)))
  const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
  const at = (number: number, street: string) => validator.validate(addressOf(number, street, 'San Diego, CA 92109'))
  for (const street of ['Mission Blvd', 'Mission Boulevard', 'MISSION BL', 'Kern Terrace', 'Kern Te'])
    assert.equal(level(await at(100, street)), 'address', street)
  assert.equal(level(await at(102, 'West Mission Bl North')), 'address')
  for (const street of ['Misson Blvd', 'Misson Bl', 'Mission', 'Mission Ave'])
    assert.equal(alternatives(await at(100, street))[0], '100 MISSION BLVD, SAN DIEGO, CA 92109', street)
})
