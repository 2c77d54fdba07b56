import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { readIfThere } from './folders.ts'
import { thisProcess, type ProcessId } from './process.ts'

/** The process that started a server, written to a file beside its data. */
export interface Owner extends ProcessId {
  /** The kernel signals the server to stop when this process dies. */
  parent_death_signal: boolean
}

export function writeOwner(home: string, parent_death_signal: boolean): void {
  const { pid, started } = thisProcess()
  writeFileSync(ownerFile(home), `${pid} ${started} ${parent_death_signal ? 'tethered' : 'free'}\n`)
}

/** Undefined when there is no such file, or it is truncated. */
export function readOwner(home: string): Owner | undefined {
  const [pid, started, tether] = readIfThere(ownerFile(home))?.trim().split(' ') ?? []
  return pid && started && tether
    ? { pid: Number(pid), started, parent_death_signal: tether === 'tethered' }
    : undefined
}

function ownerFile(home: string): string {
  return path.join(home, 'owner')
}
