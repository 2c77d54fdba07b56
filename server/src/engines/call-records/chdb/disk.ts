/**
 * Protects the store from a full disk. chDB 26.7 does not notice that a file could not be written: an insert or a merge that meets
 * a full disk succeeds, and the files of its part are empty or cut off. A merge then deletes the parts that it replaced after
 * eight minutes.
 */

import { statfsSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '../limits.ts'
import type { Sessions } from './sessions.ts'

/** Free bytes on the disk of a folder. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/**
 * Cancels merges, which may take long, while the disk has less space than they need in reserve: other programs fill it too.
 * Inserts and merges do not begin then, because of the engine's own setting (sessions.ts). Runs as long as the process.
 */
export async function stopMergesOnFullDisk(sessions: Sessions, folder: string): Promise<never> {
  let is_stopped = false
  for (;;) {
    await sleep(LIMITS.engine_free_check_ms)
    try {
      const stops: boolean = freeBytes(folder) < (is_stopped ? 2 : 1) * LIMITS.engine_free_bytes
      if (stops === is_stopped) continue
      await sessions.control.use((session) => session.queryAsync(`SYSTEM ${stops ? 'STOP' : 'START'} MERGES`))
      is_stopped = stops
    } catch (error) {
      process.stderr.write(`${String(error)}\n`)
    }
  }
}

/** CANNOT_READ_ALL_DATA, CHECKSUM_DOESNT_MATCH, or CORRUPTED_DATA of a part, which the message names. */
const BROKEN = /^Code: (?:33|40|246)\b[^]*?(\/[^\s']+\/(?:all|\d+)_\d+_\d+_\d+(?:_\d+)?)[/'.)]/

/** The folder of the part that an error of ClickHouse calls incomplete; null for any other error. */
export const brokenPart = (error: string): string | null => BROKEN.exec(error)?.[1] ?? null

/**
 * Ends the engine's process if an error is due to a part that this process has written. The next start leaves the part out and uses the
 * ones that it replaced, if they are not deleted yet. A part from before the start was complete then, so another start would not help.
 */
export function endOnBrokenPart(error: string): void {
  const part = brokenPart(error)
  if (part === null) return
  const started_ms = Date.now() - process.uptime() * 1000
  // ClickHouse sets the time in whole seconds
  if ((statSync(part, { throwIfNoEntry: false })?.mtimeMs ?? 0) < started_ms - 1_000) return
  process.stderr.write(`restarting, because a part is incomplete: ${part}\n`)
  process.kill(process.pid, 'SIGKILL')
}
