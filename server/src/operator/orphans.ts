import type { Deps } from '../platform/context.ts'
import type { Executor } from '../platform/db.ts'

/** Those of these files, by digest, that a feature still needs. Every feature that keeps files has one. */
export type References = (db: Executor, digests: readonly string[]) => Promise<ReadonlySet<string>>

/** Files asked about at once. */
const batch = 500

/**
 * Removes files last written before `older_than` (wall clock) that nobody refers to: those whose transaction was rolled
 * back, or whose export is long over. A file is written before the row that names it, so a young one may yet be named.
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
      // one that was put again meanwhile is young, and stays
      if (await deps.files.remove(digest, { written_before: older_than })) removed++
    digests = []
  }
  for await (const { digest, written_at } of deps.files.list()) {
    if (written_at >= older_than) continue
    if (digests.push(digest) === batch) await sweep()
  }
  if (digests.length > 0) await sweep()
  if (removed > 0) deps.log.info({ removed }, 'files that nothing referred to were removed')
}
