import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { countText } from '@demarc/client'
import {
  BackupRefused,
  beginRestore,
  checkMigrations,
  digestOf,
  endRestore,
  findBackup,
  manifestText,
  readIdentities,
  readManifest,
  readStored,
  restoreCalls,
  restoreDatabase,
  restoreFiles,
  verifyFiles,
  verifyRestored,
  type Backup,
} from '../backup/index.ts'
import type { Config } from '../config.ts'
import { openInstallation, type Installation } from '../installation.ts'
import { openWarehouse } from '../engines/call-records/index.ts'
import { connectTo, type Log } from '../platform/db.ts'
import { openStores } from '../platform/files/index.ts'
import { unlessMissing } from '../platform/files/staging.ts'
import { createLog } from '../platform/log.ts'
import { readMigrations } from '../platform/migrate.ts'
import { openRuntime } from '../runtime.ts'
import { whenAvailable } from './available.ts'
import { prepareCallRecords } from './call-records.ts'
import { exitWithUsage, parseArguments, runCommand, runWithoutSettings } from './command.ts'
import { migrateDatabase, migrationsFolder, whenReachable } from './migrate.ts'

const usage = `npm run restore -- DIR    restores the newest backup in DIR, or the backup DIR, into an empty installation

  --identity FILE   decrypts with the secret key of age in this file
  --verify          only compares every file of the backup with its digest
  --secrets         only prints the pepper and seal keys of an encrypted backup

Uses the settings of the service, which must not run. Run it again to continue after an interruption.
See docs/operate/backup.md.`

interface Options {
  path: string
  identity: string | null
  only: 'verify' | 'secrets' | null
}

type Connection = Awaited<ReturnType<typeof connectTo>>

async function restore(config: Config, { path, identity }: Options): Promise<void> {
  const backup = await openBackup(path, identity)
  const { manifest } = backup
  checkMigrations(manifest, await readMigrations(migrationsFolder))
  await verifyFiles(backup)
  console.log(`Verified every file of the backup of ${manifest.created_at} against its digest.`)
  await restoreKeyFiles(config, backup)
  const log = createLog(config.log_level, 'restore')
  const opened = await openInstallation(config, log)
  try {
    const { database_url, database_direct_url } = opened.installation
    const connection = database_direct_url ?? database_url
    const name = database_direct_url === null ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'
    await whenReachable(name, log, async () => (await connectTo(connection, 'demarc-restore')).end())
    const client = await connectTo(connection, 'demarc-restore')
    try {
      await begin(config, opened.installation, client, backup, log)
      await migrateDatabase(connection, name, log, { is_restoring: true })
      await restoreDatabase(client, backup)
      console.log(`The database is restored: ${manifest.database.tables.length} tables.`)
      await restoreOthers(config, opened.installation, client, backup, log)
    } finally {
      await client.end()
    }
  } finally {
    await opened.close()
  }
}

/** Files and call records, which need the keys and settings in the restored database. */
async function restoreOthers(config: Config, installation: Installation, client: Connection, backup: Backup, log: Log) {
  const { files, calls } = backup.manifest
  const runtime = await openRuntime(config, installation, 'restore', log)
  try {
    const { database, warehouse } = runtime
    await restoreFiles(runtime.deps.files, backup)
    console.log(`The files are restored: ${files.count}.`)
    await prepareCallRecords(runtime, log)
    await restoreCalls(warehouse, backup)
    console.log(`The call records are restored: ${calls.rows}.`)
    const verified = await verifyRestored(client, { database, warehouse }, backup)
    console.log(
      `Verified: ${countText(verified.chains, 'audit chain')} with ${countText(verified.events, 'event')}, sequences, and the totals of ${verified.sums} months of accounts.`,
    )
    if (calls.later > 0)
      console.log(`${countText(calls.later, 'call record is', 'call records are')} newer than the database.`)
    if (files.removed > 0) console.log(`${countText(files.removed, 'file')} expired during the backup.`)
    await endRestore(client)
    console.log('The restore is complete. Start the service.')
  } finally {
    await runtime.close()
  }
}

/** Checks that the target is empty before anything is written to it. */
async function begin(config: Config, installation: Installation, client: Connection, backup: Backup, log: Log) {
  const { files } = await openStores(installation.files_dir, config.files)
  const warehouse = openWarehouse({
    at: installation.warehouse,
    ...(config.clickhouse && { mode: config.clickhouse.mode }),
  })
  try {
    await whenAvailable(log, () => warehouse.ready())
    await whenAvailable(log, () => warehouse.ensureSchema())
    await beginRestore(client, backup, { files, warehouse })
  } finally {
    await warehouse.close()
  }
}

async function openBackup(path: string, identity: string | null): Promise<Backup> {
  const { dir, name } = await findBackup(path)
  const manifest = await readManifest(join(dir, name))
  const identities = identity === null ? [] : await readIdentities(identity)
  if (manifest.recipients.length > 0 && identity === null)
    throw new BackupRefused(
      `The backup is encrypted for ${manifest.recipients.join(', ')}. Name the file of a secret key with --identity.`,
    )
  // before anything is changed
  const sums = await readStored(dir, manifest.calls.sums, { identities })
  sums.destroy()
  return { dir, manifest, digest: digestOf(manifestText(manifest)), identities }
}

/** Writes the key files of a demo installation, which a start would otherwise create with other keys. */
async function restoreKeyFiles({ data_dir, secrets }: Config, backup: Backup): Promise<void> {
  const { manifest } = backup
  if (manifest.is_demo !== (secrets === null))
    throw new BackupRefused(
      manifest.is_demo
        ? 'The backup is from a demo installation. Set DEMARC_MODE=demo, and unset DEMARC_PEPPER and DEMARC_SEAL_KEYS.'
        : 'The backup is from a production installation. Set DEMARC_PEPPER and DEMARC_SEAL_KEYS.',
    )
  if (!manifest.is_demo) return
  await mkdir(data_dir, { recursive: true, mode: 0o711 })
  for (const { name, file } of manifest.secrets) {
    const path = join(data_dir, name)
    const content = await text(await readStored(backup.dir, file, backup))
    const present = await unlessMissing(() => readFile(path, 'utf8'), null)
    if (present === null) await writeFile(path, content, { mode: 0o600, flag: 'wx', flush: true })
    else if (present !== content)
      throw new BackupRefused(`${path} belongs to another installation. Restore into an empty data folder.`)
  }
}

async function verify(path: string): Promise<void> {
  const { dir, name } = await findBackup(path)
  const manifest = await readManifest(join(dir, name))
  await verifyFiles({ dir, manifest })
  console.log(`Verified every file of ${join(dir, name)} against its digest.`)
}

async function printSecrets({ path, identity }: Options): Promise<void> {
  const backup = await openBackup(path, identity)
  const found = backup.manifest.secrets.find(({ name }) => name === 'secrets.env')
  if (!found) throw new BackupRefused('The backup has no pepper or seal keys, because it is not encrypted.')
  process.stdout.write(await text(await readStored(backup.dir, found.file, backup)))
}

/** Null for other arguments. */
function readArguments(): Options | null {
  const args = parseArguments({
    identity: { type: 'string' },
    verify: { type: 'boolean' },
    secrets: { type: 'boolean' },
  })
  const { identity = null, verify: verifies = false, secrets = false } = args?.values ?? {}
  const [path = '', ...more] = args?.positionals ?? []
  if (path === '' || more.length > 0 || (verifies && secrets)) return null
  return { path, identity, only: verifies ? 'verify' : secrets ? 'secrets' : null }
}

const options = readArguments() ?? exitWithUsage(usage)
// a new machine may have no settings yet
if (options.only === 'verify') await runWithoutSettings(() => verify(options.path))
else if (options.only === 'secrets') await runWithoutSettings(() => printSecrets(options))
else await runCommand({ demo: false }, (config) => restore(config, options))
