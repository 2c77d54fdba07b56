import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, open, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { FileNotFound, FileTooLarge, openFiles } from './files.ts'

const base = await mkdtemp(join(tmpdir(), 'demarc-files-'))
after(() => rm(base, { recursive: true }))
const hour_ago = new Date(Date.now() - 3_600_000)

async function freshStore() {
  const folder = await mkdtemp(join(base, 'store-'))
  return { folder, files: await openFiles(folder) }
}

test('a file is named by the SHA-256 of its bytes and read back unchanged', async () => {
  const { files } = await freshStore()
  const content = randomBytes(300_000)
  const stored = await files.putStream(Readable.from([content.subarray(0, 7), content.subarray(7)]))
  assert.deepEqual(stored, { digest: createHash('sha256').update(content).digest('hex'), bytes: 300_000 })
  assert.deepEqual(await buffer(await files.read(stored.digest)), content)
  assert.equal((await files.stat(stored.digest))?.bytes, 300_000)
})

test('text streams are stored as UTF-8 and counted in bytes', async () => {
  const { files } = await freshStore()
  const stored = await files.putStream(Readable.from(['grün', '€']))
  assert.equal(stored.bytes, 8)
  assert.equal(stored.digest, createHash('sha256').update('grün€').digest('hex'))
})

test('an empty file is a file', async () => {
  const { files } = await freshStore()
  const { digest, bytes } = await files.putStream(Readable.from([]))
  assert.equal(bytes, 0)
  assert.equal((await buffer(await files.read(digest))).length, 0)
})

test('a range includes its start, excludes its end, and stops at the end of the file', async () => {
  const { files } = await freshStore()
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
  for (const [range, expected] of grid) {
    assert.equal((await buffer(await files.read(digest, range))).toString(), expected, JSON.stringify(range))
  }
  for (const range of [{ start: -1 }, { start: 0.5 }, { end: Number.NaN }]) {
    await assert.rejects(files.read(digest, range), RangeError)
  }
})

test('files are readable by their owner only', async () => {
  const { folder, files } = await freshStore()
  const { digest } = await files.putStream(Readable.from(['x']))
  const modes = async (...parts: string[]) => ((await stat(join(folder, ...parts))).mode & 0o777).toString(8)
  assert.equal(await modes('tmp'), '700')
  assert.equal(await modes(digest.slice(0, 2)), '700')
  assert.equal(await modes(digest.slice(0, 2), digest.slice(2, 4)), '700')
  assert.equal(await modes(digest.slice(0, 2), digest.slice(2, 4), digest), '600')
})

test('a digest argument that is not 64 hex characters is refused, so it is never a path', async () => {
  const { folder, files } = await freshStore()
  await writeFile(join(folder, 'secret'), 'x')
  for (const digest of [
    '',
    '../secret',
    'secret',
    'a'.repeat(63),
    'A'.repeat(64),
    `${'a'.repeat(64)}\n`,
    `../${'a'.repeat(61)}`,
  ]) {
    await assert.rejects(files.read(digest), RangeError)
    await assert.rejects(files.stat(digest), RangeError)
    await assert.rejects(files.remove(digest), RangeError)
  }
})

test('a missing file is reported before the first byte', async () => {
  const { files } = await freshStore()
  const digest = 'ab'.repeat(32)
  await assert.rejects(files.read(digest), FileNotFound)
  assert.equal(await files.stat(digest), null)
  assert.equal(await files.remove(digest), false)
})

test('a stream past the limit is refused and leaves nothing behind', async () => {
  const { folder, files } = await freshStore()
  const source = Readable.from([Buffer.alloc(60), Buffer.alloc(60)])
  await assert.rejects(files.putStream(source, { max_bytes: 100 }), FileTooLarge)
  assert.equal(source.destroyed, true)
  assert.deepEqual(await readdir(folder, { recursive: true }), ['tmp'])
  assert.equal((await files.putStream(Readable.from([Buffer.alloc(100)]), { max_bytes: 100 })).bytes, 100)
})

test('a staged file is in the store only when it is kept, and one that is discarded leaves nothing behind', async () => {
  const { folder, files } = await freshStore()
  const [kept, given_up] = [await files.stage(Readable.from(['kept'])), await files.stage(Readable.from(['given up']))]
  assert.equal(await files.stat(kept.digest), null)
  assert.equal((await readdir(join(folder, 'tmp'))).length, 2)
  await kept.keep()
  for (const each of [kept, given_up]) await each.discard()
  assert.equal((await buffer(await files.read(kept.digest))).toString(), 'kept')
  assert.equal(await files.stat(given_up.digest), null)
  assert.deepEqual(await readdir(join(folder, 'tmp')), [])
  await kept.keep()
  await assert.rejects(given_up.keep(), { code: 'ENOENT' })
})

test('a staged file replaces an equal one that is removed meanwhile, and is as new as its keeping', async () => {
  const { folder, files } = await freshStore()
  const { digest } = await files.putStream(Readable.from(['same']))
  const staged = await files.stage(Readable.from(['same']))
  const [draft = ''] = await readdir(join(folder, 'tmp'))
  await utimes(join(folder, 'tmp', draft), hour_ago, hour_ago)
  await files.remove(digest)
  await staged.keep()
  assert.equal(await files.remove(digest, { written_before: new Date(Date.now() - 60_000) }), false)
  assert.equal((await buffer(await files.read(digest))).toString(), 'same')
})

test('an abort ends a put whose source stalls, and leaves nothing behind', async () => {
  const { folder, files } = await freshStore()
  const source = new PassThrough()
  source.write('half')
  const aborting = new AbortController()
  const putting = files.putStream(source, { signal: aborting.signal })
  aborting.abort()
  await assert.rejects(putting, { name: 'AbortError' })
  assert.equal(source.destroyed, true)
  await assert.rejects(files.putStream(Readable.from(['x']), { signal: aborting.signal }), { name: 'AbortError' })
  assert.deepEqual(await readdir(folder, { recursive: true }), ['tmp'])
})

async function* failing() {
  yield Buffer.from('half')
  throw new Error('connection lost')
}

test('a source that fails half-way leaves nothing behind', async () => {
  const { folder, files } = await freshStore()
  await assert.rejects(files.putStream(Readable.from(failing())), /connection lost/)
  assert.deepEqual(await readdir(folder, { recursive: true }), ['tmp'])
})

test('a disk that fails while a large file is still written is reported, also when its end can be written', async (t) => {
  const { folder, files } = await freshStore()
  const handle = await open(join(base, 'any'), 'w')
  await handle.close()
  const prototype = Object.getPrototypeOf(handle) as Record<'datasync' | 'writeFile', () => Promise<void>>
  const chunk = Buffer.alloc(1024 * 1024)
  for (const method of ['datasync', 'writeFile'] as const) {
    const failing = t.mock.method(prototype, method, () => Promise.reject(new Error('the disk failed')))
    await assert.rejects(files.putStream(Readable.from(Array.from({ length: 20 }, () => chunk))), /the disk failed/)
    assert.deepEqual(await readdir(folder, { recursive: true }), ['tmp'])
    failing.mock.restore()
  }
})

test('the same bytes put many times at once are one file', async () => {
  const { files } = await freshStore()
  const put = await Promise.all(Array.from({ length: 8 }, () => files.putStream(Readable.from(['same']))))
  assert.equal(new Set(put.map((stored) => stored.digest)).size, 1)
  assert.equal((await Array.fromAsync(files.list())).length, 1)
})

function byDigest(a: { digest: string }, b: { digest: string }): number {
  return a.digest.localeCompare(b.digest)
}

test('the list has every file with size and time, and nothing else', async () => {
  const { folder, files } = await freshStore()
  const put = [await files.putStream(Readable.from(['one'])), await files.putStream(Readable.from(['three']))]
  await writeFile(join(folder, 'tmp', 'draft'), 'x')
  await writeFile(join(folder, 'README'), 'x')
  const listed = await Array.fromAsync(files.list())
  assert.deepEqual(listed.map(({ digest, bytes }) => ({ digest, bytes })).toSorted(byDigest), put.toSorted(byDigest))
  for (const { written_at } of listed) assert.ok(written_at > hour_ago)
})

test('a file put again during a sweep is not removed by it', async () => {
  const { folder, files } = await freshStore()
  const { digest } = await files.putStream(Readable.from(['orphan']))
  const path = join(folder, digest.slice(0, 2), digest.slice(2, 4), digest)
  const long_ago = new Date(hour_ago.getTime() - 3_600_000)
  await utimes(path, long_ago, long_ago)
  assert.deepEqual((await files.stat(digest))?.written_at, long_ago)

  await files.putStream(Readable.from(['orphan']))
  assert.equal(await files.remove(digest, { written_before: hour_ago }), false)
  await utimes(path, long_ago, long_ago)
  assert.equal(await files.remove(digest, { written_before: hour_ago }), true)
  assert.equal(await files.stat(digest), null)
})

test('old drafts of a dead process are removed, recent ones stay', async () => {
  const { folder, files } = await freshStore()
  const old_draft = join(folder, 'tmp', '0123456789abcdef-1-1-00000000-0000-4000-8000-000000000001')
  const recent_draft = join(folder, 'tmp', '0123456789abcdef-1-1-00000000-0000-4000-8000-000000000002')
  for (const draft of [old_draft, recent_draft]) await writeFile(draft, 'x')
  const long_ago = new Date(hour_ago.getTime() - 1)
  await utimes(old_draft, long_ago, long_ago)
  assert.equal(await files.sweepTemp(hour_ago), 1)
  assert.deepEqual(await readdir(join(folder, 'tmp')), [basename(recent_draft)])
})

test(
  'a draft is removed at once when the process that writes it is killed, and never before',
  { skip: process.platform !== 'linux' && 'nothing is known of other processes' },
  async () => {
    const { folder, files } = await freshStore()
    const drafts = () => readdir(join(folder, 'tmp'))
    const writer = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { openFiles } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'files.ts')).href)}
         const files = await openFiles(process.argv[1])
         void files.putStream(process.stdin)
         process.stdin.once('data', () => console.log('writing'))`,
        folder,
      ],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    )
    writer.stdin.write('half')
    await once(writer.stdout, 'data')
    while ((await drafts()).length === 0);
    assert.equal(await files.sweepTemp(new Date(0)), 0)
    writer.kill('SIGKILL')
    await once(writer, 'exit')
    assert.equal(await files.sweepTemp(new Date(0)), 1)
    assert.deepEqual(await drafts(), [])
  },
)
