/**
 * Keeps one engine running over a data folder. Exactly one process on the machine owns the folder (chDB locks it); all others
 * attach to the owner's socket, and one of them takes over when the owner exits.
 *
 * A heartbeat runs every half second; an engine that hangs (see watchdog.ts) is killed with SIGKILL and restarted. Queries in
 * flight fail, and their callers retry them.
 */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildProcess } from 'node:child_process'
import { loadFactor } from '../../../platform/patience.ts'
import { LIMITS } from '../limits.ts'
import { startChild, type StartResult } from './child.ts'
import { readHost, unsupportedReason } from './host.ts'
import { heartbeat, socketPath } from './socket.ts'
import { pulses } from './watchdog.ts'

export type EngineEvent =
  | { type: 'started'; pid: number; ms: number }
  | { type: 'attached' }
  | { type: 'lost'; reason: string }
  /** An idle engine that uses too much memory is being restarted. */
  | { type: 'recycled'; rss: number }
  | { type: 'failed'; reason: string }

export type EngineOptions = {
  /** Created if missing. The store is in `store` inside it. */
  folder: string
  on?: (event: EngineEvent) => void
  /** Called when an engine that queries wait for has started. */
  onSpawn?: () => void
  /** ClickHouse's configuration file. For tests of shards. */
  config_file?: string
  /** For tests: see limits.ts for the defaults. */
  idle_rss_bytes?: number
  idle_ms?: number
  attach_ms?: number
}

export type Engine = {
  /** For `openWarehouse({ at: { socket } })`. Does not change across restarts. */
  socket: string
  /** The engine's process, if this process owns it. */
  pid: () => number | undefined
  /** Stops the engine, or detaches from another process's engine. */
  stop: () => Promise<void>
}

/** The embedded engine cannot start; the message has the reason and the remedy. */
export class EngineStartError extends Error {
  override name = 'EngineRefused'
}

/**
 * Starts the engine over a folder, or attaches to another process's engine. Throws EngineStartError if the engine cannot run
 * here, or if a process whose engine does not respond is using the folder.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const unsupported = unsupportedReason(readHost())
  if (unsupported !== undefined) throw new EngineStartError(unsupported)
  mkdirSync(options.folder, { recursive: true, mode: 0o700 })
  const stopping = new AbortController()
  const supervision: Supervision = {
    options,
    socket: socketPath(options.folder),
    stop: stopping.signal,
    child: undefined,
  }
  const first = await startOrAttach(supervision)
  if ('failed' in first) throw new EngineStartError(first.failed)
  const running = supervise(supervision, first)
  return {
    socket: supervision.socket,
    pid: () => supervision.child?.pid,
    stop: async () => {
      stopping.abort()
      if (supervision.child !== undefined) await stopChild(supervision.child)
      await running
    },
  }
}

type Supervision = {
  options: EngineOptions
  socket: string
  stop: AbortSignal
  /** The engine that this process owns. */
  child: ChildProcess | undefined
}

/** `lost` resolves to the reason when the owned or attached engine has ended. */
type RunningEngine = { lost: Promise<string> }

/** Restarts the engine until stopped, with exponential backoff if it ends soon after starting. */
async function supervise(supervision: Supervision, first: RunningEngine): Promise<void> {
  let engine: RunningEngine | { failed: string } = first
  let pause_ms = 0
  while (!supervision.stop.aborted) {
    const began = performance.now()
    if ('failed' in engine) supervision.options.on?.({ type: 'failed', reason: engine.failed })
    else {
      const reason = await engine.lost
      if (supervision.stop.aborted) return
      supervision.options.on?.({ type: 'lost', reason })
    }
    const short_lived = performance.now() - began < LIMITS.engine_short_lived_ms
    pause_ms = short_lived
      ? Math.min(Math.max(pause_ms * 2, LIMITS.engine_restart_ms), LIMITS.engine_restart_max_ms)
      : 0
    await sleepUnlessStopped(pause_ms, supervision.stop)
    if (!supervision.stop.aborted) engine = await startOrAttach(supervision)
  }
}

async function startOrAttach(supervision: Supervision): Promise<RunningEngine | { failed: string }> {
  const { options, socket, stop } = supervision
  const attached = (): RunningEngine => {
    options.on?.({ type: 'attached' })
    return { lost: monitorAttached(supervision) }
  }
  const deadline = performance.now() + (options.attach_ms ?? LIMITS.engine_attach_ms) * loadFactor()
  for (let pause_ms: number = LIMITS.engine_restart_ms; ; pause_ms *= 2) {
    if (await heartbeat(socket, LIMITS.engine_heartbeat_ms * loadFactor())) return attached()
    const began = performance.now()
    const starting = startChild({ ...options, socket }, stop)
    options.onSpawn?.()
    const result = await starting
    if (result.status === 'ready') return own(supervision, result, performance.now() - began)
    if (result.status === 'failed') return { failed: notStarted(result.reason) }
    if (result.status === 'in_use' && performance.now() > deadline)
      return { failed: inUse(options.folder, socket, result.reason) }
    if (stop.aborted || performance.now() > deadline) return { failed: notStarted(result.reason) }
    // The folder's owner may still be starting its engine, or may have been killed but not exited yet.
    await sleepUnlessStopped(pause_ms, stop)
  }
}

function own(
  supervision: Supervision,
  { child, exited }: Extract<StartResult, { status: 'ready' }>,
  ms: number,
): RunningEngine {
  supervision.child = child
  supervision.options.on?.({ type: 'started', pid: child.pid ?? 0, ms: Math.round(ms) })
  const lost = monitorOwned(supervision, child, exited).finally(() => {
    supervision.child = undefined
  })
  return { lost }
}

function notStarted(reason: string): string {
  return `The embedded call-record engine did not start: ${reason}`
}

function inUse(folder: string, socket: string, reason: string): string {
  return `The call records in ${join(folder, 'store')} are in use by another process. Its engine is not responding on ${socket}.
Stop that process, or set DEMARC_DATA to another folder. ${reason}`
}

/** Monitors an owned engine until it ends, and kills it if it hangs or uses too much memory. */
async function monitorOwned(
  { options, socket }: Supervision,
  child: ChildProcess,
  exited: Promise<string>,
): Promise<string> {
  const idle_ms = options.idle_ms ?? LIMITS.engine_idle_ms
  const idle_rss = options.idle_rss_bytes ?? LIMITS.engine_idle_rss_bytes
  let last_busy_at = performance.now()
  for await (const pulse of pulses(socket, exited, child.pid)) {
    if (pulse.kind === 'silent') {
      last_busy_at = performance.now()
      if (!pulse.hangs) continue
      child.kill('SIGKILL')
      await exited
      return `no response for ${Math.round(pulse.silent_ms)} ms`
    }
    if (pulse.busy > 0) last_busy_at = performance.now()
    else if (pulse.rss > idle_rss && performance.now() - last_busy_at >= idle_ms) {
      options.on?.({ type: 'recycled', rss: pulse.rss })
      await stopChild(child)
    }
  }
  return exited
}

/** Monitors another process's engine until it ends. If it hangs, its owner kills it. */
async function monitorAttached({ socket, stop }: Supervision): Promise<string> {
  const stopped = new Promise<string>((resolve) => {
    if (stop.aborted) resolve('stopped')
    stop.addEventListener('abort', () => resolve('stopped'), { once: true })
  })
  for await (const pulse of pulses(socket, stopped)) {
    if (pulse.kind === 'silent' && pulse.hangs) return 'its owner has exited'
  }
  return stopped
}

/** Lets the engine finish its queries within a time limit, then kills it. */
async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  const kill_timer = setTimeout(() => child.kill('SIGKILL'), LIMITS.engine_stop_ms)
  // Without a callback, an error here (the process is already exiting) would be an unhandled event.
  child.send('stop', (error) => {
    if (error) child.kill('SIGKILL')
  })
  await exited
  clearTimeout(kill_timer)
}

/** Sleeps until the time has passed or `stop` aborts. */
async function sleepUnlessStopped(ms: number, stop: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: stop }).catch((error: unknown) => {
    if (!stop.aborted) throw error
  })
}
