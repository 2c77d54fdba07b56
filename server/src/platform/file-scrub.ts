import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { alertedSubjects } from './alerts.ts'
import type { Deps } from './context.ts'
import type { Executor } from './db.ts'
import { nightly_pause_ms } from './jobs.ts'
import type { NamedFile } from './rows.ts'
import { FileDamaged, settle, verifyFile, type Pace } from './verified-files.ts'

/**
 * The check of all files that rows name, in order of their digests, so that it finds files that are missing as well as altered
 * ones. It reads at a limited speed, in slices, and continues where it stopped.
 */

/** The files that a feature's rows name, by digest from `from` (included), at most `limit`. */
export type StoredFiles = (db: Executor, from: string, limit: number) => Promise<NamedFile[]>

declare module './db.ts' {
  interface Database {
    file_scrub: {
      one: boolean
      next_sha256: string | null
      files: string
      bytes: string
      finished_at: Date | null
    }
  }
}

export const scrubLimits = {
  /** A tenth of what a slow disk reads, so that requests are not delayed: 2.7 TiB a day. */
  bytes_per_s: 32 * 1024 * 1024,
  /** How long one run of the job reads before other jobs get their turn. A file is not divided. */
  slice_ms: 10_000,
  files_at_once: 100,
} as const

/** Checks the next files. Returns whether some are left. Safe to stop at any time. */
export async function scrubFiles(deps: Deps, sources: readonly StoredFiles[], signal: AbortSignal): Promise<boolean> {
  let next = await beginScrub(deps.db)
  if (next === null) return false
  const began = performance.now()
  const pace = limitSpeed(signal)
  for (;;) {
    const files = await filesFrom(deps.db, sources, next, scrubLimits.files_at_once)
    if (files.length === 0) {
      await endScrub(deps, sources)
      return false
    }
    for (const file of files) {
      await scrubFile(deps, sources, file, pace)
      // sorts after this digest and before every other
      next = `${file.sha256}0`
      await deps.db
        .updateTable('file_scrub')
        .set({ next_sha256: next, files: sql`files + 1`, bytes: sql`bytes + ${file.bytes ?? 0}::bigint` })
        .execute()
      signal.throwIfAborted()
      if (performance.now() - began > scrubLimits.slice_ms) return true
    }
  }
}

/** How far the current check has come, 0 to 1, and when the last one ended, in Unix seconds; 0 if none has. */
export async function scrubProgress(db: Executor): Promise<{ progress: number; finished_s: number }> {
  const row = await db.selectFrom('file_scrub').select(['next_sha256', 'finished_at']).executeTakeFirstOrThrow()
  // digests are evenly distributed
  const progress =
    row.next_sha256 === null ? 1 : Number.parseInt(row.next_sha256.slice(0, 8).padEnd(8, '0'), 16) / 2 ** 32
  return { progress, finished_s: Math.floor((row.finished_at?.getTime() ?? 0) / 1000) }
}

/** Where to continue; null if the last check ended recently. */
async function beginScrub(db: Executor): Promise<string | null> {
  const row = await db.selectFrom('file_scrub').select(['next_sha256', 'finished_at']).executeTakeFirstOrThrow()
  if (row.next_sha256 !== null) return row.next_sha256
  if (row.finished_at && Date.now() - row.finished_at.getTime() < nightly_pause_ms) return null
  await db.updateTable('file_scrub').set({ next_sha256: '', files: '0', bytes: '0' }).execute()
  return ''
}

/** Resolves the alerts about files that no row names anymore, and records the end. */
async function endScrub(deps: Deps, sources: readonly StoredFiles[]): Promise<void> {
  for (const sha256 of await alertedSubjects(deps.db, 'file-damaged'))
    if (!(await isNamed(deps.db, sources, sha256))) await settle(deps, { sha256 })
  await deps.db.updateTable('file_scrub').set({ next_sha256: null, finished_at: new Date() }).execute()
}

async function scrubFile(deps: Deps, sources: readonly StoredFiles[], file: NamedFile, pace: Pace): Promise<void> {
  // a file may expire between the query and its turn
  const isNeeded = async () => await isNamed(deps.db, sources, file.sha256)
  if ((await deps.files.stat(file.sha256)) === null && !(await isNeeded())) return
  try {
    await verifyFile(deps, file, pace)
    await settle(deps, file)
  } catch (error) {
    // reported; the others are still checked
    if (!(error instanceof FileDamaged)) throw error
  }
}

/** The next files of all features, by digest from `from` (included), each once, at most `limit`. */
export async function filesFrom(
  db: Executor,
  sources: readonly StoredFiles[],
  from: string,
  limit: number,
): Promise<NamedFile[]> {
  const found = new Map<string, NamedFile>()
  for (const source of sources) for (const file of await source(db, from, limit)) found.set(file.sha256, file)
  return [...found.values()].toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1)).slice(0, limit)
}

async function isNamed(db: Executor, sources: readonly StoredFiles[], sha256: string): Promise<boolean> {
  return (await filesFrom(db, sources, sha256, 1)).some((file) => file.sha256 === sha256)
}

/** Waits after a chunk that was read sooner than the limit allows. */
function limitSpeed(signal: AbortSignal): Pace {
  const began = performance.now()
  let total = 0
  return async (bytes) => {
    signal.throwIfAborted()
    total += bytes
    const early_ms = (total / scrubLimits.bytes_per_s) * 1000 - (performance.now() - began)
    if (early_ms > 20) await sleep(early_ms, undefined, { signal })
  }
}
