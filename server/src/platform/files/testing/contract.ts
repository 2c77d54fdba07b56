import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { PassThrough, Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { test } from 'node:test'
import { FileNotFound, FileTooLarge, type FileStore } from '../file-store.ts'

/** An empty store, and its folder of unfinished files. */
export interface FreshStore {
  files: FileStore
  temp: string
}

const digestOf = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

/** What holds for every file store. `S3: an empty file is a file`. */
export function testContract(name: string, fresh: () => Promise<FreshStore>): void {
  testContents(name, fresh)
  testNames(name, fresh)
  testStaging(name, fresh)
  testFailures(name, fresh)
}

function testContents(name: string, fresh: () => Promise<FreshStore>): void {
  test(`${name}: a file is named by the SHA-256 of its bytes and read back unchanged`, async () => {
    const { files } = await fresh()
    const content = randomBytes(300_000)
    const stored = await files.putStream(Readable.from([content.subarray(0, 7), content.subarray(7)]))
    assert.deepEqual(stored, { digest: digestOf(content), bytes: 300_000 })
    assert.deepEqual(await buffer(await files.read(stored.digest)), content)
    assert.equal((await files.stat(stored.digest))?.bytes, 300_000)
  })

  test(`${name}: text streams are stored as UTF-8 and counted in bytes`, async () => {
    const { files } = await fresh()
    const stored = await files.putStream(Readable.from(['grün', '€']))
    assert.deepEqual(stored, { digest: digestOf('grün€'), bytes: 8 })
  })

  test(`${name}: an empty file is a file`, async () => {
    const { files } = await fresh()
    const { digest, bytes } = await files.putStream(Readable.from([]))
    assert.equal(bytes, 0)
    assert.equal(await text(await files.read(digest)), '')
  })

  test(`${name}: a range includes its start, excludes its end, and stops at the end of the file`, async () => {
    const { files } = await fresh()
    const { digest } = await files.putStream(Readable.from([Buffer.from('0123456789')]))
    const grid: [{ start?: number; end?: number }, string][] = [
      [{}, '0123456789'],
      [{ start: 3 }, '3456789'],
      [{ end: 3 }, '012'],
      [{ start: 3, end: 4 }, '3'],
      [{ start: 8, end: 99 }, '89'],
      [{ start: 10 }, ''],
      [{ start: 5, end: 5 }, ''],
      [{ start: 0, end: 0 }, ''],
    ]
    for (const [range, expected] of grid)
      assert.equal(await text(await files.read(digest, range)), expected, JSON.stringify(range))
    for (const range of [{ start: -1 }, { start: 0.5 }, { end: Number.NaN }])
      await assert.rejects(files.read(digest, range), RangeError)
  })

  test(`${name}: the list has every file with size and time`, async () => {
    const { files } = await fresh()
    const put = [await files.putStream(Readable.from(['one'])), await files.putStream(Readable.from(['three']))]
    const listed = await Array.fromAsync(files.list())
    const sorted = (list: { digest: string; bytes: number }[]) => list.map((f) => `${f.digest} ${f.bytes}`).toSorted()
    assert.deepEqual(sorted(listed), sorted(put))
    for (const { written_at } of listed) assert.ok(Math.abs(Date.now() - written_at.getTime()) < 3_600_000)
  })
}

function testNames(name: string, fresh: () => Promise<FreshStore>): void {
  test(`${name}: a removed file is gone, and its place is named by its digest`, async () => {
    const { files } = await fresh()
    const { digest } = await files.putStream(Readable.from(['gone']))
    assert.ok(files.locate(digest).endsWith(`${digest.slice(0, 2)}/${digest.slice(2, 4)}/${digest}`))
    assert.equal(await files.remove(digest), true)
    assert.equal(await files.remove(digest), false)
    assert.equal(await files.stat(digest), null)
    await assert.rejects(files.read(digest), FileNotFound)
    await assert.rejects(files.read(digest, { start: 1, end: 1 }), FileNotFound)
    assert.deepEqual(await Array.fromAsync(files.list()), [])
  })

  test(`${name}: a digest argument that is not 64 hex characters is refused, so it is never a path`, async () => {
    const { files } = await fresh()
    for (const digest of ['', '../secret', 'a'.repeat(63), 'A'.repeat(64), `${'a'.repeat(64)}\n`]) {
      await assert.rejects(files.read(digest), RangeError)
      await assert.rejects(files.stat(digest), RangeError)
      await assert.rejects(files.remove(digest), RangeError)
    }
  })
}

function testStaging(name: string, fresh: () => Promise<FreshStore>): void {
  test(`${name}: a kept file is in the store, and nothing staged is left behind`, async () => {
    const { temp, files } = await fresh()
    const [kept, discarded] = [await files.stage(Readable.from(['kept'])), await files.stage(Readable.from(['other']))]
    assert.equal((await readdir(temp)).length, 2)
    await kept.keep()
    await kept.keep()
    for (const each of [kept, discarded]) await each.discard()
    assert.equal(await text(await files.read(kept.digest)), 'kept')
    assert.deepEqual(await readdir(temp), [])
  })

  test(`${name}: a staged file replaces an equal one that is removed meanwhile`, async () => {
    const { files } = await fresh()
    const { digest } = await files.putStream(Readable.from(['same']))
    const staged = await files.stage(Readable.from(['same']))
    await files.remove(digest)
    await staged.keep()
    assert.equal(await text(await files.read(digest)), 'same')
    await staged.discard()
  })

  test(`${name}: the same bytes put concurrently are one file`, async () => {
    const { files } = await fresh()
    const put = await Promise.all(Array.from({ length: 8 }, () => files.putStream(Readable.from(['same']))))
    assert.equal(new Set(put.map(({ digest }) => digest)).size, 1)
    assert.equal((await Array.fromAsync(files.list())).length, 1)
  })
}

async function* failing() {
  yield Buffer.from('half')
  throw new Error('connection lost')
}

function testFailures(name: string, fresh: () => Promise<FreshStore>): void {
  const isEmpty = async ({ temp, files }: FreshStore) => {
    assert.deepEqual(await readdir(temp), [])
    assert.deepEqual(await Array.fromAsync(files.list()), [])
  }

  test(`${name}: a stream past the limit is refused and leaves nothing behind`, async () => {
    const store = await fresh()
    const source = Readable.from([Buffer.alloc(60), Buffer.alloc(60)])
    await assert.rejects(store.files.putStream(source, { max_bytes: 100 }), FileTooLarge)
    assert.equal(source.destroyed, true)
    await isEmpty(store)
    assert.equal((await store.files.putStream(Readable.from([Buffer.alloc(100)]), { max_bytes: 100 })).bytes, 100)
  })

  test(`${name}: an abort ends a put whose source stalls, and leaves nothing behind`, async () => {
    const store = await fresh()
    const source = new PassThrough()
    source.write('half')
    const aborting = new AbortController()
    const putting = store.files.putStream(source, { signal: aborting.signal })
    aborting.abort()
    await assert.rejects(putting, { name: 'AbortError' })
    assert.equal(source.destroyed, true)
    const late = store.files.putStream(Readable.from(['x']), { signal: aborting.signal })
    await assert.rejects(late, { name: 'AbortError' })
    await isEmpty(store)
  })

  test(`${name}: a source that fails halfway leaves nothing behind`, async () => {
    const store = await fresh()
    await assert.rejects(store.files.putStream(Readable.from(failing())), /connection lost/)
    await isEmpty(store)
  })
}
