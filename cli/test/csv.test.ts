import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { batchesOf, partOfBatch, recordOf } from '../src/commands/cdr/records.ts'
import { csvRows } from '../src/csv.ts'
import { csvLine } from '../src/table.ts'

async function* inPieces<T extends string | Buffer>(content: T, sizes: readonly number[]): AsyncGenerator<T> {
  let at = 0
  for (let i = 0; at < content.length; i++) {
    const end = at + (sizes[i % sizes.length] ?? 1)
    // a chunk has the type of the whole
    yield await Promise.resolve(content.slice(at, end) as T)
    at = end
  }
}

const table = fc.integer({ min: 1, max: 4 }).chain((width) =>
  fc.array(fc.array(fc.stringMatching(/^[a-c",\n\r é]{0,6}$/), { minLength: width, maxLength: width }), {
    minLength: 1,
    maxLength: 12,
  }),
)
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })

test('reads back written CSV, in chunks of any size', async () => {
  await fc.assert(
    fc.asyncProperty(table, sizes, async (rows, pieces) => {
      const text = rows.map(csvLine).join('')
      const read = await Array.fromAsync(csvRows(inPieces(text, pieces), 'x.csv'))
      // an empty line has no cell, as in every other reader
      assert.deepEqual(
        read,
        rows.filter((row) => row.length > 1 || row[0] !== ''),
      )
    }),
    { numRuns: 300 },
  )
})

test('does not buffer the file after an unclosed quote', async () => {
  const text = `a,"${'x'.repeat(1_200_000)}`
  await assert.rejects(Array.fromAsync(csvRows(inPieces(text, [64_000]), 'x.csv')), /without an end of the line/)
})

test('batches complete records in order, with their line numbers, without loss', async () => {
  await fc.assert(
    fc.asyncProperty(table, sizes, fc.integer({ min: 1, max: 5 }), async (rows, pieces, records_max) => {
      const records = rows.map((row) => csvLine(row).replaceAll('\r\n', '\n').replaceAll('\r', ' '))
      const content = Buffer.from(records.join(''))
      const batches = await Array.fromAsync(
        batchesOf(inPieces(content, pieces), { csv: true, records_max, bytes_max: 1e6 }),
      )
      assert.equal(Buffer.concat(batches.map(({ bytes }) => bytes)).toString(), content.toString())
      const read = batches.flatMap((batch) => batch.lines.map((line, nth) => [line, recordOf(batch, nth).toString()]))
      let line = 1
      for (const [i, record] of records.entries()) {
        assert.deepEqual(read[i], [line, record])
        line += record.split('\n').length - 1
      }
      for (const batch of batches) {
        assert.ok(batch.lines.length <= records_max)
        const middle = batch.lines.length >> 1
        const halves = [partOfBatch(batch, 0, middle), partOfBatch(batch, middle, batch.lines.length)]
        assert.equal(Buffer.concat(halves.map(({ bytes }) => bytes)).toString(), batch.bytes.toString())
      }
    }),
    { numRuns: 300 },
  )
})
