import type { Deps } from '../platform/context.ts'
import type { Executor } from '../platform/db.ts'

/** The subset of these files, by digest, that a feature still needs. Every feature that stores files has one. */
export type References = (db: Executor, digests: readonly string[]) => Promise<ReadonlySet<string>>

/** Files looked up in one query. */
const batch = 500

/**
 * Removes files last written before `older_than` (wall clock) that nothing references: those whose transaction was rolled
 * back, or whose export has expired. A file is written before the row that references it, so a recent one may still get one.
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
    signal.throwIfAborted()
    const needed = await Promise.all(references.map((among) => among(deps.db, digests)))
    for (const digest of digests.filter((each) => !needed.some((set) => set.has(each))))
      // one that was put again meanwhile has a new written_at, and stays
      if (await deps.files.remove(digest, { written_before: older_than })) removed++
    digests = []
  }
  for await (const { digest, written_at } of deps.files.list()) {
    if (written_at >= older_than) continue
    if (digests.push(digest) === batch) await sweep()
  }
  if (digests.length > 0) await sweep()
  if (removed > 0) deps.log.info({ removed }, 'unreferenced files were removed')
}
