import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { backUp, checkRecipient, type BackupReport, type Secret } from '../backup/index.ts'
import type { Config } from '../config.ts'
import { version } from '../operator/version.ts'
import { openDatabase } from '../platform/db.ts'
import { unlessMissing } from '../platform/files/staging.ts'
import { prepareCallRecords } from './call-records.ts'
import { exitWithUsage, parseArguments, runCommand, withRuntime } from './command.ts'

const usage = `npm run backup -- DIR    backs up the database, the files, and the call records into the folder DIR

  --recipient KEY   encrypts the backup for this public key of age, and adds the pepper and seal keys; repeatable
  --keep N          then deletes all but the newest N backups in DIR

Uses the settings of the service, which can run meanwhile. Files and call records that DIR has are not written again.
See docs/operate/backup.md.`

interface Options {
  dir: string
  recipients: string[]
  keep: number | null
}

async function backup(config: Config, { dir, recipients, keep }: Options): Promise<void> {
  for (const recipient of recipients) checkRecipient(recipient)
  await withRuntime(config, 'backup', async (runtime, log) => {
    await prepareCallRecords(runtime, log)
    const { database_url, database_direct_url } = runtime.installation
    const connection = database_direct_url ?? database_url
    // direct, because an exported snapshot belongs to a session
    const database = openDatabase({ connection, application_name: 'demarc-backup', pool_size: 2, log })
    try {
      const report = await backUp(
        { database, files: runtime.deps.files, warehouse: runtime.warehouse },
        {
          release: version,
          is_demo: config.mode === 'demo',
          secrets: await readSecrets(config, recipients.length > 0),
        },
        { dir, recipients, keep, now: new Date(), onProgress: (text) => console.log(text) },
      )
      printReport(dir, report)
    } finally {
      await database.close()
    }
  })
}

function printReport(
  dir: string,
  { name, written_bytes, damaged, missing_calls, deleted, manifest }: BackupReport,
): void {
  console.log(`${join(dir, name)} is complete and was read back. ${written_bytes} bytes are new.`)
  if (manifest.secrets.length === 0)
    console.log('It has neither pepper nor seal keys: store DEMARC_PEPPER and DEMARC_SEAL_KEYS in another place.')
  if (deleted.length > 0) console.log(`Deleted: ${deleted.join(', ')}.`)
  for (const text of damaged) console.error(text)
  if (missing_calls > 0) console.error(`${missing_calls} call records are missing from the call-record store.`)
  if (damaged.length === 0 && missing_calls === 0) return
  console.error('The backup lacks what is damaged or missing. See docs/operate/data-integrity.md.')
  process.exitCode = 1
}

/** The key files of a demo installation; the keys of another one only if the backup is encrypted. */
async function readSecrets({ data_dir, secrets }: Config, is_encrypted: boolean): Promise<Secret[]> {
  const found: Secret[] = []
  if (secrets === null)
    for (const name of ['secrets.json', 'demo.json']) {
      const content = await unlessMissing(() => readFile(join(data_dir, name)), null)
      if (content !== null) found.push({ name, content })
    }
  else if (is_encrypted) {
    const { pepper, accepted_pepper, seal_keys } = secrets
    const lines = [
      `DEMARC_PEPPER='${pepper}'`,
      ...(accepted_pepper === null ? [] : [`DEMARC_PEPPER_ACCEPTED='${accepted_pepper}'`]),
      `DEMARC_SEAL_KEYS='${seal_keys.map(({ id, key }) => `${id}:${key}`).join(',')}'`,
    ]
    found.push({ name: 'secrets.env', content: Buffer.from(`${lines.join('\n')}\n`) })
  }
  return found
}

/** Null for other arguments. */
function readArguments(): Options | null {
  const args = parseArguments({ recipient: { type: 'string', multiple: true }, keep: { type: 'string' } })
  const { recipient = [], keep = null } = args?.values ?? {}
  const [dir = '', ...more] = args?.positionals ?? []
  if (dir === '' || more.length > 0 || !/^[1-9]\d{0,5}$/.test(keep ?? '1')) return null
  return { dir, recipients: recipient, keep: keep === null ? null : Number(keep) }
}

const options = readArguments() ?? exitWithUsage(usage)
await runCommand({ demo: false }, (config) => backup(config, options))
