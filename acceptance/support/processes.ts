import { readdirSync, readFileSync } from 'node:fs'
import os from 'node:os'

/** The processes of a service as /proc has them. Linux only. */

export type ProcessName = 'worker' | 'engine' | 'postgres'

export interface Process {
  pid: number
  parent: number
  /** The arguments, with spaces between them. */
  command: string
}

/** The children of a service's main process that are known by their command line. */
export function childrenOf(parent: number): { pid: number; name: ProcessName }[] {
  return allProcesses().flatMap(({ pid, parent: of, command }) => {
    const name = of === parent ? nameOf(command) : undefined
    return name === undefined ? [] : [{ pid, name }]
  })
}

/** The id of the child of a process whose command line contains the text; null while there is none. */
export function childOf(parent: number, text: string): number | null {
  const found = allProcesses().find((each) => each.parent === parent && each.command.includes(text))
  return found?.pid ?? null
}

/** A process and everything below it. */
export function descendantsOf(root: number): Process[] {
  const all = allProcesses()
  const found = all.filter(({ pid }) => pid === root)
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid))
  return found
}

/** How many times longer than on an idle machine something may take: the tasks that want a processor, for each there is. */
export function loadFactor(): number {
  const [one_minute = 0] = os.loadavg()
  return Math.min(Math.max(one_minute / os.availableParallelism(), 1), 5)
}

function nameOf(command: string): ProcessName | undefined {
  if (command.startsWith('cdr-engine')) return 'engine'
  if (/^\S*postgres /.test(command)) return 'postgres'
  return command.includes('server/src/main.ts') ? 'worker' : undefined
}

function allProcesses(): Process[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name)
    if (!Number.isInteger(pid)) return []
    const status = readUnlessGone(`/proc/${pid}/status`)
    const parent = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1])
    if (Number.isNaN(parent) || /^State:\s+Z/m.test(status)) return []
    return [{ pid, parent, command: readUnlessGone(`/proc/${pid}/cmdline`).replaceAll('\0', ' ') }]
  })
}

/** Empty for a process that exited meanwhile. */
function readUnlessGone(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return ''
    throw error
  }
}
