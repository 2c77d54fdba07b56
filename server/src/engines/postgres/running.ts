import { setTimeout as sleep } from 'node:timers/promises'
import { idlenessMeter } from '../../platform/patience.ts'
import type { Log } from '../../platform/postgres/log.ts'
import { tasksOf } from '../../platform/processes.ts'
import { acceptsConnections, responds } from './control.ts'
import type { DataDirectory } from './data-directory.ts'
import { livePostmaster, type Postmaster, hasOwner } from './process.ts'
import { childrenIdleness, shutDown } from './shutdown.ts'

/** A server that is idle this long while it starts, or while a connection waits for it, hangs. */
export const HANGS_AFTER_MS = 20_000
/** How often to log a long wait for a server. */
export const REPORT_MS = 30_000
const POLL_MS = 15

/**
 * Returns the data folder's server once it accepts connections, or undefined if none is running. Only a server whose owner is
 * running is usable: without an owner, nothing restarts it, or the kernel has already signaled it to stop. Shuts down a server
 * that has no owner, is already stopping, or hangs. Call under the start lock.
 */
export async function findUsable({ cluster, home }: DataDirectory, log: Log): Promise<Postmaster | undefined> {
  let watched: { pid: number; hangs: () => boolean } | undefined
  let reported_at = performance.now()
  for (;;) {
    const found = livePostmaster(cluster)
    if (!found) return undefined
    const { pid, status, socket_folder } = found
    if (status === 'ready' && hasOwner(home) && (await acceptsConnections(socket_folder))) return found
    if (watched?.pid !== pid) watched = { pid, hangs: hangDetection(cluster, pid) }
    if (status === 'stopping' || !hasOwner(home) || watched.hangs()) {
      log.warn(
        { pid, status, data_dir: home },
        'stopping a database server that is shutting down, hangs, or has lost its owner process',
      )
      await shutDown(cluster, pid, { abandoned: !hasOwner(home) })
    } else if (performance.now() - reported_at > REPORT_MS) {
      reported_at = performance.now()
      log.warn({ pid, status, data_dir: home }, 'the database server of another process is not ready yet')
    }
    await sleep(POLL_MS)
  }
}

/** During startup the children do the work, and the postmaster accepts connections. */
function hangDetection(cluster: string, pid: number): () => boolean {
  const idleMs = serverIdleness(cluster, pid)
  return () => idleMs() >= HANGS_AFTER_MS
}

/** How long the postmaster and all its children have been idle. */
function serverIdleness(cluster: string, pid: number): () => number {
  const children = childrenIdleness(cluster, pid)
  const postmaster = idlenessMeter(() => tasksOf([pid]))
  return () => Math.min(children(), postmaster())
}

/** A server that is idle this long gets a test connection. */
const ASKED_AFTER_MS = 5_000

/**
 * Watches a server that was ready. Call the returned function about once a second. It resolves to true when the server hangs:
 * it is idle and does not respond to a test connection.
 */
export function watchRunning({ cluster }: DataDirectory, { pid, socket_folder }: Postmaster): () => Promise<boolean> {
  let idleMs = serverIdleness(cluster, pid)
  return async () => {
    if (idleMs() < ASKED_AFTER_MS) return false
    const responded = await responds(socket_folder)
    // on a busy machine the test connection may fail although the server works
    const hangs = !responded && idleMs() >= ASKED_AFTER_MS
    if (responded) idleMs = serverIdleness(cluster, pid)
    return hangs
  }
}
