import { fork, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Installation } from '../installation.ts'
import type { Log } from '../platform/db.ts'

/** The worker as a child of the API process, and the messages between the two. */

const restart_first_ms = 100
const restart_max_ms = 10_000

/** What a worker needs to start. Sent over IPC, so that no secret is in its environment. */
export interface WorkerSetup {
  installation: Installation
  /** The same for every successive worker of this parent. */
  name: string
}

/** In a child: waits for the setup. Undefined in a process without an IPC channel. */
export async function setupFromParent(): Promise<WorkerSetup | undefined> {
  if (process.send === undefined) return undefined
  const setup = new Promise<WorkerSetup>((resolve) =>
    process.once('message', (message: WorkerSetup) => resolve(message)),
  )
  process.send('loaded')
  return await setup
}

export interface WorkerChild {
  /** Sends the installation to the worker. Resolves when the first worker is ready. */
  start(installation: Installation): Promise<void>
  /** Stops the worker and does not restart it; resolves when it has exited. */
  stop(): Promise<void>
}

/** Forks a worker, which loads and then waits for `start`; forks another whenever one ends. */
export function forkWorker(log: Log): WorkerChild {
  const name = `worker-${process.pid}-${randomUUID().slice(0, 8)}`
  const opened = Promise.withResolvers<Installation>()
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
    const sendSetup = async () => {
      const setup: WorkerSetup = { installation: await opened.promise, name }
      if (started.connected) started.send(setup)
    }
    started.on('message', (message) => {
      if (message === 'loaded') void sendSetup()
      if (message === 'ready') ready.resolve()
    })
    started.once('exit', (code, signal) => {
      if (stopped) return
      const lived_ms = performance.now() - began
      pause_ms = lived_ms > restart_max_ms ? restart_first_ms : Math.min(pause_ms * 2, restart_max_ms)
      log.warn({ code, signal, pause_ms }, 'the worker exited; it is restarted')
      setTimeout(() => {
        if (!stopped) begin()
      }, pause_ms)
    })
  }
  begin()
  return {
    start(installation) {
      opened.resolve(installation)
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
