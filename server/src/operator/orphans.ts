import type { Deps } from '../platform/context.ts'
import { inTransaction, type Executor, type Tx } from '../platform/db.ts'
import { lockFile, tryLockFile } from '../platform/file-references.ts'

/** The subset of these files, by digest, that a feature still needs. Every feature that stores files provides one. */
export type References = (db: Executor, digests: readonly string[]) => Promise<ReadonlySet<string>>

/** Files checked per query. */
const batch_size = 500

/** Deletes a file unless a row of any feature refers to it. */
export async function removeUnreferenced(deps: Deps, references: readonly References[], digest: string): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockFile(tx, digest)
    await removeLocked(deps, tx, references, digest)
  })
}

/** Call under the file's lock. True if the file was deleted. */
async function removeLocked({ files }: Deps, tx: Tx, references: readonly References[], digest: string) {
  for (const among of references) if ((await among(tx, [digest])).has(digest)) return false
  return await files.remove(digest)
}

/**
 * Removes unreferenced files: their transaction rolled back after it had moved them into the store, or its process died. Skips
 * a file whose lock is taken: an open transaction may be about to reference it. A file's age says nothing about that.
 */
export async function sweepOrphans(
  deps: Deps,
  references: readonly References[],
  signal: AbortSignal,
  batch = batch_size,
): Promise<void> {
  let digests: string[] = []
  let removed = 0
  const sweep = async () => {
    const needed = await Promise.all(references.map((among) => among(deps.db, digests)))
    for (const digest of digests.filter((each) => !needed.some((set) => set.has(each)))) {
      signal.throwIfAborted()
      const isRemoved = await inTransaction(
        deps.db,
        async (tx) => (await tryLockFile(tx, digest)) && (await removeLocked(deps, tx, references, digest)),
      )
      if (isRemoved) removed++
    }
    digests = []
  }
  for await (const { digest } of deps.files.list()) if (digests.push(digest) === batch) await sweep()
  if (digests.length > 0) await sweep()
  if (removed > 0) deps.log.info({ removed }, 'unreferenced files were removed')
}
