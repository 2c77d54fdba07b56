import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differences, emptyForm, formOf, isComplete } from './form.ts'

const form = formOf({
  ...emptyForm,
  label: 'Office',
  first_name: 'Rosa',
  last_name: 'Diaz',
  street_number: '200',
  street_name: 'Ceder St',
  city: 'Friendship',
  state: 'WI',
  zip: '53934',
  address_type: null,
})

test('a correction marks the words that were not typed', () => {
  const marked = (typed: string, corrected: string) =>
    differences(typed, corrected)
      .filter(({ changed }) => changed)
      .map(({ text }) => text)
  assert.deepEqual(marked('Ceder St', 'CEDAR ST'), ['CEDAR'])
  assert.deepEqual(marked('Main St', 'N MAIN ST'), ['N'])
  assert.deepEqual(marked('N Main St', 'N MAIN ST'), [])
  assert.equal(
    differences('a', 'N MAIN ST')
      .map(({ text }) => text)
      .join(''),
    'N MAIN ST',
  )
})

test('an address is checked once all required fields are filled, with or without a unit', () => {
  assert.equal(isComplete(form), true)
  assert.equal(isComplete({ ...form, address_type: 'Suite', address_type_number: '4' }), true)
  assert.equal(isComplete({ ...form, zip: ' ' }), false)
})
