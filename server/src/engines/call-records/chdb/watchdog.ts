/** Distinguishes an engine that is slow on a busy machine from one that hangs. */

import { setTimeout as sleep } from 'node:timers/promises'
import { idlenessMeter, loadFactor } from '../../../platform/patience.ts'
import { threadsOf } from '../../../platform/processes.ts'
import { LIMITS } from '../limits.ts'
import { sendHeartbeat, type HeartbeatResponse, type HeartbeatResult } from './socket.ts'

export type Pulse =
  | ({ kind: 'response' } & HeartbeatResponse)
  /** No response since the last pulse. */
  | { kind: 'silent'; silent_ms: number; hangs: boolean }

/** Maximum length that one interval without a response counts, because this process may have been suspended. */
const INTERVAL_MAX_MS = 2 * LIMITS.engine_heartbeat_ms

/**
 * Yields a pulse at every heartbeat until `over`. Waits for a heartbeat without a timeout, so a late response still counts.
 * `pid` is the engine's; undefined if another process owns and monitors the engine: then it is lost early only if nothing
 * listens.
 */
export async function* pulses(
  socket: string,
  over: Promise<string>,
  pid?: number,
  load: () => number = loadFactor,
): AsyncGenerator<Pulse> {
  const ended = over.then(() => 'over' as const)
  const leaving = new AbortController()
  let pending: Promise<HeartbeatResult> | undefined
  let silence: Silence | undefined
  try {
    for (;;) {
      const began = performance.now()
      const interval = sleep(LIMITS.engine_heartbeat_ms, 'late' as const)
      pending ??= sendHeartbeat(socket, leaving.signal)
      const result = await Promise.race([pending, interval, ended])
      if (result === 'over') return
      if (result !== 'late') pending = undefined
      if (typeof result === 'object') {
        silence = undefined
        yield { kind: 'response', ...result }
      }
      if ((await Promise.race([interval, ended])) === 'over') return
      if (typeof result === 'object') continue
      silence ??= new Silence(pid, load)
      yield silence.last(result, Math.min(performance.now() - began, INTERVAL_MAX_MS))
    }
  } finally {
    leaving.abort()
  }
}

/** Time since the last response, and how much of it the engine was idle. */
class Silence {
  readonly #load: () => number
  /** The event loop accepts heartbeats and responds to them; it runs no other long tasks. */
  readonly #loopIdleMs: (() => number) | undefined
  readonly #idleMs: (() => number) | undefined
  #silent_ms = 0
  #refused_ms = 0

  constructor(pid: number | undefined, load: () => number) {
    this.#load = load
    if (pid === undefined) return
    this.#loopIdleMs = idlenessMeter(() => new Map([...threadsOf(pid)].filter(([thread]) => thread === `${pid}`)))
    this.#idleMs = idlenessMeter(() => threadsOf(pid))
  }

  last(result: HeartbeatResult | 'late', interval_ms: number): Pulse {
    this.#silent_ms += interval_ms
    this.#refused_ms = result === 'refused' ? this.#refused_ms + interval_ms : 0
    const silent_ms = this.#silent_ms
    const [loop_idle_ms, all_idle_ms] = [this.#loopIdleMs?.(), this.#idleMs?.()]
    const idle_ms = result === 'late' ? loop_idle_ms : all_idle_ms
    // A closed socket is conclusive regardless of the machine's load.
    const gone = idle_ms === undefined && this.#refused_ms >= LIMITS.engine_silence_ms
    return { kind: 'silent', silent_ms, hangs: gone || hangs({ silent_ms, idle_ms: idle_ms ?? 0, load: this.#load() }) }
  }
}

/** Whether an engine that has not responded for `silent_ms` and was idle for `idle_ms` hangs. `load`: see loadFactor. */
export function hangs({ silent_ms, idle_ms, load }: { silent_ms: number; idle_ms: number; load: number }): boolean {
  return Math.min(silent_ms, idle_ms) >= LIMITS.engine_silence_ms * load || silent_ms >= LIMITS.engine_silence_max_ms
}
