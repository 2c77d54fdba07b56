import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postalData } from '../../addresses/postal/data.ts'
import { resolveNumbers, resolvePlace, resolveStreet, type PlaceDefaults } from './resolve.ts'

const data = postalData()
const BLANK = { country: '', state: '', postal: '', city: '' }

/** Columns of a file, options of the operator → country, state, code, city. */
const PLACES: [Partial<typeof BLANK>, PlaceDefaults, string][] = [
  [{ state: 'NC', postal: '27944', city: 'Hertford' }, {}, 'US NC 27944 HERTFORD'],
  [{ state: 'North Carolina', postal: '27944-1234', city: 'Hertford' }, {}, 'US NC 27944 HERTFORD'],
  [{ state: '37', country: 'US', city: 'Hertford' }, {}, 'US NC  HERTFORD'],
  [{ postal: '27944' }, {}, 'US NC 27944 HERTFORD'],
  [{ postal: '27944.0' }, {}, 'US NC 27944 HERTFORD'],
  // the ZIP code of Boston without its zero
  [{ postal: '2108' }, {}, 'US MA 02108 BOSTON'],
  // with its city comes the post office's state
  [{ state: 'NC', country: 'US', postal: '29744' }, {}, 'US SC 29744 VAN WYCK'],
  [{ state: 'NC', postal: '29744', city: 'Here' }, {}, 'US NC 29744 HERE'],
  [{ postal: 'r3c1a1', city: 'Winnipeg' }, {}, 'CA MB R3C 1A1 WINNIPEG'],
  [{ country: 'Canada', state: 'Québec', city: 'Montréal' }, {}, 'CA QC  MONTREAL'],
  [{}, { state: 'MB', country: 'CA', city: 'Winnipeg' }, 'CA MB  WINNIPEG'],
  [{ city: 'Hertford' }, {}, 'no state'],
  [{ state: 'NC' }, {}, 'no city and no postal code'],
  [{ state: 'NC', city: 'x'.repeat(33) }, {}, 'too long'],
  // shared by two territories
  [{ postal: 'X0A 0A0', city: 'Somewhere' }, {}, 'no state'],
]

for (const [row, defaults, wanted] of PLACES) {
  test(`${JSON.stringify({ ...row, ...defaults })}: ${wanted}`, () => {
    const place = resolvePlace({ ...BLANK, ...row }, defaults, data)
    const shown = typeof place === 'string' ? place : `${place.country} ${place.state} ${place.postal} ${place.city}`
    assert.equal(shown, wanted)
  })
}

for (const [low, high, parity, country, wanted] of [
  ['101', '199', 'odd', 'US', '101-199 1'],
  ['199', '101', 'odd', 'US', '101-199 1'],
  ['100', '199', 'odd', 'US', '100-199 0'],
  ['0', '98', 'even', 'US', '0-98 2'],
  ['98', '0', 'even', 'US', '0-98 2'],
  ['0', '99', 'odd', 'US', '0-99 1'],
  ['0.0', '98.0', 'even', 'US', '0-98 2'],
  ['12.0', '', 'any', 'US', '12-12 0'],
  ['00012', '', 'any', 'US', '12-12 0'],
  ['45-1234', '', 'any', 'CA', '1234-1234 0'],
  ['87-01', '87-99', 'odd', 'US', '87-1|87-99|1'],
  ['87-99', '87-01', 'odd', 'US', '87-1|87-99|1'],
  ['87-91', '89-07', 'odd', 'US', '87-91|87-99|1, 88-0|88-99|1, 89-0|89-7|1'],
  ['87-15', '87-15', 'odd', 'US', '87-15|87-15|1'],
  ['N88W16501', 'N88W16599', 'odd', 'US', 'N88W16501|N88W16599|1'],
  ['P99', 'P00', 'any', 'US', 'P0|P99|0'],
  ['0', 'P99', 'any', 'US', 'P0|P99|0'],
  ['12 1/2', '', 'any', 'US', '12 1/2'],
  ['87-05', '', 'any', 'US', '87-05'],
  ['123 a', '', 'any', 'US', '123A'],
  ['123A', '123A', 'any', 'US', '123A'],
  ['N88W16501', 'S88W16599', 'any', 'US', 'house number not understood'],
  ['10-01', '99-99', 'any', 'US', 'house number not understood'],
  ['0', '', 'any', 'US', 'house number not understood'],
  ['none', '', 'any', 'US', 'house number not understood'],
] as const) {
  test(`numbers ${low} to ${high} (${parity}, ${country}) are ${wanted}`, () => {
    const numbers = resolveNumbers({ low, high, parity }, country)
    const shown =
      typeof numbers === 'string'
        ? numbers
        : (numbers.others?.join(', ') ?? `${numbers.low}-${numbers.high} ${numbers.parity}`)
    assert.equal(shown, wanted)
  })
}

for (const [text, wanted] of [
  ['Main Street Apt 4', 'MAIN ST'],
  ['PO Box 4', 'mail only'],
  ['---', 'no street name'],
  ['x'.repeat(61), 'too long'],
] as const) {
  test(`the street "${text}" is ${wanted}`, () => {
    const street = resolveStreet(text, { country: 'US', state: 'NC' })
    assert.equal(typeof street === 'string' ? street : street.label, wanted)
  })
}
