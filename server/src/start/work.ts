import { fork, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { openPlaces, type Places } from '../places.ts'
import { startWorker } from '../worker.ts'
import { openRuntime } from '../runtime.ts'
import type { Config } from '../config.ts'
import type { Log } from '../platform/db.ts'
import { stopOnSignals } from './stop.ts'

/** The worker process: alone (DEMARC_ROLE=worker), or the child of `all`. */

const restart_first_ms = 200
const restart_max_ms = 10_000
const finish_ms = 5_000

/** A worker of its own finds the parts by the settings; as a child it is told by its parent, so that no secret stands in its environment. */
export async function workerPlaces(config: Config, log: Log): Promise<Places> {
  if (process.send === undefined) return (await openPlaces(config, log)).places
  return await new Promise<Places>((resolve) => {
    process.once('message', (message: { places: Places }) => resolve(message.places))
    process.send?.('hello')
  })
}

export async function runWorker(config: Config, places: Places, log: Log): Promise<void> {
  const runtime = await openRuntime(config, places, 'worker', log)
  await runtime.warehouse.ready()
  const runner = await startWorker(runtime, `worker-${process.pid}-${randomUUID().slice(0, 8)}`)
  stopOnSignals(async () => {
    await runner.stop(finish_ms)
    await runtime.close()
  }, log)
  process.send?.('ready')
  log.info({}, 'worker ready')
}

export interface WorkerChild {
  stop(): Promise<void>
  pid(): number | undefined
}

/** Starts a worker as a child process and starts it again whenever it ends. Resolves when the first one is ready. */
export async function startWorkerChild(places: Places, log: Log): Promise<WorkerChild> {
  let child: ChildProcess | null = null
  let stopped = false
  let pause_ms = restart_first_ms
  let onReady: () => void = () => undefined
  const ready = new Promise<void>((resolve) => (onReady = resolve))
  const start = () => {
    const began = performance.now()
    const started = fork(new URL('../main.ts', import.meta.url), process.argv.slice(2), {
      env: { ...process.env, DEMARC_ROLE: 'worker' },
      // Ctrl-C reaches the whole group: the parent stops its children in order instead
      detached: true,
    })
    child = started
    started.on('message', (message) => {
      if (message === 'hello') started.send({ places })
      if (message === 'ready') onReady()
    })
    started.once('exit', (code, signal) => {
      if (stopped) return
      pause_ms = performance.now() - began > restart_max_ms ? restart_first_ms : Math.min(pause_ms * 2, restart_max_ms)
      log.warn({ code, signal, pause_ms }, 'the worker ended; it is started again')
      setTimeout(() => {
        if (!stopped) start()
      }, pause_ms)
    })
  }
  start()
  await ready
  return {
    pid: () => child?.pid,
    async stop() {
      stopped = true
      const running = child
      if (!running || running.exitCode !== null || running.signalCode !== null) return
      const ended = new Promise<void>((resolve) => running.once('exit', () => resolve()))
      running.kill('SIGTERM')
      await ended
    },
  }
}
