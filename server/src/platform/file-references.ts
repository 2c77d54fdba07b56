import { sql } from 'kysely'
import type { Tx } from './db.ts'
import type { StagedFile } from './files.ts'
import { enqueue } from './jobs.ts'

/**
 * Which rows refer to a file. Files are named by their content, so rows of several features and accounts may refer to one.
 * It is put into the store, and deleted, under a lock of its name: nobody deletes a file that another is about to refer to.
 */

/** Kind of the job that deletes a file that no row refers to; its key is the digest. */
export const removeFileJob = 'remove-file'

/** Takes an advisory lock until the end of the transaction: no other transaction begins or ends to refer to this file. */
export async function lockFile(tx: Tx, digest: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${digest}, 0))`.execute(tx)
}

/**
 * Puts a staged file into the store, for a row that this transaction writes. Before `recordEvent`, which locks the chain of
 * the account: a transaction that waits for the file must not make all others of the account wait.
 */
export async function keepFile(tx: Tx, file: StagedFile): Promise<void> {
  await lockFile(tx, file.digest)
  await file.keep()
}

/** For files that a row refers to no longer when this transaction commits: schedules their removal, unless another row does. */
export async function releaseFiles(tx: Tx, digests: readonly string[], now: Date): Promise<void> {
  // in one order everywhere, so that two transactions cannot wait for each other
  for (const digest of digests.toSorted()) await enqueue(tx, removeFileJob, digest, now)
}
