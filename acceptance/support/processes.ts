import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import os from 'node:os'

/** The processes of a service, from /proc. Linux only. */

export type ProcessName = 'worker' | 'engine' | 'postgres'

export interface Process {
  pid: number
  parent: number
  /** The state letter of proc_pid_status(5). */
  state: string
  /** The arguments separated by spaces, or the title that the process set. */
  command: string
}

/** Children of the main process, identified by their command lines. */
export function childrenOf(parent: number): { pid: number; name: ProcessName }[] {
  return allProcesses().flatMap(({ pid, parent: of, command }) => {
    const name = of === parent ? nameOf(command) : undefined
    return name === undefined ? [] : [{ pid, name }]
  })
}

/** The pid of the child whose command line contains the text; null if there is none. */
export function childOf(parent: number, text: string): number | null {
  const found = allProcesses().find((each) => each.parent === parent && each.command.includes(text))
  return found?.pid ?? null
}

/** A process and all its descendants. */
export function descendantsOf(root: number): Process[] {
  const all = allProcesses()
  const found = all.filter(({ pid }) => pid === root)
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid))
  return found
}

/** Every process that was started with the data folder, runs in it, or names it, regardless of its parent. */
export function usersOf(data_dir: string): Process[] {
  return allProcesses().filter(
    ({ pid, command }) =>
      pid !== process.pid &&
      (command.includes(data_dir) ||
        fileOf(pid, 'environ').includes(`DEMARC_DATA=${data_dir}`) ||
        unlessGone(() => readlinkSync(`/proc/${pid}/cwd`)).startsWith(data_dir)),
  )
}

/**
 * How much longer something may take than on an idle machine: the number of runnable tasks per processor. At present or in the
 * last minute, because the average follows a new load slowly.
 */
export function loadFactor(): number {
  const [one_minute = '0', , , running = '0'] = readFileSync('/proc/loadavg', 'utf8').split(/[ /]/)
  const tasks = Math.max(Number(one_minute), Number(running))
  return Math.min(Math.max(tasks / os.availableParallelism(), 1), 5)
}

/** Then a service may refuse any request for a moment, because it has too many. */
export const isMachineBusy = (): boolean => loadFactor() > 2

function nameOf(command: string): ProcessName | undefined {
  if (command.startsWith('cdr-engine')) return 'engine'
  if (/^\S*postgres /.test(command)) return 'postgres'
  return command.includes('server/src/main.ts') ? 'worker' : undefined
}

/** Without zombies. */
export function allProcesses(): Process[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name)
    if (!Number.isInteger(pid)) return []
    const status = fileOf(pid, 'status')
    const parent = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1])
    const state = /^State:\s+(\S)/m.exec(status)?.[1]
    if (Number.isNaN(parent) || state === undefined || state === 'Z') return []
    return [{ pid, parent, state, command: fileOf(pid, 'cmdline').replaceAll('\0', ' ') }]
  })
}

/** A file of a process; empty if it has ended or belongs to another user. */
export const fileOf = (pid: number, name: string): string =>
  unlessGone(() => readFileSync(`/proc/${pid}/${name}`, 'utf8'))

const unreadable = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM']

/** Empty for a process that has ended or belongs to another user. */
function unlessGone(read: () => string): string {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && 'code' in error && unreadable.includes(String(error.code))) return ''
    throw error
  }
}
