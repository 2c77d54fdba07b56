import { fork, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Installation } from '../installation.ts'
import type { Log } from '../platform/db.ts'

/** Runs the worker as a child of the API process, and defines the messages between them. */

const restart_first_ms = 100
const restart_max_ms = 10_000

/** What a worker needs to start. */
export interface WorkerSetup {
  installation: Installation
  /** The same for every successive worker of this parent. */
  name: string
  /** Base URL of links in jobs. Known once the API listens. */
  public_url: Promise<string>
}

type MessageToWorker = { installation: Installation; name: string } | { public_url: string }
type MessageToParent = 'loaded' | 'ready'

/**
 * In a child, waits for its setup, which arrives over IPC to keep secrets out of the environment. Undefined in a process
 * without an IPC parent.
 */
export async function setupFromParent(): Promise<WorkerSetup | undefined> {
  if (process.send === undefined) return undefined
  const opened = Promise.withResolvers<{ installation: Installation; name: string }>()
  const listening = Promise.withResolvers<string>()
  process.on('message', (message: MessageToWorker) => {
    if ('public_url' in message) listening.resolve(message.public_url)
    else opened.resolve(message)
  })
  sendToParent('loaded')
  return { ...(await opened.promise), public_url: listening.promise }
}

/** In a child. Ignores send errors, because the closed channel already reports that the parent has exited. */
export function sendToParent(message: MessageToParent): void {
  process.send?.(message, undefined, undefined, () => undefined)
}

export interface WorkerChild {
  /** Sends the installation to the worker, which opens its connections. */
  open(installation: Installation): void
  /** Lets the worker run jobs. Resolves when the first worker is ready. */
  start(public_url: string): Promise<void>
  /** Stops the worker for good; resolves when it has exited. */
  stop(): Promise<void>
}

/** Forks a worker, which loads and then waits for `open` and `start`. Restarts it whenever it exits. */
export function forkWorker(log: Log, program = new URL('../main.ts', import.meta.url)): WorkerChild {
  const name = `worker-${process.pid}-${randomUUID().slice(0, 8)}`
  const opened = Promise.withResolvers<Installation>()
  const listening = Promise.withResolvers<string>()
  const ready = Promise.withResolvers<void>()
  let child: ChildProcess
  let stopped = false
  let pause_ms = restart_first_ms
  const begin = () => {
    const began = performance.now()
    child = forkOne(log, program, (how) => {
      if (stopped) return
      const lived_ms = performance.now() - began
      pause_ms = lived_ms > restart_max_ms ? restart_first_ms : Math.min(pause_ms * 2, restart_max_ms)
      log.warn({ ...how, pause_ms }, 'the worker exited; restarting it')
      setTimeout(() => {
        if (!stopped) begin()
      }, pause_ms)
    })
    const send = sender(child, log)
    const setUp = async () => {
      send({ installation: await opened.promise, name })
      send({ public_url: await listening.promise })
    }
    child.on('message', (message: MessageToParent) => {
      if (message === 'ready') ready.resolve()
      else void setUp()
    })
  }
  begin()
  return {
    open: (installation) => opened.resolve(installation),
    start(public_url) {
      listening.resolve(public_url)
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

function forkOne(
  log: Log,
  program: URL,
  ended: (how: { code: number | null; signal: string | null } | { err: Error }) => void,
): ChildProcess {
  const child = fork(program, process.argv.slice(2), {
    env: { ...process.env, DEMARC_ROLE: 'worker' },
    // Ctrl-C signals the whole process group, but the parent must stop its children in order
    detached: true,
  })
  child.once('exit', (code, signal) => ended({ code, signal }))
  child.on('error', (err) => {
    // a process that never started emits no exit event
    if (child.pid === undefined) ended({ err })
    else log.warn({ err }, 'the worker could not be signaled')
  })
  return child
}

/**
 * Ignores a worker that was just killed, whose exit is handled elsewhere. Without a callback, the send error would crash this
 * process.
 */
function sender(child: ChildProcess, log: Log): (message: MessageToWorker) => void {
  return (message) => {
    if (!child.connected) return
    child.send(message, (error) => {
      if (error) log.warn({ err: error }, 'the worker exited during setup')
    })
  }
}
