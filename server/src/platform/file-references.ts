import { sql } from 'kysely'
import type { Tx } from './db.ts'
import type { StagedFile } from './files/index.ts'
import { enqueue } from './jobs.ts'

/**
 * Which rows refer to a file. Files are named by their content, so rows of several features and accounts may share one. Storing
 * and deleting a file takes a lock on its name, so that no one deletes a file that another transaction is about to reference.
 */

/** Kind of the job that deletes an unreferenced file; the key is the digest. */
export const removeFileJob = 'remove-file'

/** Takes an advisory lock until the transaction ends: no other transaction adds or drops references to this file. */
export async function lockFile(tx: Tx, digest: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${digest}, 0))`.execute(tx)
}

/** The same without waiting. False if another transaction has the lock, which may be about to reference the file. */
export async function tryLockFile(tx: Tx, digest: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${digest}, 0)) as locked`.execute(tx)
  return rows[0]?.locked === true
}

/**
 * Moves a staged file into the store, for a row that this transaction writes. Call it before `recordEvent`, which locks the
 * account's chain: a transaction that waits for the file must not block the account's other transactions.
 */
export async function keepFile(tx: Tx, file: StagedFile): Promise<void> {
  await lockFile(tx, file.digest)
  await file.keep()
}

/** Schedules removal of files that this transaction stops referencing, unless another row still refers to them. */
export async function releaseFiles(tx: Tx, digests: readonly string[], now: Date): Promise<void> {
  // always in the same order, so that two transactions cannot deadlock
  for (const digest of digests.toSorted()) await enqueue(tx, removeFileJob, digest, now)
}
