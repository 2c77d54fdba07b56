import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { population, postalData } from '../../addresses/index.ts'
import { measurePlaces, type PlaceCount } from './measure.ts'

const gazetteer = { data: postalData(), population }
const NONE = new Set<string>()

const zip = (postal: string, streets: number, numbers = streets * 20): PlaceCount => ({
  country: 'US',
  state: 'NJ',
  postal,
  city_key: '',
  streets,
  numbers,
})
const city = (city_key: string, streets: number, numbers = streets * 20): PlaceCount => ({
  ...zip('', streets, numbers),
  city_key,
})

/** Most ZIP codes of Burlington County, as its file has them. */
const BURLINGTON = ['08010', '08015', '08016', '08022', '08036', '08046', '08048', '08052', '08053', '08054'].concat([
  '08055',
  '08057',
  '08060',
  '08064',
  '08065',
  '08068',
  '08073',
  '08075',
  '08077',
  '08088',
  '08518',
  '08554',
])
const COUNTY = BURLINGTON.map((code) => zip(code, 200))
const measured = (...more: PlaceCount[]) => {
  const places = measurePlaces([...COUNTY, ...more], 'point', NONE, gazetteer)
  return more.map((one) => {
    const found = places.find(({ postal, city_key }) => postal === one.postal && city_key === one.city_key)
    return found && (found.thin ? 'thin' : found.beyond ? 'beyond' : 'covered')
  })
}

describe('a place is', () => {
  test('thin with one stray row of the next county', () => {
    assert.deepEqual(measured(zip('08002', 1, 1), zip('08034', 3, 3)), ['thin', 'thin'])
  })

  test('beyond, where a part of it is in the next county', () => {
    assert.deepEqual(measured(zip('08003', 60)), ['beyond'])
    assert.deepEqual(measured(zip('08003', 900)), ['covered'], 'as dense as the places of the county')
  })

  test('covered as a hamlet of four streets in a county that the dataset has, and thin with a single row', () => {
    assert.deepEqual(measured(zip('08224', 4, 31), zip('08019', 1, 1)), ['covered', 'thin'])
  })

  test('thin as a town in a county that another dataset covers', () => {
    const [palmyra] = measurePlaces(
      [...COUNTY.filter(({ postal }) => postal !== '08065'), zip('08065', 4, 9)],
      'point',
      NONE,
      gazetteer,
    ).filter(({ postal }) => postal === '08065')
    assert.ok(palmyra?.thin === true && (palmyra.share ?? 1) < 0.05)
  })

  test('thin as a miskeyed city in data without ZIP codes', () => {
    const towns = ['MOORESTOWN', 'MTHOLLY', 'MEDFORD', 'BURLINGTON', 'BORDENTOWN', 'RIVERSIDE', 'PALMYRA', 'DELRAN']
    const all = [...towns.map((one) => city(one, 150)), city('MORRISTOWN', 3, 3), city('CHERRYHILL', 1, 1)]
    const thin = measurePlaces(all, 'point', NONE, gazetteer).filter((one) => one.thin)
    assert.deepEqual(
      thin.map(({ city_key }) => city_key),
      ['MORRISTOWN', 'CHERRYHILL'],
    )
  })

  test('never thin if it has a large share of all streets', () => {
    const [only] = measurePlaces([zip('08002', 1, 1)], 'point', NONE, gazetteer)
    assert.ok(only?.thin === false && !only.beyond)
  })

  test('beyond in a county other than the one that the file names, regardless of size', () => {
    const [, other, few] = measurePlaces(
      [zip('08054', 200), zip('08003', 200), zip('08002', 1, 1)],
      'range',
      new Set(['NJ005']),
      gazetteer,
    )
    assert.ok(other?.beyond === true && !other.thin)
    assert.ok(few?.beyond === true && !few.thin)
  })

  test('measured by city in Canada, where a code has few houses', () => {
    const canada = { country: 'CA', state: 'MB', postal: '', numbers: 90_000 } as const
    const [winnipeg, brandon] = measurePlaces(
      [
        { ...canada, city_key: 'WINNIPEG', streets: 3_900 },
        { ...canada, city_key: 'BRANDON', streets: 2, numbers: 2 },
      ],
      'point',
      NONE,
      gazetteer,
    )
    assert.deepEqual([winnipeg?.thin, brandon?.thin], [false, true])
  })
})
