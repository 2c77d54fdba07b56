import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import fc from 'fast-check'
import { testDatabase } from '../../../test/support/database.ts'
import { openDatabase, readList } from '../db.ts'
import { silentLog } from './log.ts'
import { RowTap } from './row-bytes.ts'

/** What JSON and decoders may trip over: quotes, control characters, line separators, other scripts, and what is long. */
const characters = [
  '"',
  '\\',
  '\u0001',
  '\t',
  '\n',
  '\u007f',
  '\u0080',
  'é',
  'Ñ',
  '\u2028',
  '\u2029',
  '東',
  '😀',
  'a',
  ' ',
]
const texts = fc.oneof(
  fc.string({ unit: fc.constantFrom(...characters), maxLength: 80 }),
  fc.string({ unit: 'binary', maxLength: 70 }).map((text) => text.replaceAll('\0', '').toWellFormed()),
  fc.constantFrom(
    '',
    'x'.repeat(63),
    'x'.repeat(64),
    'x'.repeat(65),
    'é'.repeat(32),
    'é'.repeat(33),
    'y'.repeat(100_000),
  ),
)

test('rows read from packets are those that the driver reads, of any text, number and time, and of null', async (t) => {
  const { url } = await testDatabase(t, { migrated: false })
  const { db, pool, close } = openDatabase({ connection: url, pool_size: 1, log: silentLog })
  t.after(close)
  const text = `
    select n as id, t as text, t::varchar as short, n / 3.0 as ratio, n % 2 = 0 as even, n::int as whole, n::float8 as float,
      '2026-01-31T23:59:59.999Z'::timestamptz + n * interval '37 days 1 second' as at, date '2026-01-31' + n::int as day,
      array[t, null] as texts, json_build_object('t', t) as json, to_jsonb(t) as jsonb, decode(md5(t), 'hex') as bytes,
      nullif(n % 3, 0) as sometimes, null::timestamptz as never
    from unnest($1::text[]) with ordinality as given (t, n)`
  await fc.assert(
    fc.asyncProperty(fc.array(texts, { maxLength: 12 }), async (given) => {
      const { rows } = await pool.query({ text, values: [given] })
      const read = await readList(db, text, [given])
      assert.deepEqual(read, rows)
      assert.equal(JSON.stringify(read), JSON.stringify(rows))
    }),
    { numRuns: 60 },
  )
})

/** A message of the protocol. */
function message(letter: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(letter)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

test('messages arrive whole and in their order, wherever their packets were cut, rows at the sink and all others at the parser', () => {
  const bodies = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes))
  const messages = fc.array(fc.tuple(fc.constantFrom('D', 'C', 'T', 'Z', '2'), bodies), { maxLength: 12 })
  const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(messages, cuts, fc.boolean(), (given, lengths, tapped) => {
      const all = given.map(([letter, body]) => message(letter, body))
      const bytes = Buffer.concat(all)
      const seen: [by: 'parser' | 'sink', part: Buffer][] = []
      const stream = new PassThrough()
      stream.on('data', (packet: Buffer) => seen.push(['parser', Buffer.from(packet)]))
      const tap = RowTap.of(stream) ?? assert.fail('it has one listener')
      if (tapped) tap.sink = (packet, from, to) => seen.push(['sink', Buffer.from(packet.subarray(from, to))])
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const length = lengths[i % lengths.length] ?? 1
        stream.emit('data', bytes.subarray(at, at + length))
        at += length
      }
      assert.deepEqual(Buffer.concat(seen.map(([, part]) => part)), bytes)
      const rows = seen.filter(([by]) => by === 'sink').map(([, part]) => part)
      const expected = all.filter((_, i) => tapped && given[i]?.[0] === 'D')
      assert.deepEqual(Buffer.concat(rows), Buffer.concat(expected))
    }),
    { numRuns: 1_000 },
  )
})

test('a stream that is read in another way is left alone', () => {
  const stream = new PassThrough()
  assert.equal(RowTap.of(stream), undefined)
  stream.on('data', () => undefined)
  stream.on('data', () => undefined)
  assert.equal(RowTap.of(stream), undefined)
  assert.equal(stream.listenerCount('data'), 2)
})
