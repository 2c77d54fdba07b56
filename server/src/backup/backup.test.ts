import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, unlink, utimes, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { testDatabase } from '../../test/support/database.ts'
import { testEngine, testWarehouse } from '../../test/support/engine.ts'
import { completedExport } from '../../test/support/exports.ts'
import { startTestServer } from '../../test/support/server.ts'
import { callRecord } from '../engines/call-records/testing/records.ts'
import { openConnection } from '../platform/db.ts'
import {
  backUp,
  beginRestore,
  checkMigrations,
  readManifest,
  readStored,
  restoreCalls,
  restoreDatabase,
  verifyFiles,
  verifyRestored,
  type Backup,
} from './index.ts'
import * as store from './store.ts'

const { socket } = await testEngine()
const server = await startTestServer({ worker: true, engine_socket: socket })
const { database, warehouse, deps, installation } = server.runtime
const stores = { database, files: deps.files, warehouse }
const { account } = server

const root = await mkdtemp(path.join(os.tmpdir(), 'demarc-test-'))
after(() => rm(root, { recursive: true }))

const call = (id: string, month = 3) =>
  callRecord({ account_id: account.id, id, start_time: new Date(Date.UTC(2025, month - 1, 5)) })

let seconds = 0
const secret = { name: 'secrets.env', content: Buffer.from('DEMARC_PEPPER=secret') }
const backUpInto = (dir: string, recipients: string[] = [], keep: number | null = null) =>
  backUp(
    stores,
    { release: '0.1.0', is_demo: false, secrets: recipients.length > 0 ? [secret] : [] },
    {
      dir,
      recipients,
      keep,
      now: new Date(Date.UTC(2026, 10, 24, 2, 10, (seconds += 1))),
      onProgress: () => undefined,
    },
  )

await warehouse.insert([call('one'), call('two', 4)])
const exported = await completedExport(account)

describe('a second backup', async () => {
  const dir = path.join(root, 'incremental')
  const first = await backUpInto(dir)
  await warehouse.insert([call('three')])
  const second = await backUpInto(dir)

  test('adds only the call records that arrived since', () => {
    const rows = (of: typeof first) =>
      of.manifest.calls.months.map(({ month, objects }) => [month, objects.map(({ piece }) => piece.rows)])
    assert.deepEqual(rows(first), [
      ['2025-03', [1]],
      ['2025-04', [1]],
    ])
    assert.deepEqual(rows(second), [
      ['2025-03', [1, 1]],
      ['2025-04', [1]],
    ])
    const kept = second.manifest.calls.months.map(({ objects }) => objects[0]?.file.path)
    assert.deepEqual(
      kept,
      first.manifest.calls.months.map(({ objects }) => objects[0]?.file.path),
    )
  })

  test('has the same files, named by their digests', async () => {
    const { sha256 } = exported.attributes
    assert.equal(second.manifest.files.count, 1)
    const names = await readdir(path.join(dir, 'files'), { recursive: true })
    assert.ok(names.some((name) => name.endsWith(String(sha256))))
  })

  test('still restores all call records', async () => {
    const { warehouse: target } = await testWarehouse()
    const backup = { dir, manifest: second.manifest, digest: '', identities: [] }
    await restoreCalls(target, backup)
    await restoreCalls(target, backup)
    for (const { month, rows, checksum, until } of second.manifest.calls.months)
      assert.deepEqual(await target.archive.month(month, until), { month, rows, checksum, until })
  })

  test('keeps what others need when old ones are deleted', async () => {
    const stale = path.join(dir, 'calls', '2025-03', 'stale.parquet')
    await writeFile(stale, '')
    await utimes(stale, 0, 0)
    const third = await backUpInto(dir, [], 2)
    assert.deepEqual(third.deleted, [first.name])
    assert.deepEqual((await readdir(dir)).toSorted(), [second.name, third.name, 'calls', 'files'])
    assert.ok(!(await readdir(path.dirname(stale))).includes('stale.parquet'))
    await verifyFiles({ dir, manifest: await readManifest(path.join(dir, second.name)) })
  })
})

test('one process at a time makes a backup', async () => {
  const client = await openConnection(database.pool)
  assert.ok(await store.tryLock(client))
  await assert.rejects(backUpInto(path.join(root, 'locked')), { message: /Another process is making a backup/ })
  await client.end()
})

test('a damaged file is named, and so is an altered manifest', async () => {
  const dir = path.join(root, 'damaged')
  const { name, manifest } = await backUpInto(dir)
  const [month] = manifest.calls.months
  const file = month?.objects[0]?.file.path ?? ''
  await writeFile(path.join(dir, file), 'x')
  await assert.rejects(verifyFiles({ dir, manifest }), { message: new RegExp(`${file} is damaged`) })
  await unlink(path.join(dir, file))
  await assert.rejects(verifyFiles({ dir, manifest }), { message: new RegExp(`${file} is missing`) })
  const own = path.join(dir, name, 'manifest.json')
  await writeFile(own, (await readFile(own, 'utf8')).replace('"rows": 1', '"rows": 2'))
  await assert.rejects(readManifest(path.join(dir, name)), { message: /manifest\.json is damaged/ })
})

test('an encrypted backup has the secrets, and only an identity reads it', async () => {
  const dir = path.join(root, 'encrypted')
  const identity = await generateX25519Identity()
  const { manifest } = await backUpInto(dir, [await identityToRecipient(identity)])
  await verifyFiles({ dir, manifest })
  const files = [...manifest.database.tables, ...manifest.secrets].map(({ file }) => file)
  for (const { path: name } of files) assert.match(name, /\.age$/)
  const [stored] = manifest.secrets
  assert.ok(stored)
  assert.equal(await text(await readStored(dir, stored.file, { identities: [identity] })), 'DEMARC_PEPPER=secret')
  const other = await generateX25519Identity()
  await assert.rejects(readStored(dir, stored.file, { identities: [other] }), { message: /cannot be decrypted/ })
  const again = await backUpInto(dir, manifest.recipients)
  assert.deepEqual(again.manifest.calls.months[0]?.objects, manifest.calls.months[0]?.objects)
})

test('the tables are restored with their keys, triggers, and sequences', async () => {
  const dir = path.join(root, 'tables')
  const { manifest } = await backUpInto(dir)
  const backup: Backup = { dir, manifest, digest: 'd', identities: [] }
  const target = await testDatabase()
  const client = await openConnection(target.pool)
  try {
    await assert.rejects(beginRestore(client, backup, stores), { message: /The database has tables/ })
    await store.beginRestore(client, backup.digest)
    await beginRestore(client, backup, stores)
    await assert.rejects(beginRestore(client, { ...backup, digest: 'e' }, stores), { message: /another backup/ })
    checkMigrations(manifest, await store.listMigrations(client))
    assert.throws(() => checkMigrations(manifest, []), { message: /^Release 0\.1\.0/ })
    await restoreDatabase(client, backup)
    await restoreDatabase(client, backup)
    const verified = await verifyRestored(client, { ...stores, database: target }, backup)
    assert.ok(verified.events > 0)
    assert.deepEqual(await store.readSequences(client), manifest.database.sequences)
    await assert.rejects(client.query('update access_key set account_id = 999999'), { code: '23503' })
    await store.endRestore(client)
    assert.equal(await store.findRestore(client), null)
  } finally {
    await client.end()
  }
})

test('a file that is missing although a row names it is reported', async () => {
  const { sha256 } = exported.attributes
  const lost = path.join(installation.files_dir, String(sha256).slice(0, 2), String(sha256).slice(2, 4), String(sha256))
  await unlink(lost)
  const dir = path.join(root, 'missing')
  await backUpInto(dir)
  const { damaged, deleted, manifest } = await backUpInto(dir, [], 1)
  assert.deepEqual(deleted, [], 'a backup that lacks something replaces none')
  assert.equal(damaged.length, 1)
  assert.match(damaged[0] ?? '', new RegExp(`${sha256} of export \\d+ is missing`))
  assert.equal(manifest.files.count, 0)
})
