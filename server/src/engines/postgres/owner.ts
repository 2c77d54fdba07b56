import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { isRunning, thisProcess } from '../../platform/processes.ts'
import { readIfThere } from './folders.ts'

/** The owner is the process that started a server. It restarts and stops the server. A file next to the data identifies it. */

export function becomeOwner(home: string): void {
  const { pid, started } = thisProcess()
  writeFileSync(ownerFile(home), `${pid} ${started}\n`)
}

/** Whether the process that started the server is running. */
export function hasOwner(home: string): boolean {
  const [pid, started] = readIfThere(ownerFile(home))?.trim().split(' ') ?? []
  return pid !== undefined && started !== undefined && isRunning({ pid: Number(pid), started })
}

function ownerFile(home: string): string {
  return path.join(home, 'owner')
}
