import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { recordedCalls } from '../cdrs/index.ts'
import { openConnection, type DatabaseHandle, type Executor } from '../platform/db.ts'
import { filesFrom } from '../platform/file-scrub.ts'
import { copyOut } from './copy.ts'
import type { BackupFolder } from './folder.ts'
import { line } from './lines.ts'
import type { Manifest, StoredTable } from './manifest.ts'
import { namedFiles } from './source.ts'
import { prepareSession, readSequences, withSnapshot } from './store.ts'

const files_at_once = 500

/**
 * Writes all tables as of one time, and to `spool` the files that their rows name. `calls`: how many call records the ledger had
 * then.
 */
export async function copyDatabase(
  { pool }: DatabaseHandle,
  folder: BackupFolder,
  spool: string,
): Promise<{ database: Manifest['database']; calls: number }> {
  const client = await openConnection(pool)
  try {
    await prepareSession(client)
    return await withSnapshot(client, async ({ db, tables, migrations, version }) => {
      await pipeline(Readable.from(namedLines(db)), createWriteStream(spool, { mode: 0o600 }))
      const calls = await recordedCalls(db)
      const stored: StoredTable[] = []
      for (const table of tables) {
        const { stream, rows } = copyOut(client, table)
        const file = await folder.add(`database/${table.name}.copy.zst`, stream, { is_compressed: true })
        stored.push({ ...table, rows: rows(), file })
      }
      return { calls, database: { version, migrations, tables: stored, sequences: await readSequences(client) } }
    })
  } finally {
    await client.end()
  }
}

async function* namedLines(db: Executor): AsyncGenerator<Buffer> {
  for (let from = ''; ;) {
    const files = await filesFrom(db, namedFiles, from, files_at_once)
    for (const file of files) yield line(file)
    const last = files.at(-1)
    if (last === undefined) return
    // sorts after this digest and before every other
    from = `${last.sha256}0`
  }
}
