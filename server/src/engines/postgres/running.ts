import { setTimeout as sleep } from 'node:timers/promises'
import { idlenessMeter } from '../../platform/idleness.ts'
import type { Log } from '../../platform/postgres/log.ts'
import { tasksOf } from '../../platform/processes.ts'
import { acceptsConnections, responds } from './control.ts'
import type { DataDirectory } from './data-directory.ts'
import { hasOwner } from './owner.ts'
import { livePostmaster, type Postmaster } from './process.ts'
import { childrenIdleness, shutDown } from './shutdown.ts'

/** A server that does nothing for so long while it starts, or while a connection waits for it, hangs. */
export const HANGS_AFTER_MS = 20_000
/** How often a long wait for a server is logged. */
export const REPORT_MS = 30_000
const POLL_MS = 15

/**
 * The server of the data folder once it accepts connections, undefined when none runs. Only one whose owner is running can be used: the
 * kernel has signaled any other to stop, or nobody would restart it. Such a server is ended first, and so is one that somebody else is
 * stopping, and one that hangs. Call under the start lock.
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
      log.warn({ pid, status, data_dir: home }, 'ending a database server that stops, hangs or outlived its process')
      await shutDown(cluster, pid)
    } else if (performance.now() - reported_at > REPORT_MS) {
      reported_at = performance.now()
      log.warn({ pid, status, data_dir: home }, 'the database server of another process is not ready yet')
    }
    await sleep(POLL_MS)
  }
}

/** Its children do the work of a start; the postmaster itself accepts connections. */
function hangDetection(cluster: string, pid: number): () => boolean {
  const idleMs = serverIdleness(cluster, pid)
  return () => idleMs() >= HANGS_AFTER_MS
}

/** How long neither the postmaster nor any child of it has done anything. */
function serverIdleness(cluster: string, pid: number): () => number {
  const children = childrenIdleness(cluster, pid)
  const postmaster = idlenessMeter(() => tasksOf([pid]))
  return () => Math.min(children(), postmaster())
}

/** A server that has done nothing for so long is asked for a connection. */
const ASKED_AFTER_MS = 5_000

/**
 * Watches a server that was ready. The function it returns, to be called about every second, resolves to true when the server
 * hangs: it does nothing, and does not even refuse the connection that it is asked for.
 */
export function watchRunning({ cluster }: DataDirectory, { pid, socket_folder }: Postmaster): () => Promise<boolean> {
  let idleMs = serverIdleness(cluster, pid)
  return async () => {
    if (idleMs() < ASKED_AFTER_MS) return false
    const responded = await responds(socket_folder)
    // the connection that was not accepted may have been waiting for a busy machine
    const hangs = !responded && idleMs() >= ASKED_AFTER_MS
    if (responded) idleMs = serverIdleness(cluster, pid)
    return hangs
  }
}
