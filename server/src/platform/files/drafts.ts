import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isRunning, linkOf, thisProcess } from '../processes.ts'

/**
 * Names of unfinished files: `SYSTEM-PID-START-UUID`. They contain the process that writes them, so a killed process's files
 * are recognized immediately. A system is one boot of one machine, within one PID namespace (container), because each namespace
 * has its own pids.
 */

const DRAFT = /^(?<system>[0-9a-f]{16})-(?<pid>\d+)-(?<started>\d*)-[0-9a-f-]{36}$/
const UNKNOWN_SYSTEM = '0'.repeat(16)
let system: string | undefined

export function draftName(): string {
  const { pid, started } = thisProcess()
  return `${thisSystem()}-${pid}-${started}-${randomUUID()}`
}

export const isDraft = (name: string): boolean => DRAFT.test(name)

/** Whether the process that wrote a draft has ended. False for other machines and containers, where that is unknown. */
export function isAbandoned(name: string): boolean {
  const owner = DRAFT.exec(name)?.groups
  if (owner?.['system'] !== thisSystem() || owner['system'] === UNKNOWN_SYSTEM) return false
  return !isRunning({ pid: Number(owner['pid']), started: owner['started'] ?? '' })
}

/** Whether a process of this machine and container wrote the draft. */
export const isOfThisSystem = (name: string): boolean => DRAFT.exec(name)?.groups?.['system'] === thisSystem()

function thisSystem(): string {
  system ??= readSystem()
  return system
}

function readSystem(): string {
  // macOS has neither file, so other processes are unknown there
  if (process.platform !== 'linux') return UNKNOWN_SYSTEM
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
  return createHash('sha256')
    .update(`${boot} ${linkOf('self', 'ns/pid')}`)
    .digest('hex')
    .slice(0, 16)
}
