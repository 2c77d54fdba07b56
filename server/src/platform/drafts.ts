import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { isRunning, thisProcess } from './processes.ts'

/**
 * Names of unfinished files. Each has the process that writes it, so that a file of a killed one is known at once: `SYSTEM-PID-START-UUID`.
 * A system is one boot of one machine and, in it, one PID namespace, that is, one container: in another, the same pid is another process.
 */

const DRAFT = /^(?<system>[0-9a-f]{16})-(?<pid>\d+)-(?<started>\d*)-[0-9a-f-]{36}$/
const UNKNOWN_SYSTEM = '0'.repeat(16)
let system: string | undefined

export function draftName(): string {
  const { pid, started } = thisProcess()
  return `${thisSystem()}-${pid}-${started}-${randomUUID()}`
}

export const isDraft = (name: string): boolean => DRAFT.test(name)

/** Whether the process that wrote a draft is known to have ended. False for those of other machines and containers. */
export function isAbandoned(name: string): boolean {
  const owner = DRAFT.exec(name)?.groups
  if (owner?.['system'] !== thisSystem() || owner['system'] === UNKNOWN_SYSTEM) return false
  return !isRunning({ pid: Number(owner['pid']), started: owner['started'] ?? '' })
}

function thisSystem(): string {
  system ??= readSystem()
  return system
}

function readSystem(): string {
  // macOS has neither, and there nothing is known of other processes
  if (process.platform !== 'linux') return UNKNOWN_SYSTEM
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
  return createHash('sha256')
    .update(`${boot} ${readlinkSync('/proc/self/ns/pid')}`)
    .digest('hex')
    .slice(0, 16)
}
