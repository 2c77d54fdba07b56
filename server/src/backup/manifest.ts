import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { BackupRefused } from './refused.ts'

/** The contents of a backup. `manifest.json` has them, and `manifest.sha256` the digest of that file. */

/** A file of the backup. `path` is below the folder of all backups; digest and size are of the bytes as stored. */
const storedFile = z.strictObject({ path: z.string(), bytes: z.number(), sha256: z.string() })

const piece = z.strictObject({
  month: z.string(),
  after: z.number(),
  until: z.number(),
  first_account: z.string(),
  last_account: z.string(),
  times: z.strictObject({ first_ms: z.number(), last_ms: z.number() }).nullable(),
  rows: z.number(),
})

const shape = z.strictObject({
  format: z.literal(1),
  release: z.string(),
  created_at: z.string(),
  is_demo: z.boolean(),
  /** Public keys that the files are encrypted for; none if they are not encrypted. */
  recipients: z.array(z.string()),
  database: z.strictObject({
    version: z.string(),
    migrations: z.array(z.strictObject({ name: z.string(), checksum: z.string() })),
    tables: z.array(
      z.strictObject({ name: z.string(), columns: z.array(z.string()), rows: z.number(), file: storedFile }),
    ),
    sequences: z.array(z.strictObject({ name: z.string(), last_value: z.string(), is_called: z.boolean() })),
  }),
  /** `list`: one line for each file, in the order of digests. `removed`: files that expired during the backup. */
  files: z.strictObject({ count: z.number(), bytes: z.number(), removed: z.number(), list: storedFile }),
  calls: z.strictObject({
    /** Records that arrived later are not in the backup, in microseconds. */
    until: z.number(),
    rows: z.number(),
    /** Records that the ledger in the database lacks, because they arrived after its snapshot. */
    later: z.number(),
    months: z.array(
      z.strictObject({
        month: z.string(),
        rows: z.number(),
        checksum: z.string(),
        until: z.number(),
        objects: z.array(z.strictObject({ piece, file: storedFile })),
      }),
    ),
    /** One line with the sums of each account and month. */
    sums: storedFile,
  }),
  /** The key files of a demo installation, and the settings with keys in an encrypted backup. */
  secrets: z.array(z.strictObject({ name: z.string(), file: storedFile })),
})

export type Manifest = z.output<typeof shape>
export type StoredFile = z.output<typeof storedFile>
export type StoredMonth = Manifest['calls']['months'][number]
export type StoredTable = Manifest['database']['tables'][number]

/** A line of the list of files: the file's own digest and size, and where the backup has it. */
export const listedFile = z.strictObject({ sha256: z.string(), bytes: z.number(), file: storedFile })
export type ListedFile = z.output<typeof listedFile>

/** A line of the sums. */
export const listedSums = z.strictObject({
  account_id: z.string(),
  month: z.string(),
  num_calls: z.number(),
  billed_seconds: z.string(),
  total_cost: z.string(),
})

export const manifestName = 'manifest.json'
export const digestName = 'manifest.sha256'

export const manifestText = (manifest: Manifest): string => `${JSON.stringify(shape.parse(manifest), null, 1)}\n`

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Reads a backup's manifest. Throws BackupRefused if it is missing or altered. */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, manifestName)
  try {
    const text = await readFile(path, 'utf8')
    const [digest] = (await readFile(join(folder, digestName), 'utf8')).split(' ')
    if (digest !== digestOf(text)) throw new BackupRefused(`${path} is damaged: its digest is not in ${digestName}.`)
    return shape.parse(JSON.parse(text))
  } catch (error) {
    if (error instanceof BackupRefused) throw error
    throw new BackupRefused(`${path} cannot be read as the manifest of a backup by this release: ${String(error)}`, {
      cause: error,
    })
  }
}
