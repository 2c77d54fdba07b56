/**
 * Keeps one engine alive over a data folder. Exactly one process on the machine owns the folder (chDB holds a lock on it); every other one
 * that asks for it attaches to the owner's socket, and one of them takes over when the owner is gone.
 *
 * A heartbeat every half second; four misses, and the engine is killed with SIGKILL, the only signal that a hung one obeys, and started
 * again. What was in flight is lost, and its callers start it anew.
 */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildProcess } from 'node:child_process'
import { LIMITS } from '../limits.ts'
import { startChild } from './child.ts'
import { readHost, refusal } from './host.ts'
import { pulse, socketPath, type Pulse } from './socket.ts'

export type EngineEvent =
  | { type: 'started'; pid: number; ms: number }
  | { type: 'attached' }
  | { type: 'lost'; reason: string }
  /** Restarting an idle engine that holds more memory than it should. */
  | { type: 'recycled'; rss: number }
  | { type: 'failed'; reason: string }

export type EngineOptions = {
  /** Created if missing. The store is in `store` inside it. */
  folder: string
  on?: (event: EngineEvent) => void
  /** For tests: see limits.ts for the defaults. */
  idle_rss_bytes?: number
  idle_ms?: number
  attach_ms?: number
}

export type Engine = {
  /** Where to reach it: `openWarehouse({ at: { socket } })`. Stays the same over restarts. */
  socket: string
  /** The engine's process, while this process owns it. */
  pid: () => number | undefined
  /** Ends the engine, or lets go of somebody else's. */
  stop: () => Promise<void>
}

/** The embedded engine cannot run here; the message says why and what to do. */
export class EngineRefused extends Error {
  override name = 'EngineRefused'
}

/**
 * Starts the engine over a folder, or attaches to the one that another process runs. Throws EngineRefused where it cannot run, and where the
 * folder is in use by a process whose engine does not answer.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const refused = refusal(readHost())
  if (refused !== undefined) throw new EngineRefused(refused)
  mkdirSync(options.folder, { recursive: true, mode: 0o700 })
  const stopping = new AbortController()
  const watch: Watch = { options, socket: socketPath(options.folder), stop: stopping.signal, child: undefined }
  const first = await begin(watch)
  if ('failed' in first) throw new EngineRefused(first.failed)
  const running = keep(watch, first)
  return {
    socket: watch.socket,
    pid: () => watch.child?.pid,
    stop: async () => {
      stopping.abort()
      if (watch.child !== undefined) await end(watch.child)
      await running
    },
  }
}

type Watch = {
  options: EngineOptions
  socket: string
  stop: AbortSignal
  /** The engine that we own. */
  child: ChildProcess | undefined
}

/** `lost` resolves to the reason when the engine, ours or another's, is gone. */
type Life = { lost: Promise<string> }

/** One engine after another until we are stopped. One that dies young earns its successor a pause, each time a longer one. */
async function keep(watch: Watch, first: Life): Promise<void> {
  let life: Life | { failed: string } = first
  let pause_ms = 0
  while (!watch.stop.aborted) {
    const began = performance.now()
    if ('failed' in life) watch.options.on?.({ type: 'failed', reason: life.failed })
    else {
      const reason = await life.lost
      if (watch.stop.aborted) return
      watch.options.on?.({ type: 'lost', reason })
    }
    const young = performance.now() - began < LIMITS.engine_young_ms
    pause_ms = young ? Math.min(Math.max(pause_ms * 2, LIMITS.engine_restart_ms), LIMITS.engine_restart_max_ms) : 0
    await pause(pause_ms, watch.stop)
    if (!watch.stop.aborted) life = await begin(watch)
  }
}

async function begin(watch: Watch): Promise<Life | { failed: string }> {
  const { options, socket, stop } = watch
  const attached = (): Life => {
    options.on?.({ type: 'attached' })
    return { lost: follow(watch) }
  }
  if (await pulse(socket, LIMITS.engine_heartbeat_ms)) return attached()
  const began = performance.now()
  const started = await startChild(options.folder, socket, stop)
  if (started.as === 'failed') return { failed: `The embedded call-record engine did not start: ${started.reason}` }
  if (started.as === 'in_use') {
    return (await answersSoon(watch)) ? attached() : { failed: inUse(options.folder, socket, started.reason) }
  }
  const { child, exited } = started
  watch.child = child
  options.on?.({ type: 'started', pid: child.pid ?? 0, ms: Math.round(performance.now() - began) })
  const lost = guard(watch, child, exited).finally(() => {
    watch.child = undefined
  })
  return { lost }
}

/** Whoever holds the folder may still be starting. */
async function answersSoon({ options, socket, stop }: Watch): Promise<boolean> {
  const deadline = performance.now() + (options.attach_ms ?? LIMITS.engine_attach_ms)
  while (performance.now() < deadline && !stop.aborted) {
    if (await pulse(socket, LIMITS.engine_heartbeat_ms)) return true
    await pause(LIMITS.engine_restart_ms, stop)
  }
  return false
}

function inUse(folder: string, socket: string, reason: string): string {
  return `The call records in ${join(folder, 'store')} are in use by another process, whose engine does not answer on ${socket}.
Stop that process, or set DEMARC_DATA to another folder. ${reason}`
}

/** Watches an engine of ours until its end, and brings that about if it hangs or holds too much memory. */
async function guard({ options, socket }: Watch, child: ChildProcess, exited: Promise<string>): Promise<string> {
  const idle_ms = options.idle_ms ?? LIMITS.engine_idle_ms
  const idle_rss = options.idle_rss_bytes ?? LIMITS.engine_idle_rss_bytes
  let misses = 0
  let worked = performance.now()
  for await (const answer of beats(socket, exited)) {
    misses = answer === undefined ? misses + 1 : 0
    if (misses >= LIMITS.engine_misses) {
      child.kill('SIGKILL')
      await exited
      return `no answer to ${misses} heartbeats`
    }
    if (answer === undefined || answer.busy > 0) worked = performance.now()
    else if (answer.rss > idle_rss && performance.now() - worked >= idle_ms) {
      options.on?.({ type: 'recycled', rss: answer.rss })
      await end(child)
    }
  }
  return exited
}

/** Watches another process's engine until it is gone. */
async function follow({ socket, stop }: Watch): Promise<string> {
  const stopped = new Promise<string>((resolve) => {
    if (stop.aborted) resolve('stopped')
    stop.addEventListener('abort', () => resolve('stopped'), { once: true })
  })
  let misses = 0
  for await (const answer of beats(socket, stopped)) {
    misses = answer === undefined ? misses + 1 : 0
    if (misses >= LIMITS.engine_misses) return 'its owner is gone'
  }
  return stopped
}

/** An answer, or undefined for a missed one, at every heartbeat until `over`. One at a time: a pause of our own process is one miss at most. */
async function* beats(socket: string, over: Promise<string>): AsyncGenerator<Pulse | undefined> {
  const ended = over.then(() => 'over' as const)
  for (;;) {
    const beat = sleep(LIMITS.engine_heartbeat_ms)
    const answer = await Promise.race([pulse(socket, LIMITS.engine_heartbeat_ms), ended])
    if (answer === 'over') return
    yield answer
    if ((await Promise.race([beat, ended])) === 'over') return
  }
}

/** Lets the engine finish what it does, for a while; then kills it. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  const late = setTimeout(() => child.kill('SIGKILL'), LIMITS.engine_stop_ms)
  if (child.connected) child.send('stop')
  else child.kill('SIGKILL')
  await gone
  clearTimeout(late)
}

/** Sleeps, but not beyond `stop`. */
async function pause(ms: number, stop: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: stop }).catch((error: unknown) => {
    if (!stop.aborted) throw error
  })
}
