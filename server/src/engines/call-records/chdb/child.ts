/** Starting one engine process, and hearing how it went. */

import { fork, spawnSync, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { LIMITS } from '../limits.ts'
import type { EngineWord } from './main.ts'

export type Started =
  | { as: 'ready'; child: ChildProcess; exited: Promise<string> }
  /** Another process has the folder open. */
  | { as: 'in_use'; reason: string }
  | { as: 'failed'; reason: string }

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
/** util-linux's program; BusyBox has one that cannot do what we need, macOS has none. */
const SETPRIV = 'setpriv'
/** chDB writes this to stderr only (CANNOT_OPEN_FILE, from the lock on its file `status`). */
const IN_USE = /\bCode: 76\b.*Cannot lock file/
/** What of the engine's last words goes into an error. */
const STDERR_BYTES = 4096

/** Forks an engine over `folder` and waits until it listens on `socket`, or until it is known that it will not. */
export async function startChild(folder: string, socket: string, stop: AbortSignal): Promise<Started> {
  const child = launch(folder, socket)
  const kill = (): boolean => child.kill('SIGKILL')
  stop.addEventListener('abort', kill, { once: true })
  const lastWords = collect(child)
  const exited = new Promise<string>((resolve) => {
    // After `exit`, once everything it wrote was read.
    child.once('close', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`))
    child.once('error', (error) => resolve(error.message))
  })
  const word = await firstOf(child, exited)
  stop.removeEventListener('abort', kill)
  if (word.said === 'ready') return { as: 'ready', child, exited }
  // Having loaded chDB it may not end by itself.
  kill()
  await exited
  const reason = [word.reason, lastWords()].filter((text) => text !== '').join('\n')
  return { as: IN_USE.test(reason) ? 'in_use' : 'failed', reason }
}

/**
 * The environment is empty but for what a process needs: the engine has no business with our secrets. Node's own flags stay behind as well.
 * With setpriv the kernel kills the engine when we die, even if it hangs and hears nothing.
 */
function launch(folder: string, socket: string): ChildProcess {
  const env = {
    PATH: process.env['PATH'],
    TMPDIR: process.env['TMPDIR'],
    TZ: 'UTC',
    UV_THREADPOOL_SIZE: String(LIMITS.engine_threads),
  }
  const node = process.execPath
  return fork(MAIN, [folder, socket], {
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    ...(canTieToParent()
      ? { execPath: SETPRIV, execArgv: ['--pdeathsig', 'KILL', node] }
      : { execPath: node, execArgv: [] }),
  })
}

let tied: boolean | undefined

function canTieToParent(): boolean {
  tied ??= spawnSync(SETPRIV, ['--pdeathsig', 'KILL', 'true'], { stdio: 'ignore', timeout: 5000 }).status === 0
  return tied
}

async function firstOf(child: ChildProcess, exited: Promise<string>): Promise<EngineWord> {
  const late = new AbortController()
  const word = new Promise<EngineWord>((resolve) => {
    // Our own program at the other end sends nothing else.
    child.once('message', (message) => resolve(message as EngineWord))
    void exited.then((how) => resolve({ said: 'failed', reason: `The engine ended before it was ready (${how})` }))
    const timer = setTimeout(
      () => resolve({ said: 'failed', reason: 'The engine did not start in time' }),
      LIMITS.engine_start_ms,
    )
    late.signal.addEventListener('abort', () => clearTimeout(timer))
  })
  try {
    return await word
  } finally {
    late.abort()
  }
}

function collect(child: ChildProcess): () => string {
  let kept = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    kept = (kept + text).slice(-STDERR_BYTES)
  })
  return () => kept.trim()
}
