import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cnamFaults, cnamStored } from './cnam-rule.ts'

test('names that telephones show are fine, in any case', () => {
  const fine = [
    'A',
    'Harbor Dental',
    `O'NEIL & SONS`,
    'A/B "C",@D+E_F-',
    'X.',
    'Route 66 Diner',
    '1-800-FLOWERS',
    'x'.repeat(15),
  ]
  for (const value of fine) assert.deepEqual(cnamFaults(value), [], value)
})

test('each fault of a name is said, several at once', () => {
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
    const faults = cnamFaults(value)
    assert.equal(faults.length, expected.length, `${JSON.stringify(value)}: ${faults.join(' | ')}`)
    for (const [i, pattern] of expected.entries()) assert.match(faults[i] ?? '', pattern, value)
  }
})

test('names are stored in upper case', () => assert.equal(cnamStored(`O'Neil & sons`), `O'NEIL & SONS`))
