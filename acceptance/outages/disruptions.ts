import { spawnSync } from 'node:child_process'
import { appendFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { childrenOf } from '../support/processes.ts'
import type { ServiceProcess } from '../support/service.ts'
import { EmbeddedDatabase } from './database.ts'
import type { Kind } from './traffic.ts'

/** Failures of a service's dependencies, and what must keep working meanwhile. */
export interface Disruption {
  fault: string
  /** Causes the failure. Returns a function that ends it or, if the service itself must recover, one that tells whether it has. */
  begin(): Promise<{ end: () => Promise<void> | void } | { isOver: () => boolean }>
  /** How long it lasts at least, if it is ended from outside. It is not ended before readiness reports it. */
  lasts_ms: number
  /** Whether every request of a kind must be served as usual meanwhile. */
  isUnaffected(kind: Kind): boolean
  /** What readiness reports meanwhile; null if the failure may end before it is seen. */
  readiness: RegExp | null
}

/** Enough for all rounds' writes. */
const disk_mib = 640

/** Mounts a small disk on the folder. False if this user may not mount one. Undo with `unmount`. */
export function mountSmallDisk(folder: string): boolean {
  const options = `size=${disk_mib}m,mode=0711`
  return spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status === 0
}

export function unmount(folder: string): void {
  spawnSync('umount', ['--lazy', folder])
}

/** The failures of a service's dependencies; a full disk only if the service has its own disk. */
export function disruptionsOf({ pid, data_dir: data }: ServiceProcess, own_disk: boolean): Disruption[] {
  const database = new EmbeddedDatabase(data)
  return [
    ...ended(database),
    ...limited(database),
    engineHung(pid),
    ...(own_disk ? [diskFull(path.dirname(data))] : []),
    ...hung(database),
  ]
}

const of_database = { lasts_ms: 0, isUnaffected: ({ needs }: Kind) => needs === 'nothing', readiness: /database/ }

/** Signals processes that the service must replace. */
function signaled(pids: readonly (number | undefined)[], by: NodeJS.Signals, find: () => number | undefined) {
  const before = find()
  signal(pids, by)
  return { isOver: () => ![before, undefined].includes(find()) }
}

const ended = (database: EmbeddedDatabase): Disruption[] => [
  {
    ...of_database,
    fault: 'PostgreSQL restarted',
    begin: async () => signaled([database.postmaster()], 'SIGINT', () => database.postmaster()),
    readiness: null,
  },
  {
    ...of_database,
    fault: 'PostgreSQL killed',
    begin: async () => signaled([database.postmaster()], 'SIGKILL', () => database.postmaster()),
    readiness: null,
  },
]

const limited = (database: EmbeddedDatabase): Disruption[] => [
  {
    ...of_database,
    fault: 'All PostgreSQL connections taken by other clients',
    begin: async () => ({ end: await database.takeAllConnections() }),
    lasts_ms: 3_000,
    // the service keeps using the connections it has
    readiness: null,
  },
  {
    ...of_database,
    fault: 'PostgreSQL read-only',
    begin: async () => {
      await database.setReadOnly(true)
      return { end: () => database.setReadOnly(false) }
    },
    lasts_ms: 3_000,
    isUnaffected: ({ needs, writes }) => !writes && needs !== 'everything',
    readiness: /database is read-only/,
  },
]

const hung = (database: EmbeddedDatabase): Disruption[] => [
  {
    ...of_database,
    fault: 'PostgreSQL hung, for six seconds',
    begin: async () => {
      const pids = database.processes()
      signal(pids, 'SIGSTOP')
      return { end: () => signal(pids, 'SIGCONT') }
    },
    lasts_ms: 6_000,
  },
  {
    ...of_database,
    fault: 'PostgreSQL hung indefinitely',
    begin: async () => signaled(database.processes(), 'SIGSTOP', () => database.postmaster()),
  },
]

function engineHung(main: number): Disruption {
  const engine = () => childrenOf(main).find(({ name }) => name === 'engine')?.pid
  return {
    fault: 'Call-record engine hung',
    begin: async () => signaled([engine()], 'SIGSTOP', engine),
    lasts_ms: 0,
    isUnaffected: ({ needs }) => needs === 'nothing' || needs === 'database',
    readiness: /call_records/,
  }
}

function signal(pids: readonly (number | undefined)[], by: NodeJS.Signals): void {
  for (const pid of pids) {
    if (pid === undefined) continue
    try {
      process.kill(pid, by)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
}

function diskFull(disk: string): Disruption {
  const filling = path.join(disk, 'filling')
  return {
    fault: 'Disk full',
    begin: async () => {
      await fill(filling)
      // fills space that is freed meanwhile too
      const again = setInterval(() => void fill(filling), 200)
      return {
        end: async () => {
          clearInterval(again)
          await rm(filling)
        },
      }
    },
    lasts_ms: 4_000,
    isUnaffected: ({ needs, writes }) => needs === 'nothing' || (needs === 'database' && !writes),
    readiness: /storage has only \d+ MiB left/,
  }
}

async function fill(file: string): Promise<void> {
  for (const bytes of [1024 ** 2, 4096])
    try {
      for (;;) await appendFile(file, Buffer.alloc(bytes))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    }
}
