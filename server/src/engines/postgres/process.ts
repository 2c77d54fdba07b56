import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Account } from './account.ts'
import { readIfThere } from './folders.ts'
import { allPids, isRunning, linkOf, taskOf, thisProcess } from '../../platform/processes.ts'

/**
 * The content of `postmaster.pid`, whose lines are: pid, data folder, start time, port, socket folder, address, shared memory,
 * status.
 */
export interface Postmaster {
  pid: number
  socket_folder: string
  status: string
}

/** The live server of a data folder, in any state, or undefined. */
export function livePostmaster(cluster: string): Postmaster | undefined {
  const lines = readIfThere(pidFile(cluster))?.split('\n') ?? []
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0 || !servesFolder(pid, cluster)) return undefined
  return { pid, socket_folder: lines[4] ?? '', status: (lines[7] ?? '').trim() }
}

/**
 * Writes this process's pid into a stale `postmaster.pid`. PostgreSQL checks only whether some process has that pid, so a
 * zombie or an unrelated process with the same number keeps it from starting. It ignores a file that contains the pid of its
 * parent, which will be this process. The file must stay, because the server also uses it to find orphaned backends that still
 * use the shared memory. Call only when `livePostmaster` found no server.
 */
export function takeOverStalePidFile(cluster: string): void {
  const text = readIfThere(pidFile(cluster))
  if (text === undefined) return
  const rest = text.split('\n').slice(1)
  if (rest.length === 0) rmSync(pidFile(cluster)) // truncated by a full disk or a power loss: nothing in it can be used
  else writeFileSync(pidFile(cluster), [process.pid, ...rest].join('\n'))
}

function pidFile(cluster: string): string {
  return path.join(cluster, 'postmaster.pid')
}

/** The working directory of a postmaster and its children is their data folder. */
function servesFolder(pid: number, cluster: string): boolean {
  // the link first: it excludes most processes, and each check of a server, once a second, asks for every process of the machine
  return linkOf(pid, 'cwd') === cluster && taskOf(pid) !== undefined
}

/** Every process of a server, including those that outlived their postmaster. Excludes shells in the folder. */
export function serverProcesses(cluster: string): number[] {
  return allPids().filter(
    (pid) => servesFolder(pid, cluster) && /\/postgres( \(deleted\))?$/.test(linkOf(pid, 'exe') ?? ''),
  )
}

export interface Command {
  file: string
  args: string[]
  /** For spawn. */
  identity: { uid?: number; gid?: number }
}

/**
 * The command that runs a program as `account` (undefined: as the account of this process). The kernel sends `death_signal` to
 * the program when this process dies, even by `kill -9`. Without util-linux's setpriv, only the account changes. The signal is
 * tied to the thread that spawns the program, so call from the main thread.
 */
export function commandAs(
  account: Account | undefined,
  death_signal: 'INT' | 'KILL',
  [file, ...args]: [string, ...string[]],
): Command {
  const ids = account && { uid: account.uid, gid: account.gid }
  if (!hasSetpriv()) return { file, args, identity: { ...ids } }
  const change = ids ? ['--reuid', `${ids.uid}`, '--regid', `${ids.gid}`, '--clear-groups'] : []
  return {
    file: 'setpriv',
    args: [...change, '--pdeathsig', death_signal, file, ...args],
    identity: {},
  }
}

function hasSetpriv(): boolean {
  try {
    return execFileSync('setpriv', ['--help'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).includes(
      '--pdeathsig',
    )
  } catch {
    return false // absent, or BusyBox's, which has no --help and no --pdeathsig
  }
}

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
