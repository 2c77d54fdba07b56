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

/** The suffixes that the last words of these names are parsed as. */
function taken(names: readonly string[], suffixed: Partial<Suffixed> = {}): Record<string, string> {
  const streets = names.map((name) => {
    const at = name.lastIndexOf(' ')
    return { country: 'US', base: name.slice(0, at), word: name.slice(at + 1) } as const
  })
  const learned = learnSuffixes(streets, { ...NONE, ...suffixed })
  return Object.fromEntries(learned.map(({ written, taken_for }) => [written, taken_for]))
}

describe('the last word of a name', () => {
  test('is a county suffix if several names end in a known spelling', () => {
    const spellings = { BL: 'BLVD', TE: 'TER', CI: 'CIR', CM: 'CMN', LP: 'LOOP', PW: 'PKWY', PZ: 'PLZ' }
    assert.deepEqual(
      taken(Object.keys(spellings).flatMap((word) => [`MISSION ${word}`, `OAK GROVE ${word}`])),
      spellings,
    )
  })

  test('is a suffix in a single name only if that name has another suffix too', () => {
    assert.deepEqual(taken(['MISSION PZ']), {})
    assert.deepEqual(taken(['MISSION PZ'], { bases: new Set(['MISSION']) }), { PZ: 'PLZ' })
  })

  test('is part of the name if it is a word, however frequent', () => {
    const words = ['TEE', 'ROD', 'SET', 'OAK', 'DEL', 'MAR', 'WAYS', 'II', 'XX']
    const names = words.flatMap((word) => ['A', 'B', 'C', 'D', 'E', 'F'].map((name) => `${name} ${word}`))
    assert.deepEqual(taken(names, { bases: new Set(['A', 'B', 'C', 'D', 'E', 'F']) }), {})
  })

  test('that is ambiguous means the suffix that the data does not write in the usual way', () => {
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

test('a doubtful abbreviation is accepted as a dataset writes it, and only where that dataset has the street', async (t) => {
  const { pool, db } = await testDatabase(t)
  const rows = ['100 THAIS LA', '100 ALDER LA', '100 BIRCH LA', '100 CEDAR LA', '100 CEDAR CT']
  const validator = localValidator({ streets: activeStreets(db), min_level: 'auto' })
  const at = (street: string, place = 'San Diego, CA 92109') => validator.validate(addressOf(100, street, place))
  await importText(pool, 'openaddresses-csv', openAddresses(...rows.map((row) => `${row}|San Diego|CA|92109`)))
  await importText(pool, 'openaddresses-csv', openAddresses('100 THAIS LN|Hertford|NC|27944'), { name: 'Other' })
  for (const street of ['Thais La', 'THAIS LN', 'Alder La']) assert.equal(level(await at(street)), 'address', street)
  assert.deepEqual(alternatives(await at('Thais La', 'Hertford, NC 27944')), ['100 THAIS LN, HERTFORD, NC 27944'])
})
