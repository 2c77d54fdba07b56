import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseStreet, type StreetPlace } from '../normalize/street.ts'
import type { StreetName } from './rows.ts'
import { lettersIn } from './edits.ts'
import { typed } from './score.ts'
import { INVARIANT_LETTERS, soundOf } from './sound.ts'
import { StreetIndex } from './street-index.ts'

const NAMES = [
  'Dr Martin Luther King Jr Blvd',
  'John F Kennedy Pkwy',
  'S Christopher Columbus Blvd',
  'FDR Dr',
  'US Highway 12',
  'State Route 89',
  'County Road K',
  'Old US Highway 30',
  'Calle Luna',
  'Avenida de Diego',
  'King St',
  'Mary Lou Kane Ct',
  'Oak St',
]

/** Matches for a text among these streets, most likely first. */
function found(
  text: string,
  names: readonly string[] = NAMES,
  place: StreetPlace = { country: 'US', state: 'WI' },
): string[] {
  const rows = names.map((name, i): StreetName => {
    const { label, key } = parseStreet(name, place)
    const area = { state: place.state, postal: '53934', city: 'X', city_key: 'X', city_derived: false }
    return { id: String(i), dataset_id: 1, authority: 'indicative', ...area, label, key }
  })
  const alike = StreetIndex.of(rows).alike(typed(text, place))
  return alike.toSorted((a, b) => b.score - a.score).map(({ row }) => names[Number(row.id)] ?? '')
}

for (const [text, street] of [
  ['MLK Blvd', 'Dr Martin Luther King Jr Blvd'],
  ['M L King Blvd', 'Dr Martin Luther King Jr Blvd'],
  ['M.L.K. Blvd', 'Dr Martin Luther King Jr Blvd'],
  ['Martin Luther King Blvd', 'Dr Martin Luther King Jr Blvd'],
  ['JFK Pkwy', 'John F Kennedy Pkwy'],
  ['Kennedy Pkwy', 'John F Kennedy Pkwy'],
  ['J F Kennedy Pkwy', 'John F Kennedy Pkwy'],
  ['S Columbus Blvd', 'S Christopher Columbus Blvd'],
  ['Franklin Delano Roosevelt Dr', 'FDR Dr'],
  ['Hwy 12', 'US Highway 12'],
  ['Route 12', 'US Highway 12'],
  ['State Hwy 12', 'US Highway 12'],
  ['Hwy 89', 'State Route 89'],
  ['Hwy K', 'County Road K'],
  ['Luna St', 'Calle Luna'],
  ['Luna', 'Calle Luna'],
  ['De Diego', 'Avenida de Diego'],
] as const) {
  test(`${text} is an alias of ${street}`, () => assert.equal(found(text)[0], street, found(text).join(', ')))
}

for (const text of ['Hwy 13', 'Luther Blvd', 'Columbia Blvd', 'MLJ Blvd'])
  test(`${text} matches none of these`, () => {
    const wrong = found(text).filter((name) => !/Luther/.test(name) || text === 'MLJ Blvd')
    assert.deepEqual(wrong, [])
  })

test('the old road with the same number is a different road', () => {
  assert.deepEqual(found('Hwy 12', ['Old US Highway 12', 'US Highway 12']), ['US Highway 12', 'Old US Highway 12'])
})

/** Spellings that sound the same. */
const SOUNDS: [string, string][] = [
  ['PHILIPS', 'FILLIPS'],
  ['KNIGHT', 'NITE'],
  ['WRIGHT', 'RIGHT'],
  ['MAPLE', 'MAPEL'],
  ['CENTRE', 'CENTER'],
  ['JACKSON', 'JAXEN'],
  ['SCHUBERT', 'SHUBERT'],
  ['HUTCHINS', 'HUCHINS'],
  ['CECIL', 'SESIL'],
  ['GEORGE', 'JORGE'],
  ['QUEEN', 'KWEAN'],
  ['TOWER', 'TOUER'],
  ['HIGH', 'HY'],
  ['LAMB', 'LAM'],
  ['VALLEY', 'VALLY'],
  ['DAISIE', 'DAYSY'],
  ['CARL', 'KARL'],
]

for (const [one, other] of SOUNDS) test(`${one} sounds like ${other}`, () => assert.equal(soundOf(one), soundOf(other)))

for (const [one, other] of [
  ['MAIN', 'MAPLE'],
  ['CHERRY', 'SHERRY'],
  ['VINE', 'FINE'],
  ['PARK', 'BARK'],
])
  test(`${one} does not sound like ${other}`, () => assert.notEqual(soundOf(one ?? ''), soundOf(other ?? '')))

test('a misheard name is found although its spelling is very different', () => {
  const names = ['Phillips St', 'Hillis St', 'Fillmore St', 'Schuylkill Ave', 'Wright Ln']
  assert.equal(found('Fillips St', names)[0], 'Phillips St')
  assert.equal(found('Rite Ln', names)[0], 'Wright Ln')
})

test('leading zeros of an ordinal are ignored', () => {
  const place: StreetPlace = { country: 'US', state: 'PA' }
  assert.equal(parseStreet('S 09th St', place).key, parseStreet('S 9th Street', place).key)
  assert.equal(parseStreet('Ninth St', place).key, parseStreet('009TH ST', place).key)
})

test('no spelling of a sound adds or removes an invariant letter', () => {
  const name = fc.string({ unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ 12'), maxLength: 12 })
  fc.assert(
    fc.property(name, (text) =>
      assert.equal(lettersIn(soundOf(text)) & INVARIANT_LETTERS, lettersIn(text) & INVARIANT_LETTERS),
    ),
    { numRuns: 2_000 },
  )
})
