import type { Deps } from '../platform/context.ts'
import { inTransaction, type Executor } from '../platform/db.ts'
import { lockFile } from '../platform/file-references.ts'

/** The subset of these files, by digest, that a feature still needs. Every feature that stores files provides one. */
export type References = (db: Executor, digests: readonly string[]) => Promise<ReadonlySet<string>>

/** Files checked per query. */
const batch = 500

/** Deletes a file unless a row of any feature refers to it. True if it was deleted. */
export async function removeUnreferenced(
  { db, files }: Deps,
  references: readonly References[],
  digest: string,
  options: { written_before?: Date } = {},
): Promise<boolean> {
  return await inTransaction(db, async (tx) => {
    await lockFile(tx, digest)
    for (const among of references) if ((await among(tx, [digest])).has(digest)) return false
    return await files.remove(digest, options)
  })
}

/**
 * Removes unreferenced files last written before `older_than` (wall clock): their transaction rolled back after they were
 * stored, or their process died. A file is stored before its row is committed, so a recent file may still get one.
 */
export async function sweepOrphans(
  deps: Deps,
  references: readonly References[],
  older_than: Date,
  signal: AbortSignal,
): Promise<void> {
  let digests: string[] = []
  let removed = 0
  const sweep = async () => {
    const needed = await Promise.all(references.map((among) => among(deps.db, digests)))
    for (const digest of digests.filter((each) => !needed.some((set) => set.has(each)))) {
      signal.throwIfAborted()
      // a file stored again in the meantime has a new written_at and stays
      if (await removeUnreferenced(deps, references, digest, { written_before: older_than })) removed++
    }
    digests = []
  }
  for await (const { digest, written_at } of deps.files.list()) {
    if (written_at >= older_than) continue
    if (digests.push(digest) === batch) await sweep()
  }
  if (digests.length > 0) await sweep()
  if (removed > 0) deps.log.info({ removed }, 'unreferenced files were removed')
}
