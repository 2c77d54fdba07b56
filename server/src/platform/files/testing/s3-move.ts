import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { eventually } from '../../../../test/support/eventually.ts'
import { testDatabase } from '../../../../test/support/database.ts'
import { openDatabase } from '../../db.ts'
import { silentLog } from '../../postgres/log.ts'
import { StartRefused } from '../../start-refused.ts'
import { checkBucketRecord, openJournal, openStores, type FileStore } from '../index.ts'
import type { S3Fixture } from './s3-failures.ts'

const entry = path.resolve(import.meta.dirname, '../../../start/files.ts')

/** `npm run files -- move`, with a kill in the middle, while files are read and written. */
export function testS3Move({ settings }: Pick<S3Fixture, 'settings'>): void {
  testDamagedFile(settings)

  test('S3: files are moved there and back, with a kill in the middle and no file ever unavailable', async (t) => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-move-'))
    t.after(() => rm(folder, { recursive: true }))
    const { url } = await testDatabase()
    const database = openDatabase({ connection: url, log: silentLog })
    t.after(() => database.close())
    const s3 = settings()
    const files_dir = path.join(folder, 'files')
    const storesOf = (store: 'local' | 's3') => openStores(files_dir, { store, s3 })
    const before = await storesOf('local')
    const contents = new Map<string, string>()
    const put = async (files: FileStore, content: string) => {
      contents.set((await files.putStream(Readable.from([content]))).digest, content)
    }
    for (let i = 10; i < 60; i++) await put(before.local, `file ${i}`)

    const move = (to: 'local' | 's3') => runMove({ url, folder, to, s3 })
    const copied = async () => (await database.db.selectFrom('file_copy').select('sha256').execute()).length
    const readSome = async ({ files }: { files: FileStore }, every: number) => {
      const some = [...contents].filter((_, index) => index % every === 0)
      await Promise.all(
        some.map(async ([digest, content]) => assert.equal(await text(await files.read(digest)), content)),
      )
    }
    const there = await storesOf('s3')
    await checkBucketRecord(database.db, { store: 's3', s3 })

    const killed = move('s3')
    await eventually(async () => (await copied()) >= 5)
    killed.kill()
    await killed.ended
    const done = await copied()
    assert.ok(done < 50, 'killed in the middle')
    await put(there.files, 'written during the move')
    await readSome(there, 5)

    const other = await openJournal(database, 's3')
    assert.match((await move('s3').ended).output, /Another process is moving files/)
    await other?.close()

    const second = move('s3')
    await readSome(there, 5)
    const { status, output } = await second.ended
    assert.equal(status, 0, output)
    assert.match(output, new RegExp(`Continuing: ${done} files`))
    assert.match(output, /50 files with 350 bytes were copied and compared\. No file is left to copy\.[^]*rm -r/)
    for (const name of await readdir(files_dir))
      if (name !== 'tmp') await rm(path.join(files_dir, name), { recursive: true })
    await readSome(there, 1)

    // a process that does not know the bucket would report its files as missing
    await assert.rejects(checkBucketRecord(database.db, { store: 'local', s3: null }), StartRefused)

    const back = await move('local').ended
    assert.equal(back.status, 0, back.output)
    assert.match(back.output, /51 files with 373 bytes were copied and compared/)
    await checkBucketRecord(database.db, { store: 'local', s3: null })
    await readSome({ files: before.local }, 1)
  })
}

function testDamagedFile(settings: S3Fixture['settings']): void {
  test('S3: a move stops at a damaged file and names it', async (t) => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-move-'))
    t.after(() => rm(folder, { recursive: true }))
    const { url } = await testDatabase()
    const s3 = settings()
    const { local } = await openStores(path.join(folder, 'files'), { store: 'local', s3: null })
    const { digest } = await local.putStream(Readable.from(['right']))
    await writeFile(path.join(folder, local.locate(digest)), 'wrong')
    const { status, output } = await runMove({ url, folder, to: 's3', s3 }).ended
    assert.equal(status, 1)
    assert.match(output, new RegExp(`^files/.*/${digest} is damaged\\. Restore it`))
  })
}

function runMove({
  url,
  folder,
  to,
  s3,
}: {
  url: string
  folder: string
  to: 'local' | 's3'
  s3: ReturnType<S3Fixture['settings']>
}): { ended: Promise<{ status: number | null; output: string }>; kill: () => void } {
  const child = spawn(process.execPath, [entry, 'move', '--to', to], {
    env: {
      ...process.env,
      DEMARC_MODE: 'demo',
      DEMARC_EMBEDDED: 'allow',
      DEMARC_DATA: folder,
      DEMARC_FILES: to,
      DEMARC_LOG_LEVEL: 'error',
      DATABASE_URL: url,
      CLICKHOUSE_URL: 'http://127.0.0.1:9',
      S3_BUCKET: s3.bucket,
      S3_ENDPOINT: s3.endpoint ?? '',
      S3_PREFIX: s3.prefix,
      S3_REQUEST_CHECKSUMS: s3.request_checksums,
      S3_RESPONSE_CHECKSUMS: s3.response_checksums,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  const ended = once(child, 'exit').then(async ([status]) => ({
    status: status as number | null,
    output: (await output).join(''),
  }))
  return { ended, kill: () => child.kill('SIGKILL') }
}
