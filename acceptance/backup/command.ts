import { spawn, type ChildProcess } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { descendantsOf } from '../support/processes.ts'
import { environment } from '../support/environment.ts'

/** The operator's commands `backup` and `restore`, with the settings of a service in demo mode. */

export type Verb = 'backup' | 'restore'

export interface Run {
  child: ChildProcess
  /** The exit status, null if it was killed, and everything that was printed. */
  ended: Promise<{ status: number | null; output: string }>
}

export function start(verb: Verb, data: string, ...options: string[]): Run {
  const script = fileURLToPath(new URL(`../../server/src/start/${verb}.ts`, import.meta.url))
  const child = spawn(process.execPath, [script, ...options], {
    env: { ...environment, DEMARC_MODE: 'demo', DEMARC_DATA: data, DEMARC_LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', (status) => resolve(status)))
  const printed = Promise.all([text(child.stdout), text(child.stderr)])
  const ended = exited.then(async (status) => ({ status, output: (await printed).join('') }))
  return { child, ended }
}

export const run = (verb: Verb, data: string, ...options: string[]) => start(verb, data, ...options).ended

/** Kills the command's process, or it and all that it started. */
export function kill({ child: { pid } }: Run, which: 'process' | 'tree'): void {
  if (pid === undefined) return
  for (const each of which === 'process' ? [{ pid }] : descendantsOf(pid).toReversed()) {
    try {
      process.kill(each.pid, 'SIGKILL')
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
}
