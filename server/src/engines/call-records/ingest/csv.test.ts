import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Rows, type Row } from './csv.ts'
import { LIMITS } from './limits.ts'
import { Lines } from './lines.ts'

function read(body: string): Row[] {
  const lines = new Lines()
  const rows = new Rows()
  return [...rows.take(lines.take(Buffer.from(body))), ...rows.take(lines.end()), ...rows.flush()]
}

const row = (line: number, ...cells: string[]): Row => ({ line, cells })
const bad = (line: number, error: string): Row => ({ line, error })
const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`

test('cells are parsed as in RFC 4180', () => {
  const cases: [body: string, rows: Row[]][] = [
    ['a,b,c\n', [row(1, 'a', 'b', 'c')]],
    ['a,b,c', [row(1, 'a', 'b', 'c')]],
    [',,\n', [row(1, '', '', '')]],
    ['"a","b,c",d\n', [row(1, 'a', 'b,c', 'd')]],
    ['"say ""hi""",""""\n', [row(1, 'say "hi"', '"')]],
    ['"",x\n', [row(1, '', 'x')]],
    ['a,"two\nlines",b\nnext,1,2\n', [row(1, 'a', 'two\nlines', 'b'), row(3, 'next', '1', '2')]],
    ['a,"two\r\nlines"\r\nb,c\r\n', [row(1, 'a', 'two\r\nlines'), row(3, 'b', 'c')]],
    ['"\n\n"\n', [row(1, '\n\n')]],
    ['\n\r\na,b\n\n', [row(3, 'a', 'b')]],
    // mod_cdr_csv's built-in template
    ['"a", "b"\n', [row(1, 'a', 'b')]],
    [' a , b \n', [row(1, ' a ', ' b ')]],
  ]
  for (const [body, rows] of cases) assert.deepEqual(read(body), rows, JSON.stringify(body))
})

test('an unbalanced quote invalidates only its own line', () => {
  const NEVER = 'Has a quoted cell that is never closed.'
  const AFTER = 'Has text after the closing quote of a cell.'
  const STRAY = 'Has a quote inside an unquoted cell.'
  const cases: [body: string, rows: Row[]][] = [
    ['1,"x,3\n4,5,6\n7,8,9\n', [bad(1, NEVER), row(2, '4', '5', '6'), row(3, '7', '8', '9')]],
    [
      '1,"x,3\n4,5,6\n7,"ok",9\na,b,c\n',
      [bad(1, AFTER), row(2, '4', '5', '6'), row(3, '7', 'ok', '9'), row(4, 'a', 'b', 'c')],
    ],
    ['1,"x\n2,"y\n3,"z"\n', [bad(1, AFTER), bad(2, AFTER), row(3, '3', 'z')]],
    ['a"b,c\nd,e\n', [bad(1, STRAY), row(2, 'd', 'e')]],
    ['"a"b,c\nd,e\n', [bad(1, AFTER), row(2, 'd', 'e')]],
    ['1,"x\n"two\nlines",b\n', [bad(1, AFTER), row(2, 'two\nlines', 'b')]],
  ]
  for (const [body, rows] of cases) assert.deepEqual(read(body), rows, JSON.stringify(body))
})

test('a cell that is never closed is rejected at the line limit, and a million short lines after it are all parsed', () => {
  const count = 1_000_000
  const rows = read(`1,"x\n${'a,b\n'.repeat(count)}`)
  assert.deepEqual(rows[0], { line: 1, error: 'Has a quoted cell that is never closed.' })
  assert.equal(rows.length, count + 1)
  assert.ok(LIMITS.line_bytes < count * 4)
  assert.ok(rows.slice(1).every((each, at) => 'cells' in each && each.cells.length === 2 && each.line === at + 2))
})

test('quoted cells are parsed unchanged between malformed lines', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r\n', ' ', 'é', '🏠', '|') })
  const cells = fc.array(cell, { minLength: 2, maxLength: 5 })
  fc.assert(
    fc.property(fc.array(cells, { maxLength: 20 }), (records) => {
      const body = records.map((record) => `${record.map(quoted).join(',')}\na"b,broken\n`).join('')
      const found = read(body)
      assert.deepEqual(
        found.filter((each) => 'cells' in each).map((each) => each.cells),
        records,
      )
      assert.equal(found.length, records.length * 2)
    }),
  )
})
