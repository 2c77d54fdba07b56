import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, open, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { openLocalFiles } from './local.ts'
import { testContract } from './testing/contract.ts'

const base = await mkdtemp(join(tmpdir(), 'demarc-files-'))
after(() => rm(base, { recursive: true }))
const hour_ago = new Date(Date.now() - 3_600_000)

async function freshStore() {
  const folder = await mkdtemp(join(base, 'store-'))
  return { folder, files: await openLocalFiles(folder) }
}

testContract('local', async () => {
  const { folder, files } = await freshStore()
  return { files, temp: join(folder, 'tmp') }
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

test('a staged file is in the store only when it is kept', async () => {
  const { files } = await freshStore()
  const [kept, discarded] = [
    await files.stage(Readable.from(['kept'])),
    await files.stage(Readable.from(['discarded'])),
  ]
  assert.equal(await files.stat(kept.digest), null)
  await kept.keep()
  for (const each of [kept, discarded]) await each.discard()
  assert.equal(await files.stat(discarded.digest), null)
  await assert.rejects(discarded.keep(), { code: 'ENOENT' })
})

test('a disk error in the middle of a large file is reported even if the rest can be written', async (t) => {
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

test('the list ignores what is not a file of the store', async () => {
  const { folder, files } = await freshStore()
  const { digest } = await files.putStream(Readable.from(['one']))
  await writeFile(join(folder, 'tmp', 'draft'), 'x')
  await writeFile(join(folder, 'README'), 'x')
  assert.deepEqual(
    (await Array.fromAsync(files.list())).map((file) => file.digest),
    [digest],
  )
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
  'a draft is removed immediately after its process is killed, and never before',
  { skip: process.platform !== 'linux' && 'nothing is known of other processes' },
  async () => {
    const { folder, files } = await freshStore()
    const drafts = () => readdir(join(folder, 'tmp'))
    const writer = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { openLocalFiles } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'local.ts')).href)}
         const files = await openLocalFiles(process.argv[1])
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
