import { setTimeout as sleep } from 'node:timers/promises'
import { idlenessMeter } from '../../platform/patience.ts'
import { taskOf, tasksOf } from '../../platform/processes.ts'
import { StartRefused } from '../../platform/start-refused.ts'
import { serverProcesses } from './process.ts'

/** A server that is idle this long while it shuts down hangs. */
const HANGS_AFTER_MS = 2_000
/** After 5 seconds, PostgreSQL itself kills processes that ignore an immediate shutdown. */
const IMMEDIATE_MS = 7_000
/** A killed process may still be in uninterruptible sleep. */
const KILLED_MS = 20_000
const FAST_MS = 30_000
/** A server without an owner has been signaled before, by the kernel, and a start is waiting for its end. */
const ABANDONED_FAST_MS = 5_000
const POLL_MS = 15

/**
 * Starts with PostgreSQL's fast shutdown (SIGINT), which aborts open transactions and writes a checkpoint, so the next start
 * needs no crash recovery. PostgreSQL 18 hangs if a fast shutdown interrupts a crash recovery. Therefore an immediate shutdown
 * (SIGQUIT) follows once the server is idle, or after FAST_MS (ABANDONED_FAST_MS if `abandoned`), and finally SIGKILL. Neither
 * loses committed data.
 */
export async function shutDown(cluster: string, pid: number, { abandoned = false } = {}): Promise<void> {
  const started = taskOf(pid)?.started
  if (started === undefined) return
  const hasExited = () => taskOf(pid)?.started !== started
  const idleMs = childrenIdleness(cluster, pid)
  // a stopped process receives no signal except SIGKILL
  const isStopped = () => taskOf(pid)?.state === 'T'
  const steps: ['SIGINT' | 'SIGQUIT' | 'SIGKILL', number, () => boolean][] = [
    ['SIGINT', abandoned ? ABANDONED_FAST_MS : FAST_MS, () => idleMs() >= HANGS_AFTER_MS],
    ['SIGQUIT', IMMEDIATE_MS, () => false],
    ['SIGKILL', KILLED_MS, () => false],
  ]
  for (const [signal, limit_ms, hangs] of steps) {
    if (hasExited()) return
    if (signal !== 'SIGKILL' && isStopped()) continue
    signalProcess(pid, signal)
    const deadline = performance.now() + limit_ms
    while (!hasExited() && !hangs() && performance.now() < deadline) await sleep(POLL_MS)
  }
  if (hasExited()) return
  throw new StartRefused(`The database server ${pid} did not exit after SIGKILL. It may be waiting for a disk.`)
}

/** How long all children of the postmaster have been idle. The postmaster itself keeps rejecting connections. */
export function childrenIdleness(cluster: string, pid: number): () => number {
  return idlenessMeter(() => tasksOf(serverProcesses(cluster).filter((each) => each !== pid)))
}

/**
 * Kills server processes that outlived their postmaster. A backend in a long computation, or a stopped one, would keep the
 * shared memory in use, and the next server could not start. Call only when `livePostmaster` found no server.
 */
export async function killOrphans(cluster: string): Promise<void> {
  const deadline = performance.now() + KILLED_MS
  for (let orphans = serverProcesses(cluster); orphans.length > 0; orphans = serverProcesses(cluster)) {
    if (performance.now() > deadline)
      throw new StartRefused(
        `Processes of a killed database server did not exit after SIGKILL (${orphans.join(', ')}). They may be waiting for a disk.`,
      )
    for (const orphan of orphans) signalProcess(orphan, 'SIGKILL')
    await sleep(POLL_MS)
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
