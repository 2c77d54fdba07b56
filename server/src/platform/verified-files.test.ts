import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm, truncate, utimes } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { startTestServer } from '../../test/support/server.ts'
import { listEvents, operatorChain } from './events.ts'
import { scrubFiles, scrubProgress } from './file-scrub.ts'
import type { NamedFile } from './rows.ts'
import { FileDamaged, readVerified, verifyFile } from './verified-files.ts'

const server = await startTestServer()
const { deps, installation } = server.runtime
const { files, db } = deps
const { signal } = new AbortController()

const pathOf = (sha256: string) => path.join(installation.files_dir, sha256.slice(0, 2), sha256.slice(2, 4), sha256)

/** Stores random bytes as a file of an export. */
async function stored(bytes: number): Promise<NamedFile & { bytes: number; content: Buffer }> {
  const content = randomBytes(bytes)
  const { digest } = await files.putStream(Readable.from([content]))
  return { sha256: digest, bytes, account_id: server.account.id, used_by: 'export 7', content }
}

/** Inverts a byte without changing the file's size or time, as decay does. */
async function flip({ sha256 }: NamedFile, at: number): Promise<void> {
  const file = await open(pathOf(sha256), 'r+')
  try {
    const { mtime } = await file.stat()
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, at)
    await file.write(Buffer.from([255 - (buffer[0] ?? 0)]), 0, 1, at)
    await file.utimes(mtime, mtime)
  } finally {
    await file.close()
  }
}

async function received(stream: Readable): Promise<{ bytes: Buffer; error: unknown }> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk)
    return { bytes: Buffer.concat(chunks), error: null }
  } catch (error) {
    return { bytes: Buffer.concat(chunks), error }
  }
}

const damagedFiles = async () =>
  (await server.operator.listAlerts()).body.data
    .filter(({ attributes }) => attributes.kind === 'file-damaged')
    .map(({ attributes }) => attributes.subject)
const isAlerted = async ({ sha256 }: NamedFile) => (await damagedFiles()).includes(sha256)
const refused = { name: 'Problem', type: 'file-damaged' }

const small = 1000
const large = 3 * 1024 * 1024

test('an intact file and its ranges are read in full', async () => {
  for (const bytes of [0, 1, small, large]) {
    const { content, ...file } = await stored(bytes)
    assert.deepEqual((await received(await readVerified(deps, file))).bytes, content)
    const range = { start: Math.floor(bytes / 3), end: Math.floor(bytes / 2) }
    const part = await received(await readVerified(deps, file, range))
    assert.deepEqual(part.bytes, content.subarray(range.start, range.end))
  }
  assert.deepEqual(await damagedFiles(), [])
})

test('a small file with one altered byte is refused before its first byte', async () => {
  const file = await stored(small)
  await flip(file, 500)
  await assert.rejects(readVerified(deps, file), refused)
  await assert.rejects(readVerified(deps, file, { start: 0, end: 10 }), refused)
  assert.ok(await isAlerted(file))
  const [event] = await listEvents(db, { chain_id: operatorChain, type: 'alert.raised', limit: 1, offset: 0 })
  assert.match(JSON.stringify(event?.data), new RegExp(file.sha256))
})

test('of a large altered file, the last chunk is withheld, and the next request is refused at once', async () => {
  for (const at of [0, large - 1]) {
    const file = await stored(large)
    await flip(file, at)
    const { bytes, error } = await received(await readVerified(deps, file))
    assert.ok(error instanceof FileDamaged)
    assert.ok(bytes.length < large)
    assert.ok(await isAlerted(file))
    await assert.rejects(readVerified(deps, file), refused)
    assert.equal((await damagedFiles()).filter((each) => each === file.sha256).length, 1, 'one alert')
  }
})

test('a range of an altered file is refused, also when the range itself is intact', async () => {
  const file = await stored(large)
  await flip(file, large - 1)
  await assert.rejects(readVerified(deps, file, { start: 0, end: 10 }), refused)
})

test('ranges of one file are compared once, and again when the file changed', async () => {
  const { content, ...file } = await stored(large)
  let reads = 0
  const counted = {
    ...deps,
    files: {
      ...files,
      read: (...args: Parameters<typeof files.read>) => (args[1] || (reads += 1), files.read(...args)),
    },
  }
  const ranges = Array.from({ length: 5 }, (_, index) => ({ start: index * 100, end: index * 100 + 50 }))
  for (const part of await Promise.all(ranges.map((range) => readVerified(counted, file, range)))) await received(part)
  assert.equal(reads, 1)
  await utimes(pathOf(file.sha256), new Date(), new Date())
  const part = await received(await readVerified(counted, file, { start: 7, end: 9 }))
  assert.deepEqual(part.bytes, content.subarray(7, 9))
  assert.equal(reads, 2)
})

test('a truncated and a missing file are refused, and a restored one is sent and ends the alert', async () => {
  const { content, ...file } = await stored(large)
  await rename(pathOf(file.sha256), `${pathOf(file.sha256)}.backup`)
  await assert.rejects(readVerified(deps, file), refused)
  await mkdir(path.dirname(pathOf(file.sha256)), { recursive: true })
  await rename(`${pathOf(file.sha256)}.backup`, pathOf(file.sha256))
  assert.deepEqual((await received(await readVerified(deps, file))).bytes, content)
  assert.equal(await isAlerted(file), false)
  await truncate(pathOf(file.sha256), large - 1)
  await assert.rejects(readVerified(deps, file), refused)
  assert.ok(await isAlerted(file))
})

test('a missing file that no row needs anymore is the error of the row', async () => {
  const file = await stored(small)
  await files.remove(file.sha256)
  const expired = new Error('expired')
  await assert.rejects(
    readVerified(deps, file, undefined, () => Promise.resolve(expired)),
    expired,
  )
  assert.equal(await isAlerted(file), false)
})

test('a client that stops reading leaves no alert', async () => {
  const file = await stored(large)
  const stream = await readVerified(deps, file)
  for await (const _ of stream) break
  assert.ok(stream.destroyed)
  assert.equal(await isAlerted(file), false)
})

test('a check of all files finds altered and missing ones in slices, and resolves alerts', async () => {
  const good = await stored(small)
  const altered = await stored(large)
  const missing = await stored(small)
  await flip(altered, 12)
  await rm(pathOf(missing.sha256))
  const all = [good, altered, missing].toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1))
  const sources = [
    async (_: unknown, from: string, limit: number) => all.filter(({ sha256 }) => sha256 >= from).slice(0, limit),
    async () => [],
  ]
  assert.equal(await scrubFiles(deps, sources, signal), false)
  const found = await damagedFiles()
  assert.deepEqual(
    new Set(found),
    new Set([altered.sha256, missing.sha256]),
    'alerts of files without a row are resolved',
  )
  assert.equal((await scrubProgress(db)).progress, 1)
  assert.ok((await scrubProgress(db)).finished_s > 0)

  await files.putStream(Readable.from([altered.content]))
  assert.equal(await scrubFiles(deps, sources, signal), false)
  assert.ok(await isAlerted(altered), 'the next check is not due')
  await db.updateTable('file_scrub').set({ finished_at: null, next_sha256: null }).execute()
  await scrubFiles(deps, sources, signal)
  assert.deepEqual(await damagedFiles(), [missing.sha256])
})

test('a stopped check continues where it stopped', async () => {
  await db.updateTable('file_scrub').set({ finished_at: null, next_sha256: null }).execute()
  const all = (await Promise.all([stored(small), stored(small), stored(small)])).toSorted((a, b) =>
    a.sha256 < b.sha256 ? -1 : 1,
  )
  const stop = new AbortController()
  const read: string[] = []
  const stopping = {
    ...deps,
    files: {
      ...files,
      read: (sha256: string) => {
        read.push(sha256)
        if (read.length === 2) stop.abort()
        return files.read(sha256)
      },
    },
  }
  const sources = [
    async (_: unknown, from: string, limit: number) => all.filter(({ sha256 }) => sha256 >= from).slice(0, limit),
  ]
  await assert.rejects(scrubFiles(stopping, sources, stop.signal), { name: 'AbortError' })
  const { progress } = await scrubProgress(db)
  assert.ok(progress < 1)
  assert.equal(await scrubFiles(stopping, sources, signal), false)
  assert.deepEqual(read, [all[0]?.sha256, all[1]?.sha256, all[1]?.sha256, all[2]?.sha256])
})

test('a file is compared before it is used', async () => {
  const file = await stored(large)
  await verifyFile(deps, { ...file, bytes: null })
  await flip(file, 1)
  await assert.rejects(verifyFile(deps, { ...file, bytes: null }), FileDamaged)
})
