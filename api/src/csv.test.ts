import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCsvRows } from './csv.ts'

const read = (pieces: readonly string[]) =>
  Array.fromAsync(
    readCsvRows(pieces, (after_line) => {
      throw new Error(`refused after line ${after_line}`)
    }),
    ({ line, cells }) => [line, ...cells],
  )
const inPieces = (text: string) => [...text]

test('a row has the line number where it begins, as an editor counts, in any file format', async () => {
  const rows = [
    [1, 'number', 'alias'],
    [3, '2065550100', 'Front\ndesk'],
    [6, '2065550101', 'Two "quoted"'],
    [7, '2065550102', ''],
  ]
  const text = 'number,alias\n\n2065550100,"Front\ndesk"\n\n2065550101,"Two ""quoted"""\n2065550102,'
  const crlf = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? cell.replace('\n', '\r\n') : cell)))
  for (const [written, expected] of [
    [text, rows],
    [`${text}\n\n`, rows],
    [`\uFEFF${text}`, rows],
    [text.replaceAll('\n', '\r\n'), crlf],
    [`\uFEFF${text.replaceAll('\n', '\r\n')}\r\n`, crlf],
  ] as const) {
    assert.deepEqual(await read([written]), expected)
    assert.deepEqual(await read(inPieces(written)), expected)
  }
})

test('an unclosed quote is refused with its line number instead of swallowing the rows after it', async () => {
  const text = 'number,alias\n2065550100,"Front\ndesk"\n2065550101,"Back\n2065550102,Side\n'
  await assert.rejects(read([text]), /^Error: refused after line 3$/)
  await assert.rejects(read(inPieces(text)), /^Error: refused after line 3$/)
})
