import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { CsvRecords, delimiterOf } from './csv.ts'
import { IMPORT } from './limits.ts'

/** Every record of a text in chunks of one size. */
function read(text: string, size: number, delimiter = ','): string[][] {
  const records = new CsvRecords(delimiter)
  const found: string[][] = []
  for (let at = 0; at < text.length; at += size) found.push(...records.push(text.slice(at, at + size)))
  found.push(...records.end())
  return found
}

const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r', ' ', ';'), maxLength: 6 })
const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 })
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

test('records are read back as they were written, in chunks of any size, with either line break', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 20 }), fc.constantFrom('\n', '\r\n'), (given, size, end) => {
      const text = given.map((each) => each.map(quoted).join(',') + end).join('')
      assert.deepEqual(read(text, size), given)
    }),
  )
})

test('records are those that csv-parse returns', () => {
  const plain = fc.string({ unit: fc.constantFrom('a', 'b', '"', ' ', '-'), maxLength: 5 }).map((text) => `x${text}`)
  const some = fc.array(fc.array(fc.oneof(plain, cell.map(quoted)), { minLength: 1, maxLength: 4 }), { maxLength: 6 })
  fc.assert(
    fc.property(some, fc.integer({ min: 1, max: 20 }), (given, size) => {
      const text = given.map((each) => each.join(',')).join('\n')
      const options = { relax_column_count: true, relax_quotes: true, skip_empty_lines: true }
      assert.deepEqual(read(text, size), parse(text, options))
    }),
  )
})

test('a quote within a cell is an ordinary character', () => {
  assert.deepEqual(read('12" PIPE LN,b\na,"c"\n', 3), [
    ['12" PIPE LN', 'b'],
    ['a', 'c'],
  ])
})

test('a record that does not end is refused at the limit of its length, in linear time', () => {
  const began = performance.now()
  const line = `a,""\n`.repeat(Math.ceil(IMPORT.record_max / 5) + 100)
  assert.throws(() => read(`"${line}`, 1 << 16), /row is longer than/)
  assert.throws(() => read('a'.repeat(IMPORT.record_max + 100), 1 << 16), /row is longer than/)
  assert.throws(() => read('a,"b\nc', 2), /quote near the end of the file is never closed/)
  assert.ok(performance.now() - began < 5_000)
})

test('the delimiter is the most frequent of the four in the header line', () => {
  for (const delimiter of [',', '\t', ';', '|'])
    assert.equal(delimiterOf(`a${delimiter}b${delimiter}c\n1,2,3,4,5`), delimiter)
})
