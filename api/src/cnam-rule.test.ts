import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cnamErrors, cnamStored } from './cnam-rule.ts'

test('names that telephones show are valid, in any case', () => {
  const valid = [
    'A',
    'Harbor Dental',
    `O'NEIL & SONS`,
    'A/B "C",@D+E_F-',
    'X.',
    'Route 66 Diner',
    '1-800-FLOWERS',
    'x'.repeat(15),
  ]
  for (const value of valid) assert.deepEqual(cnamErrors(value), [], value)
})

test('every validation error of a name is reported, several at once', () => {
  const grid: [string, RegExp[]][] = [
    ['', [/empty/]],
    ['x'.repeat(16), [/At most 15 characters; this has 16/]],
    ['Café', [/Only letters/]],
    ['ACME (West)', [/Only letters/]],
    ['ACME\tWEST', [/Only letters/]],
    ['ACME\u0000', [/Only letters/]],
    ['12345', [/at least one letter/]],
    ['-- & --', [/at least one letter/]],
    ['TEL 206555010', [/telephone number/]],
    ['+12065550100', [/at least one letter/, /telephone number/]],
    ['206-555-0100 x', [/telephone number/]],
    [' ACME', [/begin or end with a space/]],
    ['ACME ', [/begin or end with a space/]],
    ['   ', [/at least one letter/, /begin or end/]],
    ['😀'.repeat(16), [/this has 16/, /Only letters/, /at least one letter/]],
  ]
  for (const [value, expected] of grid) {
    const errors = cnamErrors(value)
    assert.equal(errors.length, expected.length, `${JSON.stringify(value)}: ${errors.join(' | ')}`)
    for (const [i, pattern] of expected.entries()) assert.match(errors[i] ?? '', pattern, value)
  }
})

test('names are stored in upper case', () => assert.equal(cnamStored(`O'Neil & sons`), `O'NEIL & SONS`))
