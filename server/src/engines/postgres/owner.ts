import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { readIfThere } from './folders.ts'
import { thisProcess, type ProcessId } from './process.ts'

/** Who started a server, kept beside its data. */
export interface Owner extends ProcessId {
  /** The kernel stops the server when this process dies. */
  tethered: boolean
}

export function writeOwner(home: string, tethered: boolean): void {
  const { pid, started } = thisProcess()
  writeFileSync(ownerFile(home), `${pid} ${started} ${tethered ? 'tethered' : 'free'}\n`)
}

/** Undefined when nobody wrote it, or when the writing was cut short. */
export function readOwner(home: string): Owner | undefined {
  const [pid, started, tether] = readIfThere(ownerFile(home))?.trim().split(' ') ?? []
  return pid && started && tether ? { pid: Number(pid), started, tethered: tether === 'tethered' } : undefined
}

function ownerFile(home: string): string {
  return path.join(home, 'owner')
}
