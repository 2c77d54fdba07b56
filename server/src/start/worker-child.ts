import { fork, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Installation } from '../installation.ts'
import type { Log } from '../platform/db.ts'

/** The worker as a child of the API process, and what the two say to each other. */

const restart_first_ms = 100
const restart_max_ms = 10_000

/** What a child is told. Over IPC, so that no secret stands in its environment. */
export interface Told {
  installation: Installation
  /** The same for each worker of this parent, one after another. */
  name: string
}

/** In a child: waits to be told. Undefined in a process without a parent that talks. */
export async function fromParent(): Promise<Told | undefined> {
  if (process.send === undefined) return undefined
  const told = new Promise<Told>((resolve) => process.once('message', (message: Told) => resolve(message)))
  process.send('hello')
  return await told
}

export interface WorkerChild {
  /** Tells where the parts are. Resolves when the first worker is ready. */
  start(installation: Installation): Promise<void>
  /** Ends it and starts it no more; resolves when it is gone. */
  stop(): Promise<void>
}

/** Forks a worker, which loads and then waits for `start`; forks another whenever one ends. */
export function forkWorker(log: Log): WorkerChild {
  const name = `worker-${process.pid}-${randomUUID().slice(0, 8)}`
  const known = Promise.withResolvers<Installation>()
  const ready = Promise.withResolvers<void>()
  let child: ChildProcess
  let stopped = false
  let pause_ms = restart_first_ms
  const begin = () => {
    const began = performance.now()
    const started = fork(new URL('../main.ts', import.meta.url), process.argv.slice(2), {
      env: { ...process.env, DEMARC_ROLE: 'worker' },
      // Ctrl-C reaches the whole group: the parent stops its children in order instead
      detached: true,
    })
    child = started
    const tell = async () => {
      const told: Told = { installation: await known.promise, name }
      if (started.connected) started.send(told)
    }
    started.on('message', (message) => {
      if (message === 'hello') void tell()
      if (message === 'ready') ready.resolve()
    })
    started.once('exit', (code, signal) => {
      if (stopped) return
      const lived_ms = performance.now() - began
      pause_ms = lived_ms > restart_max_ms ? restart_first_ms : Math.min(pause_ms * 2, restart_max_ms)
      log.warn({ code, signal, pause_ms }, 'the worker ended; it is started again')
      setTimeout(() => {
        if (!stopped) begin()
      }, pause_ms)
    })
  }
  begin()
  return {
    start(installation) {
      known.resolve(installation)
      return ready.promise
    },
    async stop() {
      stopped = true
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      child.kill('SIGTERM')
      await ended
    },
  }
}
