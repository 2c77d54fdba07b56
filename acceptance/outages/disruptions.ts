import { spawnSync } from 'node:child_process'
import { appendFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { childrenOf } from '../support/processes.ts'
import type { ServiceProcess } from '../support/service.ts'
import { EmbeddedDatabase } from './database.ts'
import type { Kind } from './traffic.ts'

/** What happens to the dependencies of a service, and what has to go on meanwhile. */
export interface Disruption {
  fault: string
  /** Does it. Returns what ends it, or, where the service itself has to, whether that has ended it. */
  begin(): Promise<{ end: () => Promise<void> | void } | { isOver: () => boolean }>
  /** Until it is ended, where it is. */
  lasts_ms: number
  /** Whether every request of a kind is served as usual meanwhile. */
  goesOn(kind: Kind): boolean
  /** What readiness says meanwhile; null where it may be over before it is seen. */
  readiness: RegExp | null
}

/** Holds more than what the traffic of all rounds writes. */
const disk_mib = 640

/** Makes the folder a small disk of its own. False where this user may not mount one. Undo it with `unmount`. */
export function mountSmallDisk(folder: string): boolean {
  const options = `size=${disk_mib}m,mode=0711`
  return spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status === 0
}

export function unmount(folder: string): void {
  spawnSync('umount', ['--lazy', folder])
}

/** The disruptions of a service's dependencies; that of its disk only where it has one of its own. */
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

const of_database = { lasts_ms: 0, goesOn: ({ needs }: Kind) => needs === 'nothing', readiness: /database/ }

/** Signals processes, of which the service has to have others. */
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
    fault: 'All connections of PostgreSQL taken by others',
    begin: async () => ({ end: await database.takeAllConnections() }),
    lasts_ms: 3_000,
    // it has connections of its own, and uses those
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
    goesOn: ({ needs, writes }) => !writes && needs !== 'everything',
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
    goesOn: ({ needs }) => needs === 'nothing' || needs === 'database',
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
      // what is freed meanwhile is filled too
      const again = setInterval(() => void fill(filling), 200)
      return {
        end: async () => {
          clearInterval(again)
          await rm(filling)
        },
      }
    },
    lasts_ms: 4_000,
    goesOn: ({ needs, writes }) => needs === 'nothing' || (needs === 'database' && !writes),
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
