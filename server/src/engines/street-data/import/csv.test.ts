import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { csvRecords, delimiterOf, orRefused } from './records.ts'
import { IMPORT } from './limits.ts'

/** Every record of a text in chunks of one size. */
async function read(text: string, size: number, delimiter = ','): Promise<string[][]> {
  const records = csvRecords(delimiter)
  const found: string[][] = []
  for (let at = 0; at < text.length; at += size)
    found.push(...(await orRefused(records.push(text.slice(at, at + size)))))
  found.push(...(await orRefused(records.end())))
  return found
}

const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r', ' ', ';'), maxLength: 6 })
const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 })
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

test('records are read back as they were written, in chunks of any size, with either line break', async () => {
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.integer({ min: 1, max: 20 }),
      fc.constantFrom('\n', '\r\n'),
      async (written, size, end) => {
        const text = written.map((each) => each.map(quoted).join(',') + end).join('')
        assert.deepEqual(await read(text, size), written)
      },
    ),
  )
})

test('records are the same in chunks of any size as in one', async () => {
  const plain = fc.string({ unit: fc.constantFrom('a', 'b', '"', ' ', '-'), maxLength: 5 }).map((text) => `x${text}`)
  const some = fc.array(fc.array(fc.oneof(plain, cell.map(quoted)), { minLength: 1, maxLength: 4 }), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(some, fc.integer({ min: 1, max: 20 }), async (written, size) => {
      const text = written.map((each) => each.join(',')).join('\n')
      const options = { relax_column_count: true, relax_quotes: true, skip_empty_lines: true }
      assert.deepEqual(await read(text, size), parse(text, options))
    }),
  )
})

test('a quote within a cell is an ordinary character', async () => {
  assert.deepEqual(await read('12" PIPE LN,b\na,"c"\n', 3), [
    ['12" PIPE LN', 'b'],
    ['a', 'c'],
  ])
})

test('line endings may be mixed, and empty lines are not records', async () => {
  assert.deepEqual(await read('a,b\r\n1,"2"\n\n\r\n3,"4"\r\n5', 4), [['a', 'b'], ['1', '2'], ['3', '4'], ['5']])
})

test('an unterminated record is refused at the length limit, in linear time', async () => {
  const before = process.cpuUsage()
  const line = `a,""\n`.repeat(Math.ceil(IMPORT.record_max / 5) + 100)
  await assert.rejects(read(`"${line}`, 1 << 16), /row is longer than/)
  await assert.rejects(read('a'.repeat(IMPORT.record_max + 100), 1 << 16), /row is longer than/)
  await assert.rejects(read('a,"b\nc', 2), /quote near the end of the file is not closed/)
  // CPU time, which a busy machine does not increase
  const { user, system } = process.cpuUsage(before)
  assert.ok((user + system) / 1000 < 5_000)
})

test('a row of empty cells is refused at the same length, and empty lines are skipped', async () => {
  await assert.rejects(read(','.repeat(IMPORT.record_max + 100), 1 << 16), /row is longer than/)
  assert.deepEqual(await read(`a,b\n${'\n'.repeat(IMPORT.record_max + 100)}1,2`, 1 << 16), [
    ['a', 'b'],
    ['1', '2'],
  ])
})

test('the delimiter is the most frequent of the four in the header line', () => {
  for (const delimiter of [',', '\t', ';', '|'])
    assert.equal(delimiterOf(`a${delimiter}b${delimiter}c\n1,2,3,4,5`), delimiter)
})
