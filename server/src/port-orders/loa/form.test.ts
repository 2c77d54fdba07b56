import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreementText, currentAgreement, loaForm, validateForm } from './form.ts'
import { order } from './testing/order.ts'

const form = loaForm(order, 'Demarc Telephone')
const signed = { ...form, signature_name: 'Zoë Núñez', signature_title: 'Owner' }

test('the form has exactly the fields of the contract, numbers as ten digits, and an empty signature', () => {
  assert.deepEqual(Object.keys(form), [
    'numbers',
    'billing_name',
    'street',
    'street2',
    'city',
    'state',
    'zip',
    'country',
    'provider',
    'usage_type',
    'company',
    'signature_name',
    'signature_title',
    'loa_copy',
  ])
  assert.deepEqual(form.numbers, ['2065550100', '2065550101'])
  assert.deepEqual([form.signature_name, form.signature_title, form.street2], ['', '', ''])
})

test('the agreement names both carriers and is the current version', () => {
  assert.equal(
    form.loa_copy,
    agreementText(currentAgreement, { losing_carrier: 'Simulated Telephone', gaining_carrier: 'Demarc Telephone' }),
  )
  assert.match(form.loa_copy, /from Simulated Telephone to Demarc Telephone\. I appoint Demarc Telephone as my agent/)
})

test('the unchanged form with both signatures is accepted', () => {
  assert.deepEqual(validateForm(form, signed), { ok: true, signature: { name: 'Zoë Núñez', title: 'Owner' } })
})

test('a form without numbers, agreement or any other stated field is refused; empty fields can be missing', () => {
  const signatures = { signature_name: 'Zoë Núñez', signature_title: 'Owner' }
  const stated = Object.keys(form).filter((field) => form[field as keyof typeof form] !== '')
  const alone = validateForm(form, signatures)
  assert.ok(!alone.ok)
  assert.deepEqual(Object.keys(alone.fields), stated)
  for (const field of stated) {
    const result = validateForm(form, { ...signed, [field]: undefined })
    assert.deepEqual(result, {
      ok: false,
      fields: { [field]: ['Is missing. Send the complete form back, including the agreement.'] },
    })
  }
  assert.ok(validateForm(form, { ...signed, street2: undefined }).ok)
})

const equivalent: [what: string, change: Record<string, unknown>][] = [
  ['null for an empty line', { street2: null }],
  ['numbers in another sequence', { numbers: form.numbers.toReversed() }],
  ['numbers with a country code', { numbers: ['+12065550100', '12065550101'] }],
  ['other line ends in the agreement', { loa_copy: form.loa_copy.replaceAll('\n', '\r\n') }],
  ['letters in decomposed form', { company: form.company.normalize('NFD') }],
  ['spaces around a signature', { signature_name: '  Zoë   Núñez ' }],
]
for (const [what, change] of equivalent)
  test(`${what} does not count as a change`, () =>
    assert.deepEqual(validateForm(form, { ...signed, ...change }), {
      ok: true,
      signature: { name: 'Zoë Núñez', title: 'Owner' },
    }))

for (const field of Object.keys(form).filter((f) => !f.startsWith('signature')))
  test(`a changed ${field} is refused by name`, () => {
    const value =
      field === 'numbers' ? ['2065550100', '2065550199'] : `${String(signed[field as keyof typeof signed])}x`
    const result = validateForm(form, { ...signed, [field]: value })
    assert.ok(!result.ok)
    assert.deepEqual(Object.keys(result.fields), [field])
    assert.match(result.fields[field]?.[0] ?? '', /Differs from the form/)
  })

const changedNumbers: unknown[] = [
  ['2065550100'],
  ['2065550100', '2065550101', '2065550102'],
  ['2065550100', '2065550100'],
  [],
  '2065550100',
  null,
  [2065550100, 2065550101],
  ['442065550100', '2065550101'],
  { length: 2 },
]
for (const numbers of changedNumbers)
  test(`numbers of ${JSON.stringify(numbers)} are a change`, () => {
    const result = validateForm(form, { ...signed, numbers })
    assert.ok(!result.ok && result.fields['numbers'])
  })

test('emptying a field or changing its type is a change', () => {
  for (const value of ['', null, 5, [], {}, true]) assert.ok(!validateForm(form, { ...signed, city: value }).ok)
})

const invalidSignatures: unknown[] = [
  undefined,
  null,
  '',
  '   ',
  5,
  ['A'],
  '-',
  '123',
  'A\u202Eevil',
  'A\u0000B',
  'x'.repeat(101),
]
for (const value of invalidSignatures)
  test(`${JSON.stringify(value) ?? 'nothing'} is not a signature`, () => {
    for (const field of ['signature_name', 'signature_title']) {
      const result = validateForm(form, { ...signed, [field]: value })
      assert.ok(!result.ok)
      assert.deepEqual(Object.keys(result.fields), [field])
    }
  })

test('all errors are reported at once', () => {
  const result = validateForm(form, { ...signed, signature_name: '', zip: '00000', pin: '1234', constructor: 'x' })
  assert.ok(!result.ok)
  assert.deepEqual(Object.keys(result.fields).toSorted(), ['constructor', 'pin', 'signature_name', 'zip'])
})
