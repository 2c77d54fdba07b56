import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from './limits.ts'
import { Lines, type Line } from './lines.ts'

function cut(chunks: readonly Buffer[]): Cut[] {
  const lines = new Lines()
  const all: Line[] = [...chunks.flatMap((chunk) => lines.take(chunk)), ...lines.end()]
  return all.map((each) => ('text' in each ? line(each.number, each.text) : each))
}

type Cut = { number: number; text: string } | { number: number; error: string }

function inChunks(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))
}

const line = (number: number, text: string): Cut => ({ number, text })

test('a body is split into the same lines regardless of its chunks', () => {
  const body = Buffer.from('first\r\n\nzwölf Häuser 🏠\nlast without an end')
  const expected = [line(1, 'first\r'), line(2, ''), line(3, 'zwölf Häuser 🏠'), line(4, 'last without an end')]
  for (let size = 1; size <= body.length; size += 1) assert.deepEqual(cut(inChunks(body, size)), expected, `${size}`)
})

test('a final line feed does not start another line, and an empty body has no lines', () => {
  assert.deepEqual(cut([Buffer.from('a\nb\n')]), [line(1, 'a'), line(2, 'b')])
  assert.deepEqual(cut([]), [])
  assert.deepEqual(cut([Buffer.from('\n\n')]), [line(1, ''), line(2, '')])
})

test('a byte order mark is dropped only at the beginning', () => {
  const body = Buffer.from('\uFEFFa\n\uFEFFb\n')
  for (const size of [1, 2, 3, 4, 100]) assert.deepEqual(cut(inChunks(body, size)), [line(1, 'a'), line(2, '\uFEFFb')])
})

test('only the line that is not UTF-8 is rejected', () => {
  const body = Buffer.concat([Buffer.from('good\ncaf'), Buffer.from([0xe9]), Buffer.from('\nalso gööd\n\n')])
  const expected = [line(1, 'good'), { number: 2, error: 'Is not UTF-8.' }, line(3, 'also gööd'), line(4, '')]
  for (const size of [1, 7, 100]) assert.deepEqual(cut(inChunks(body, size)), expected)
})

test('a line at the limit is read, one byte more is rejected, and the lines around it are read', () => {
  const most = 'x'.repeat(LIMITS.line_bytes)
  for (const size of [1000, LIMITS.chunk_bytes]) {
    const lines = cut(inChunks(Buffer.from(`before\n${most}\n${most}x\nafter\n${most}x`), size))
    assert.deepEqual(
      lines.map((each) => ('text' in each ? each.text.length : each.error)),
      [6, LIMITS.line_bytes, 'Is longer than 1048576 bytes.', 5, 'Is longer than 1048576 bytes.'],
    )
    assert.deepEqual(
      lines.map((each) => each.number),
      [1, 2, 3, 4, 5],
    )
  }
})
