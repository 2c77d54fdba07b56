/** Starts one engine process and waits until it is ready or has failed. */

import { fork, spawnSync, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { idlenessMeter } from '../../../platform/patience.ts'
import { threadsOf } from '../../../platform/processes.ts'
import { LIMITS } from '../limits.ts'
import type { EngineMessage } from './main.ts'

export type StartResult =
  | { status: 'ready'; child: ChildProcess; exited: Promise<string> }
  /** Another process has the folder open. */
  | { status: 'in_use'; reason: string }
  | { status: 'failed'; reason: string }
  /** Stopped by another party before it was ready. */
  | { status: 'killed'; reason: string }

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
/** The util-linux program; BusyBox's version lacks --pdeathsig, and macOS has none. */
const SETPRIV = 'setpriv'
/** chDB writes this to stderr only (CANNOT_OPEN_FILE, from the lock on its file `status`). */
const IN_USE = /\bCode: 76\b.*Cannot lock file/
/** How often a starting engine is checked for whether it works. */
const WATCH_MS = 250
/** Length of the end of the engine's stderr that an error includes. */
const STDERR_BYTES = 4096

export type ChildOptions = { folder: string; socket: string; config_file?: string }

/** Forks an engine over `folder` and waits until it listens on `socket` or has failed. */
export async function startChild(options: ChildOptions, stop: AbortSignal): Promise<StartResult> {
  const child = launch(options)
  const kill = (): boolean => child.kill('SIGKILL')
  stop.addEventListener('abort', kill, { once: true })
  const stderrTail = collectStderr(child)
  const exited = new Promise<string>((resolve) => {
    // `close` follows `exit` after all of stderr has been read.
    child.once('close', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`))
    child.once('error', (error) => resolve(error.message))
  })
  const message = await firstMessage(child, exited)
  stop.removeEventListener('abort', kill)
  if (message.status === 'ready') return { status: 'ready', child, exited }
  const killed = child.signalCode === 'SIGKILL'
  // A process that has loaded chDB may not exit on its own.
  kill()
  await exited
  const reason = [message.reason, stderrTail()].filter((text) => text !== '').join('\n')
  return { status: killed ? 'killed' : IN_USE.test(reason) ? 'in_use' : 'failed', reason }
}

/**
 * The environment contains only what a process needs, without the service's secrets or Node's flags. With setpriv, the kernel
 * kills the engine when its parent exits, even if the engine hangs.
 */
function launch({ folder, socket, config_file }: ChildOptions): ChildProcess {
  const env = {
    PATH: process.env['PATH'],
    TMPDIR: process.env['TMPDIR'],
    TZ: 'UTC',
    UV_THREADPOOL_SIZE: String(LIMITS.engine_threads),
  }
  const node = process.execPath
  return fork(MAIN, [folder, socket, ...(config_file === undefined ? [] : [config_file])], {
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    ...(hasParentDeathSignal()
      ? { execPath: SETPRIV, execArgv: ['--pdeathsig', 'KILL', node] }
      : { execPath: node, execArgv: [] }),
  })
}

let has_parent_death_signal: boolean | undefined

function hasParentDeathSignal(): boolean {
  has_parent_death_signal ??=
    spawnSync(SETPRIV, ['--pdeathsig', 'KILL', 'true'], { stdio: 'ignore', timeout: 5000 }).status === 0
  return has_parent_death_signal
}

/** The first message of an engine, or a failure if it exits or is idle for `idle_max_ms` before that. */
export async function firstMessage(
  child: ChildProcess,
  exited: Promise<string>,
  idle_max_ms: number = LIMITS.engine_start_idle_ms,
): Promise<EngineMessage> {
  const idleMs = idlenessMeter(() => threadsOf(child.pid ?? 0))
  let watch: NodeJS.Timeout | undefined
  const word = new Promise<EngineMessage>((resolve) => {
    // main.ts sends nothing else.
    child.once('message', (message) => resolve(message as EngineMessage))
    void exited.then((how) => resolve({ status: 'failed', reason: `The engine exited before it was ready (${how})` }))
    watch = setInterval(() => {
      if (idleMs() >= idle_max_ms) resolve({ status: 'failed', reason: 'The engine stopped working during its start' })
    }, WATCH_MS)
  })
  try {
    return await word
  } finally {
    clearInterval(watch)
  }
}

function collectStderr(child: ChildProcess): () => string {
  let kept = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    kept = (kept + text).slice(-STDERR_BYTES)
  })
  return () => kept.trim()
}
