import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** The process table, read from /proc: Linux only. */

export interface Task {
  pid: number
  parent: number
  state: string
  /** Arguments, joined by spaces; what a process calls itself, where it has changed that. */
  command: string
}

export function tasks(): Task[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? taskOf(Number(name)) : []))
}

/** Nothing for a process that has ended, or waits for its parent to notice that it has. */
function taskOf(pid: number): Task[] {
  const status = fileOf(pid, 'status')
  const parent = /^PPid:\s+(\d+)/m.exec(status)?.[1]
  const state = /^State:\s+(\S)/m.exec(status)?.[1]
  if (parent === undefined || state === undefined || state === 'Z') return []
  const command = fileOf(pid, 'cmdline').replaceAll('\0', ' ').trim()
  return [{ pid, parent: Number(parent), state, command }]
}

/** A process and everything below it. */
export function treeOf(root: number, all: readonly Task[] = tasks()): Task[] {
  const found = all.filter((task) => task.pid === root)
  for (const task of found) found.push(...all.filter((each) => each.parent === task.pid))
  return found
}

/** Every process that was started with the data folder, is in it or names it; whoever its parent is. */
export function usersOf(folder: string): Task[] {
  return tasks().filter(
    ({ pid, command }) =>
      pid !== process.pid &&
      (command.includes(folder) ||
        fileOf(pid, 'environ').includes(`DEMARC_DATA=${folder}`) ||
        linkOf(pid, 'cwd').startsWith(folder)),
  )
}

/** Empty for a process that has ended, and for what belongs to another user. */
function fileOf(pid: number, name: string): string {
  return unlessGone(() => readFileSync(`/proc/${pid}/${name}`, 'utf8'))
}

function linkOf(pid: number, name: string): string {
  return unlessGone(() => readlinkSync(`/proc/${pid}/${name}`))
}

function unlessGone(read: () => string): string {
  try {
    return read()
  } catch (error) {
    if (
      error instanceof Error &&
      'code' in error &&
      ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(String(error.code))
    )
      return ''
    throw error
  }
}
