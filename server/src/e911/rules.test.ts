import assert from 'node:assert/strict'
import { test } from 'node:test'
import { e911AddressTypes } from '@demarc/client'
import { checkFields, correction } from './rules.ts'

const GOOD = {
  label: 'Head office',
  first_name: 'Rosa',
  last_name: 'Diaz',
  street_number: '120',
  street_name: 'N Main St',
  city: 'Hertford',
  state: 'NC',
  country: 'US',
  zip: '27944',
}
const CANADIAN = { ...GOOD, city: 'Winnipeg', state: 'MB', country: 'CA', zip: 'R3C 1A1' }

/** What is changed → the fields that fail, each with one matching message. */
const BAD: [string, Record<string, unknown>, Record<string, RegExp>][] = [
  ['no label', { label: undefined }, { label: /required/ }],
  ['a blank label', { label: '   ' }, { label: /blank/ }],
  ['a label that is a number', { label: 7 }, { label: /text/ }],
  ['a label of 65 characters', { label: 'x'.repeat(65) }, { label: /At most 64/ }],
  ['a street of 61 characters', { street_name: 'x'.repeat(61) }, { street_name: /At most 60/ }],
  ['a city of 33 characters', { city: 'x'.repeat(33) }, { city: /At most 32/ }],
  ['a line break in a name', { last_name: 'Diaz\nSmith' }, { last_name: /control characters/ }],
  ['a street of signs only', { street_name: '---' }, { street_name: /name of a street/ }],
  ['a city of digits', { city: '27944' }, { city: /name of a city/ }],
  ['an invalid number', { street_number: 'twelve' }, { street_number: /house number/ }],
  ['number zero', { street_number: 0 }, { street_number: /between 1 and/ }],
  ['a number of nine digits', { street_number: '123456789' }, { street_number: /between 1 and/ }],
  ['a fractional number', { street_number: 1.5 }, { street_number: /house number/ }],
  ['a state in small letters', { state: 'nc' }, { state: /two capital letters/ }],
  ['an invalid state', { state: 'ZZ' }, { state: /two capital letters/ }],
  ['a province in the US', { state: 'MB' }, { state: /not in country US/ }],
  ['another country', { country: 'MX' }, { country: /US, CA/ }],
  ['a country in small letters', { country: 'us' }, { country: /US, CA/ }],
  ['a ZIP of four digits', { zip: '2794' }, { zip: /ZIP code/ }],
  ['a ZIP that is a number', { zip: 27944 }, { zip: /ZIP code/ }],
  ['a Canadian code in the US', { zip: 'R3C 1A1' }, { zip: /ZIP code/ }],
  ['an invalid address type', { address_type: 'Hangar', address_type_number: '4' }, { address_type: /one of/ }],
  ['a type without its number', { address_type: 'Suite' }, { address_type_number: /required/ }],
  ['a number without its type', { address_type_number: '4' }, { address_type: /required/ }],
  ['a unit in the street', { street_name: 'Main St Apt 4' }, { street_name: /"Apartment" in address_type.*"4"/ }],
  ['a field that is not known', { adress_type: 'Suite' }, { adress_type: /not a known field/ }],
]

for (const [what, change, wanted] of BAD) {
  test(`${what} is refused on its field`, () => {
    const checked = checkFields({ ...GOOD, ...change })
    assert.ok(!checked.ok)
    assert.deepEqual(Object.keys(checked.fields), Object.keys(wanted))
    for (const [field, pattern] of Object.entries(wanted)) assert.match(checked.fields[field]?.[0] ?? '', pattern)
  })
}

test('all failing fields are reported at once', () => {
  const checked = checkFields({ color: 'red', address_type: 'Hangar' })
  assert.ok(!checked.ok)
  assert.deepEqual(Object.keys(checked.fields).toSorted(), [
    'address_type',
    'address_type_number',
    'city',
    'color',
    'country',
    'first_name',
    'label',
    'last_name',
    'state',
    'street_name',
    'street_number',
    'zip',
  ])
})

/** What is changed → how it is parsed. */
const KEPT: [string, Record<string, unknown>, Record<string, unknown>][] = [
  ['an integer street number', { street_number: 120 }, { street_number: '120' }],
  ['a ZIP+4', { zip: '27944-1234' }, { zip: '27944' }],
  ['an address type in small letters', { address_type: 'suite', address_type_number: '4' }, { address_type: 'Suite' }],
  ['a unit number that is an integer', { address_type: 'Suite', address_type_number: 4 }, { address_type_number: '4' }],
  ['an empty address type', { address_type: '', address_type_number: null }, { address_type: null }],
  ['a hyphenated number', { street_number: '87-15' }, { street_number: '87-15' }],
  ['a fraction', { street_number: '12½' }, { street_number: '12 1/2' }],
  ['whitespace around', { city: ' Hertford ' }, { city: 'Hertford' }],
]

for (const [what, change, wanted] of KEPT) {
  test(`${what} is accepted as ${JSON.stringify(Object.values(wanted)[0])}`, () => {
    const checked = checkFields({ ...GOOD, ...change })
    assert.ok(checked.ok, JSON.stringify(checked))
    for (const [field, value] of Object.entries(wanted)) assert.equal(Reflect.get(checked.attributes, field), value)
  })
}

for (const [zip, stored] of [
  ['r3c1a1', 'R3C 1A1'],
  ['R3C-1A1', 'R3C 1A1'],
  ['R3C 1A1', 'R3C 1A1'],
]) {
  test(`the postal code ${zip} is stored ${stored}`, () => {
    const checked = checkFields({ ...CANADIAN, zip })
    assert.ok(checked.ok)
    assert.equal(checked.attributes.zip, stored)
  })
}

for (const zip of ['D3C 1A1', 'W3C 1A1', 'R3C 1O1', 'R3C1A', '27944']) {
  test(`${zip} is not a postal code`, () => assert.ok(!checkFields({ ...CANADIAN, zip }).ok))
}

test('a unit before the number is refused in Canada and a hyphen accepted in the US', () => {
  assert.ok(!checkFields({ ...CANADIAN, street_number: '45-1234' }).ok)
  assert.ok(checkFields({ ...GOOD, street_number: '45-1234' }).ok)
})

test('a correction has the names as sent and the corrected place', () => {
  const checked = checkFields(GOOD)
  assert.ok(checked.ok)
  const alternative = {
    street_number: '120',
    street_name: 'S MAIN ST',
    city: 'HERTFORD',
    state: 'NC',
    country: 'US',
    zip: '27944',
  } as const
  assert.deepEqual(correction(checked.attributes, alternative), {
    ...alternative,
    first_name: 'Rosa',
    label: 'Head office',
    last_name: 'Diaz',
  })
})

test('the 23 address types are known in any case', () => {
  assert.equal(e911AddressTypes.length, 23)
  for (const name of e911AddressTypes)
    for (const given of [name, name.toUpperCase(), name.toLowerCase()]) {
      const checked = checkFields({ ...GOOD, address_type: given, address_type_number: '4' })
      assert.equal(checked.ok ? checked.attributes.address_type : checked.fields, name)
    }
})
