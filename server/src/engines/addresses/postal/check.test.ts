import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locality } from '../address.ts'
import type { AreaFact } from '../match/rows.ts'
import { addressOf } from '../testing/address.ts'
import { areConsistent, likelyPlaces } from './check.ts'
import { postalData } from './data.ts'

const data = postalData()
const NO_HINTS = { codes: [], communities: [] }
const place = (where: string): Locality => addressOf(1, 'Main St', where)

for (const where of [
  'Hertford, NC 27944',
  'HERTFORD, NC 27944',
  'Saint Louis, MO 63101',
  // a part of the city without its own ZIP code
  'Hollywood, CA 90028',
  // 31 km from the nearest code
  'Deltana, AK 99737',
  // the postal data calls it Hollywood, but Pembroke Pines has ten times the inhabitants of its own codes
  'Pembroke Pines, FL 33024',
  'Hollywood, FL 33024',
  'San Juan, PR 00901',
  'Winnipeg, MB R3C 1A1',
  'Montréal, QC H3A 1A1',
  // a rural area is as large as a country
  'Portage la Prairie, MB R0H 1A1',
  // an area that the data does not have is accepted
  'Toronto, ON M0Z 1A1',
])
  test(`${where} are consistent`, () => assert.ok(areConsistent(place(where), [], data)))

for (const where of [
  'Hertford, SC 27944',
  'Raleigh, NC 27944',
  'Hertfrod, NC 27944',
  'Deltana, AK 99731',
  'Hertford, NC 00000',
  'Winnipeg, ON R3C 1A1',
  'Toronto, MB R3C 1A1',
  'Brandon, MB R3C 1A1',
  // farther from its center than its own codes
  'Pembroke Pines, FL 33004',
])
  test(`${where} are not`, () => assert.ok(!areConsistent(place(where), [], data)))

/** Given → the localities offered, the likeliest first; others may follow. */
const OFFERS: [string, ...string[]][] = [
  ['Hertfrod, NC 27944', 'HERTFORD, NC 27944'],
  ['Hertford, SC 27944', 'HERTFORD, NC 27944'],
  ['Hertford, NC 27494', 'HERTFORD, NC 27944'],
  ['Hertford, NC 27945', 'HERTFORD, NC 27944'],
  ['Anytown, NC 27944', 'HERTFORD, NC 27944'],
  ['Hollywod, CA 90028', 'HOLLYWOOD, CA 90028', 'LOS ANGELES, CA 90028'],
  // the city of the code before a neighbor of a similar name, and before another code
  ['Baltimore, MD 21204', 'TOWSON, MD 21204'],
  ['Winnpeg, MB R3C 1A1', 'WINNIPEG, MB R3C 1A1'],
  ['Winnipeg, ON R3C 1A1', 'WINNIPEG, MB R3C 1A1'],
]

for (const [input, ...offered] of OFFERS) {
  test(`${input}: ${offered.join(' or ')}`, () => {
    const found = likelyPlaces(place(input), [], NO_HINTS, data)
    const shown = found.map(({ city, state, zip }) => `${city}, ${state} ${zip}`)
    assert.deepEqual(shown.slice(0, offered.length), offered)
    for (const option of found) assert.ok(areConsistent(option, [], data), JSON.stringify(option))
  })
}

test('an existing city is not confused with a neighbor of a similar name', () => {
  const found = likelyPlaces(place('Baltimore, MD 21204'), [], NO_HINTS, data)
  assert.deepEqual(
    found.filter(({ city }) => city === 'SOUTH BALTIMORE'),
    [],
  )
})

test('the names of Canadian postal areas are never offered as cities', () => {
  const found = likelyPlaces(place('Nowhere At All, MB R3C 1A1'), [], NO_HINTS, data)
  assert.deepEqual(found, [])
})

test('a dataset that names a city for a code does not move the code to a distant state', () => {
  const there = place('Albany, CA 12207')
  const { zip: postal, city, city_key, state } = there
  assert.ok(!areConsistent(there, [fact({ state, postal, city, city_key })], data))
  // a post office across the border
  const border = place('Van Wyck, NC 29744')
  assert.ok(areConsistent(border, [fact({ ...border, postal: border.zip })], data))
})

const fact = (input: Partial<AreaFact>): AreaFact => ({
  authority: 'indicative',
  kind: 'range',
  state: 'NC',
  postal: '27944',
  city: 'Snug Harbor',
  city_key: 'SNUGHARBOR',
  city_derived: false,
  streets: 3,
  complete: true,
  ...input,
})

test('the names of a dataset are accepted for its codes', () => {
  const snug = place('Snug Harbor, NC 27944')
  assert.ok(!areConsistent(snug, [], data))
  assert.ok(areConsistent(snug, [fact({})], data))
  const [first] = likelyPlaces(place('Snug Habor, NC 27944'), [fact({})], NO_HINTS, data)
  assert.equal(first?.city, 'SNUG HARBOR')
})

test('a community of a dataset without codes is consistent with all codes of its state, unless the postal data has the city', () => {
  const community = fact({ postal: '', city: 'Perquimans County', city_key: 'PERQUIMANSCO' })
  assert.ok(areConsistent(place('Perquimans County, NC 27944'), [community], data))
  assert.ok(!areConsistent(place('Perquimans County, NC 59645'), [community], data))
  const raleigh = fact({ postal: '', city: 'Raleigh', city_key: 'RALEIGH' })
  assert.ok(!areConsistent(place('Raleigh, NC 27944'), [raleigh], data))
})

test('an error in a word that the key abbreviates is corrected', () => {
  const communities = [{ city: 'HEATHER VALLEY', city_key: 'HEATHERVLY' }]
  const [first] = likelyPlaces(place('Heather Vlaley, NC 27944'), [], { codes: [], communities }, data)
  assert.equal(first?.city, 'HEATHER VALLEY')
})

test('a lookup takes a few microseconds', () => {
  const here = place('Hertford, NC 27944')
  const started = process.cpuUsage()
  for (let i = 0; i < 20_000; i++) areConsistent(here, [], data)
  const used = process.cpuUsage(started)
  assert.ok((used.user + used.system) / 20_000 < 50)
})
