import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { hasEnded, newFolder, removeFolder, spawnService, type ServiceOptions } from '../../test/support/service.ts'
import { eventually } from '../../test/support/eventually.ts'
import { no_mount, smallDisk } from '../../test/support/small-disk.ts'
import { atEnd } from '../../test/support/starters.ts'

/** Starts that cannot succeed print a sentence with a remedy, not a stack. */

const is_root = process.getuid?.() === 0
/** A user whom file modes restrict: this one, unless it is root. */
const unprivileged: ServiceOptions = is_root ? { identity: idsOf('nobody') } : {}

function idsOf(name: string): { uid: number; gid: number } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return { uid: Number(uid), gid: Number(gid) }
}

async function folderFor(t: TestContext): Promise<string> {
  const folder = await newFolder()
  atEnd(t, () => removeFolder(folder))
  return folder
}

async function assertRefused(folder: string, reason: RegExp, options?: ServiceOptions): Promise<void> {
  const { child, output } = spawnService(folder, options)
  await eventually(() => hasEnded(child))
  assert.equal(child.exitCode, 1, output())
  assert.match(output(), reason)
  assert.doesNotMatch(output(), /^ +at /m, 'no stack')
}

test('a file in place of the data folder', async (t) => {
  const folder = await folderFor(t)
  writeFileSync(path.join(folder, 'data'), '')
  await assertRefused(folder, /^\S+data is a file, but must be a folder\. Move it away\. Or set DEMARC_DATA/m)
})

test('a data folder that this user may not write to', async (t) => {
  const folder = await folderFor(t)
  const data = path.join(folder, 'data')
  mkdirSync(data)
  chmodSync(data, 0o555)
  await assertRefused(
    folder,
    /^This user may not use \S+data\/\S+ Start Demarc as the user that owns it/m,
    unprivileged,
  )
})

test('the secrets of another user', async (t) => {
  const folder = await folderFor(t)
  const data = path.join(folder, 'data')
  mkdirSync(data)
  chmodSync(data, 0o777)
  const secrets = path.join(data, 'secrets.json')
  writeFileSync(secrets, '{}')
  chmodSync(secrets, is_root ? 0o600 : 0)
  await assertRefused(
    folder,
    /^This user may not use \S+secrets\.json\. Start Demarc as the user that owns it/m,
    unprivileged,
  )
})

test('damaged secrets', async (t) => {
  const folder = await folderFor(t)
  mkdirSync(path.join(folder, 'data'))
  writeFileSync(path.join(folder, 'data/secrets.json'), '{}')
  await assertRefused(folder, /secrets\.json is damaged\. Restore it from a backup/)
})

test('a database that other users may open', async (t) => {
  const folder = await folderFor(t)
  const cluster = path.join(folder, 'data/postgres/cluster')
  mkdirSync(cluster, { recursive: true })
  chmodSync(cluster, 0o777)
  await assertRefused(
    folder,
    /^Other users may open the database in \S+cluster, .* Run chmod 0700 \S+cluster, then start again\.$/m,
  )
})

test('a database of root', { skip: !is_root && 'only root can create it' }, async (t) => {
  const folder = await folderFor(t)
  mkdirSync(path.join(folder, 'data/postgres/cluster'), { recursive: true, mode: 0o700 })
  await assertRefused(
    folder,
    /^The database in \S+ belongs to root, but PostgreSQL cannot run as that user\. Change its owner/m,
  )
})

test('a disk that is too small for a database', async (t) => {
  const folder = await smallDisk(t, 16)
  if (folder === null) return t.skip(no_mount)
  await assertRefused(folder, /^A disk that the service needs is full\. Free some space, then start again\./m)
})
