import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dollars, durationText, phoneText, shortDecimal, toCents } from './text.ts'

test('North American numbers are formatted; others are unchanged', () => {
  assert.equal(phoneText('12065550100'), '(206) 555-0100')
  assert.equal(phoneText('+12065550100'), '(206) 555-0100')
  assert.equal(phoneText('442071234567'), '442071234567')
})

test('amounts keep every digit and have at least two decimals', () => {
  assert.deepEqual(['0', '7.5', '1343.0398729', '1234567.10', '-3.333'].map(dollars), [
    '$0.00',
    '$7.50',
    '$1,343.0398729',
    '$1,234,567.10',
    '-$3.333',
  ])
})

test('cents are rounded exactly, half a cent away from zero', () => {
  assert.deepEqual(['0.005', '0.0049', '157.3263318', '99999999999999.995', '-1.005', '3'].map(toCents), [
    '0.01',
    '0.00',
    '157.33',
    '100000000000000.00',
    '-1.01',
    '3.00',
  ])
})

test('an amount in a field has at least its cents', () => {
  const grid = [
    ['1.2500', '1.25'],
    ['1.0000', '1.00'],
    ['1200.2525', '1200.2525'],
    ['0.1050', '0.105'],
    ['5', '5'],
    ['', ''],
  ] as const
  for (const [amount, text] of grid) assert.equal(shortDecimal(amount), text)
})

test('a duration uses its largest whole unit', () => {
  const grid = [
    [0, 'less than a minute'],
    [59, 'less than a minute'],
    [60, '1 minute'],
    [3_599, '59 minutes'],
    [7_200, '2 hours'],
    [86_400, '1 day'],
    [864_000, '10 days'],
  ] as const
  for (const [seconds, text] of grid) assert.equal(durationText(seconds), text)
})
