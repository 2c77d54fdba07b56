import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { constants, createZstdCompress, gzipSync, zstdCompressSync } from 'node:zlib'
import { Problem } from '../../../platform/problem.ts'
import { DamagedBody, decode } from './decode.ts'
import { LIMITS } from './limits.ts'
import { inChunks } from './testing/bodies.ts'

const TEXT = Buffer.concat([Buffer.from('the same line again\n'.repeat(20_000)), randomBytes(50_000)])

const checked = (bytes: Buffer) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })
const COMPRESS = { gzip: (bytes: Buffer) => gzipSync(bytes), zstd: checked } as const

async function readAll(stream: Readable, encoding?: string): Promise<Buffer> {
  const found: Buffer[] = []
  for await (const chunk of decode(stream, encoding)) {
    assert.ok(chunk.length <= LIMITS.chunk_bytes)
    found.push(Buffer.from(chunk))
  }
  return Buffer.concat(found)
}

/** The bytes before the error, and the error. */
async function untilDamage(body: Buffer, encoding: string): Promise<{ bytes: number; damage: DamagedBody }> {
  let bytes = 0
  try {
    for await (const chunk of decode(inChunks(body), encoding)) bytes += chunk.length
  } catch (error) {
    assert.ok(error instanceof DamagedBody, String(error))
    return { bytes, damage: error }
  }
  throw new assert.AssertionError({ message: 'a damaged body passed' })
}

test('a plain body is read in chunks up to the limit, regardless of how it was sent', async () => {
  for (const encoding of [undefined, '', 'identity', ' Identity '])
    for (const size of [999, TEXT.length]) assert.ok(TEXT.equals(await readAll(inChunks(TEXT, size), encoding)))
  assert.equal((await readAll(Readable.from(['gr', 'ün']))).toString(), 'grün')
})

test("a chunk's memory is freed when the next one is requested, unless it is shared", async () => {
  const own = Buffer.alloc(3 * LIMITS.chunk_bytes)
  const shared = Buffer.alloc(2 * LIMITS.chunk_bytes)
  let [chunks, bytes] = [0, 0]
  for await (const chunk of decode(Readable.from([own, shared.subarray(1)]), undefined)) {
    chunks += 1
    bytes += chunk.length
  }
  assert.deepEqual([chunks, bytes], [5, 3 * LIMITS.chunk_bytes + 2 * LIMITS.chunk_bytes - 1])
  assert.deepEqual([own.length, shared.length], [0, 2 * LIMITS.chunk_bytes])
})

test('gzip and zstd are decoded, case-insensitively', async () => {
  for (const [encoding, compress] of [
    ['gzip', COMPRESS.gzip],
    ['GZIP', COMPRESS.gzip],
    ['x-gzip', COMPRESS.gzip],
    ['zstd', COMPRESS.zstd],
    [' Zstd', COMPRESS.zstd],
  ] as const)
    for (const size of [1, 1000, 1 << 20]) {
      const short = TEXT.subarray(0, size === 1 ? 3000 : TEXT.length)
      assert.ok(short.equals(await readAll(inChunks(compress(short), size), encoding)), `${encoding} ${size}`)
    }
})

test('concatenated compressed bodies are read to their end, wherever the chunks are split', async () => {
  const parts = [TEXT.subarray(0, 5), TEXT.subarray(5, 90_000), TEXT.subarray(90_000, 90_001), TEXT.subarray(90_001)]
  for (const [encoding, compress] of Object.entries(COMPRESS)) {
    const body = Buffer.concat(parts.map(compress))
    const first = compress(parts[0] ?? TEXT).length
    for (const size of [first - 1, first, first + 1, 777, body.length])
      assert.ok(TEXT.equals(await readAll(inChunks(body, size), encoding)), `${encoding} ${size}`)
  }
})

test('a body truncated anywhere is damaged, and the bytes before that point are returned', async () => {
  for (const [encoding, compress] of Object.entries(COMPRESS)) {
    const body = Buffer.concat([compress(TEXT), compress(TEXT)])
    for (const cut of [0, 1, 5, 20, body.length / 4, body.length / 2 + 1, body.length / 2 + 100, body.length - 1]) {
      const { bytes, damage } = await untilDamage(body.subarray(0, cut), encoding)
      assert.equal(damage.message, 'unexpected end of file', `${encoding} ${cut}`)
      assert.equal(damage.after_bytes, Math.floor(cut))
      if (cut > body.length / 2 + 1) assert.ok(bytes >= TEXT.length)
    }
  }
})

test('a body with a flipped bit, of another encoding, or with trailing data is damaged', async () => {
  for (const [encoding, compress] of Object.entries(COMPRESS)) {
    const good = compress(TEXT)
    const flipped = Buffer.from(good)
    flipped.writeUInt8(flipped.readUInt8(good.length >> 1) ^ 4, good.length >> 1)
    const other = encoding === 'gzip' ? COMPRESS.zstd(TEXT) : COMPRESS.gzip(TEXT)
    for (const body of [flipped, TEXT, other, Buffer.concat([good, Buffer.from('more')])])
      await untilDamage(body, encoding)
  }
})

test('a zstd body with a window above the limit is rejected', async () => {
  const zip = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: LIMITS.zstd_window_log + 1 } })
  // a stream does not know its length in advance, so it declares its whole window
  zip.write('little')
  zip.end()
  const { damage } = await untilDamage(await buffer(zip), 'zstd')
  assert.match(damage.message, /memory/)
})

test('any other encoding is a 415 that lists the supported ones', () => {
  for (const encoding of ['br', 'deflate', 'gzip, gzip', 'compress']) {
    assert.throws(
      () => decode(inChunks(''), encoding),
      (error) =>
        error instanceof Problem &&
        error.type === 'unsupported-media-type' &&
        error.options.headers?.['accept-encoding'] === 'gzip, zstd',
      encoding,
    )
  }
})

test('a reader that stops does not destroy the stream', async () => {
  for (const encoding of ['identity', 'gzip', 'zstd']) {
    const compress =
      encoding === 'gzip' ? COMPRESS.gzip : encoding === 'zstd' ? COMPRESS.zstd : (bytes: Buffer) => bytes
    const stream = inChunks(compress(TEXT), 5000)
    for await (const _ of decode(stream, encoding)) break
    assert.equal(stream.destroyed, false, encoding)
  }
})

test('a stream error is thrown to the reader', async () => {
  for (const encoding of ['identity', 'gzip', 'zstd']) {
    const stream = new Readable({ read() {} })
    stream.push(encoding === 'gzip' ? COMPRESS.gzip(TEXT).subarray(0, 100) : Buffer.alloc(0))
    const reading = readAll(stream, encoding)
    await sleep(10)
    stream.destroy(new Error('the line is dead'))
    await assert.rejects(reading, { message: 'the line is dead' }, encoding)
  }
})

test('a decompression bomb is decompressed only as far as it is read', async () => {
  const bomb = gzipSync(Buffer.alloc(64 << 20))
  assert.ok(bomb.length < 100_000)
  const before = process.memoryUsage().arrayBuffers
  const chunks = decode(inChunks(bomb, bomb.length), 'gzip')
  await chunks.next()
  await sleep(100)
  const buffered = process.memoryUsage().arrayBuffers - before
  assert.ok(buffered < 8 << 20, `${buffered} bytes buffered`)
  await chunks.return(undefined)
})
