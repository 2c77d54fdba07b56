import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cnamErrors, countryOf, monthlyCosts, newNumberErrors, numberTypeOf, prefixRange } from './rules.ts'

test('a number is toll-free exactly when its area code is', () => {
  for (const code of ['800', '833', '844', '855', '866', '877', '888'])
    assert.equal(numberTypeOf(`1${code}5550100`), 'toll-free')
  for (const value of ['12065550100', '18015550100', '18225550100', '18225558008', '19005550100', '14168005550'])
    assert.equal(numberTypeOf(value), 'longcode')
})

test('every error of every number is named by its field', () => {
  const inputs = [
    { value: '12065550100', number_type: 'longcode' },
    { value: '18005550100', number_type: 'longcode' },
    { value: '12065550100', number_type: 'toll-free' },
    { value: '12065550101', number_type: 'longcode' },
    { value: '18885550101', number_type: 'toll-free' },
    { value: '12065550101', number_type: 'longcode' },
  ] as const
  assert.deepEqual(newNumberErrors(inputs, new Set(['12065550101'])), {
    'numbers.1.number_type': ['Must be "toll-free", because area code 800 is for those.'],
    'numbers.2.value': ['Is the same number as numbers.0.'],
    'numbers.2.number_type': ['Must be "longcode", because area code 206 is for those.'],
    'numbers.3.value': ['Is already on an account.'],
    'numbers.5.value': ['Is the same number as numbers.3.', 'Is already on an account.'],
  })
  assert.deepEqual(newNumberErrors([inputs[0], inputs[4]], new Set()), {})
})

test('a caller ID name needs a long code and an approved record, and all errors are reported together', () => {
  assert.deepEqual(cnamErrors('longcode', null), {})
  assert.deepEqual(Object.keys(cnamErrors('toll-free', null)), ['number'])
  assert.deepEqual(cnamErrors('longcode', 'Not approved.'), { cnam_id: ['Not approved.'] })
  assert.deepEqual(Object.keys(cnamErrors('toll-free', 'Not approved.')), ['number', 'cnam_id'])
})

test('a number in a Canadian province is Canadian', () => {
  for (const province of ['ON', 'BC', 'QC', 'YT']) assert.equal(countryOf(province), 'CA')
  for (const state of ['WA', 'PR', null, undefined]) assert.equal(countryOf(state), 'US')
})

test('prices are exact decimals', () => {
  for (const price of Object.values(monthlyCosts)) assert.match(price, /^\d+\.\d{4}$/)
})

test('the range of a prefix contains exactly the numbers that start with it', () => {
  const digits = fc.stringMatching(/^\d{1,11}$/)
  const number = fc.stringMatching(/^1[2-9]\d{9}$/)
  fc.assert(
    fc.property(
      fc.oneof(
        digits,
        fc.tuple(number, fc.integer({ min: 1, max: 11 })).map(([n, k]) => n.slice(0, k)),
      ),
      number,
      (prefix, value) => {
        const range = prefixRange(prefix)
        assert.ok(range)
        const inside = BigInt(range.from) <= BigInt(value) && BigInt(value) < BigInt(range.below)
        assert.equal(inside, value.startsWith(prefix))
      },
    ),
  )
  assert.equal(prefixRange('120655501000'), null)
})
