import { sql, type Generated } from 'kysely'
import { openConnection, type Db, type DatabaseHandle } from '../db.ts'
import { StartRefused } from '../start-refused.ts'
import { DependencyUnavailable } from '../unavailable.ts'
import type { StoredFile } from './file-store.ts'
import type { FileSettings } from './s3-bucket.ts'

/** What the database knows of the stores: the bucket that files are in, and the files that a move has copied. */

declare module '../db.ts' {
  interface Database {
    file_bucket: { one: Generated<boolean>; bucket: string; prefix: string }
    file_move: {
      id: Generated<string>
      destination: 'local' | 's3'
      finished_at: Date | null
      files: string | null
      bytes: string | null
    }
    file_copy: { move_id: string; sha256: string; bytes: string }
  }
}

/**
 * Records the bucket that new files go to. Throws StartRefused if the settings have none although files are in one: they would
 * be reported missing.
 */
export async function checkBucketRecord(db: Db, { store, s3 }: FileSettings): Promise<void> {
  if (store === 's3' && s3 !== null) {
    const { bucket, prefix } = s3
    await db
      .insertInto('file_bucket')
      .values({ bucket, prefix })
      .onConflict((conflict) => conflict.column('one').doUpdateSet({ bucket, prefix }))
      .execute()
  }
  if (s3 !== null) return
  const known = await db.selectFrom('file_bucket').select(['bucket', 'prefix']).executeTakeFirst()
  if (known)
    throw new StartRefused(
      `Files of this installation are in s3://${known.bucket}/${known.prefix}. Set S3_BUCKET and the other S3 settings. To use the local folder again, see docs/operate/files.md.`,
    )
}

/** What a move has copied and compared, over all of its runs. */
export interface Moved {
  files: number
  bytes: number
}

export interface MoveJournal {
  has(digest: string): Promise<boolean>
  /** Throws DependencyUnavailable if another process may be moving files by now. */
  record(file: StoredFile): Promise<void>
  moved(): Promise<Moved>
  /** Ends the move. The next one begins its own journal. */
  finish(): Promise<void>
  close(): Promise<void>
}

/** Key of the advisory lock of the running move. */
const move_lock = 0xf11e5

/**
 * The journal of the unfinished move to this store, or of a new one, for one process at a time: null if another has it. The lock
 * belongs to its own connection, so it also ends with the process.
 */
export async function openJournal(
  { db, pool }: Pick<DatabaseHandle, 'db' | 'pool'>,
  destination: 'local' | 's3',
): Promise<MoveJournal | null> {
  const connection = await openConnection(pool)
  let is_connected = true
  connection.once('end', () => (is_connected = false))
  const { rows } = await connection.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [move_lock])
  if (rows[0]?.locked !== true) {
    await connection.end()
    return null
  }
  const move_id = await currentMove(db, destination)
  const copies = () => db.selectFrom('file_copy').where('move_id', '=', move_id)
  const moved = async (): Promise<Moved> => {
    const sums = await copies()
      .select([sql<string>`count(*)`.as('files'), sql<string>`coalesce(sum(bytes), 0)`.as('bytes')])
      .executeTakeFirstOrThrow()
    return { files: Number(sums.files), bytes: Number(sums.bytes) }
  }
  return {
    has: async (digest) =>
      (await copies().select('sha256').where('sha256', '=', digest).executeTakeFirst()) !== undefined,
    async record({ digest, bytes }) {
      if (!is_connected) throw new DependencyUnavailable('The database')
      await db
        .insertInto('file_copy')
        .values({ move_id, sha256: digest, bytes: String(bytes) })
        .execute()
    },
    moved,
    async finish() {
      const { files, bytes } = await moved()
      await db
        .updateTable('file_move')
        .set({ finished_at: sql`now()`, files: String(files), bytes: String(bytes) })
        .where('id', '=', move_id)
        .execute()
      await db.deleteFrom('file_copy').where('move_id', '=', move_id).execute()
      if (destination === 'local') await db.deleteFrom('file_bucket').execute()
    },
    close: () => connection.end(),
  }
}

/** Continues the unfinished move, unless it goes to the other store. */
async function currentMove(db: Db, destination: 'local' | 's3'): Promise<string> {
  const unfinished = () => db.selectFrom('file_move').select('id').where('finished_at', 'is', null)
  await db.deleteFrom('file_move').where('finished_at', 'is', null).where('destination', '<>', destination).execute()
  const move =
    (await unfinished().executeTakeFirst()) ??
    (await db
      .insertInto('file_move')
      .values({ destination, finished_at: null, files: null, bytes: null })
      .returning('id')
      .executeTakeFirstOrThrow())
  return move.id
}
