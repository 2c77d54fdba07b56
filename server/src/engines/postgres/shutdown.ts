import { setTimeout as sleep } from 'node:timers/promises'
import { idlenessMeter } from '../../platform/idleness.ts'
import { taskOf, tasksOf } from '../../platform/processes.ts'
import { serverProcesses } from './process.ts'

/** A server that does nothing for so long while it shuts down hangs. */
const HANGS_AFTER_MS = 2_000
/** PostgreSQL itself kills, after 5 seconds, what does not follow an immediate shutdown. */
const IMMEDIATE_MS = 7_000
/** A killed process may still be in uninterruptible sleep. */
const KILLED_MS = 20_000
const FAST_MS = 30_000
const POLL_MS = 15

/**
 * PostgreSQL's fast shutdown (SIGINT): open transactions are aborted and a checkpoint is written, so that the next start needs no crash
 * recovery. PostgreSQL 18 hangs in it when it comes during a crash recovery. So the immediate shutdown (SIGQUIT) follows when nothing
 * is done any more, at the latest after half a minute; then SIGKILL. Nothing committed is lost by either.
 */
export async function shutDown(cluster: string, pid: number): Promise<void> {
  const started = taskOf(pid)?.started
  if (started === undefined) return
  const hasExited = () => taskOf(pid)?.started !== started
  const idleMs = childrenIdleness(cluster, pid)
  // SIGKILL is the one signal that a stopped process gets
  const isStopped = () => taskOf(pid)?.state === 'T'
  const steps: ['SIGINT' | 'SIGQUIT' | 'SIGKILL', number, () => boolean][] = [
    ['SIGINT', FAST_MS, () => idleMs() >= HANGS_AFTER_MS],
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
  throw new Error(`The database server ${pid} does not end, not even by SIGKILL: it waits for a disk.`)
}

/** How long no child of the postmaster has done anything; the postmaster itself goes on refusing connections. */
export function childrenIdleness(cluster: string, pid: number): () => number {
  return idlenessMeter(() => tasksOf(serverProcesses(cluster).filter((each) => each !== pid)))
}

/**
 * Kills what outlived the postmaster of a server: a backend in a long computation, or a stopped one, would otherwise keep the shared
 * memory in use, and with it the next server from starting. Call only when `livePostmaster` found none.
 */
export async function killOrphans(cluster: string): Promise<void> {
  const deadline = performance.now() + KILLED_MS
  for (let orphans = serverProcesses(cluster); orphans.length > 0; orphans = serverProcesses(cluster)) {
    if (performance.now() > deadline)
      throw new Error(`Processes of a killed database server do not end (${orphans.join(', ')}): they wait for a disk.`)
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
