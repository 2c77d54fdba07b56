/**
 * The engine's sessions. Each session runs one query at a time. Each class of queries has a pool of sessions, and queries
 * beyond its size wait.
 */

import { Session } from 'chdb'
import { LIMITS } from '../limits.ts'

export type Pool = {
  /** Runs `work` with exclusive use of a session. */
  use: <T>(work: (session: Session) => Promise<T>) => Promise<T>
}

export type Sessions = { queries: Pool; exports: Pool; control: Pool; close: () => void }

/** Opens the store in `folder`. Throws chDB's error 76 if another process has it open. */
export function openSessions(folder: string, config_file?: string): Sessions {
  const connectionArgs = config_file === undefined ? ARGUMENTS : [...ARGUMENTS, `--config-file=${config_file}`]
  const all: Session[] = []
  const open = (): Session => {
    const session = new Session(folder, { connectionArgs })
    all.push(session)
    return session
  }
  const pool = (size: number): Pool => makePool(Array.from({ length: size }, open))
  return {
    queries: pool(LIMITS.engine_queries),
    exports: pool(LIMITS.exports),
    control: pool(1),
    close: () => {
      for (const session of all) session.close()
    },
  }
}

const ARGUMENTS = [
  `--max_server_memory_usage=${LIMITS.engine_memory_bytes}`,
  `--mark_cache_size=${LIMITS.mark_cache_bytes}`,
  `--index_mark_cache_size=${LIMITS.mark_cache_bytes}`,
  `--max_query_size=${LIMITS.sql_bytes}`,
  `--storage_configuration.disks.default.keep_free_space_bytes=${LIMITS.engine_free_bytes}`,
  // a deletion waits for the background tasks, several times; the default, a random time up to 1 s, spreads the tasks of many servers
  '--background_processing_pool_task_sleep_seconds_when_no_work_random_part=0.01',
]

function makePool(free: Session[]): Pool {
  const waiting: ((session: Session) => void)[] = []
  const acquire = (): Session | Promise<Session> => free.pop() ?? new Promise((resolve) => waiting.push(resolve))
  const release = (session: Session): void => {
    const next = waiting.shift()
    if (next === undefined) free.push(session)
    else next(session)
  }
  return {
    use: async (work) => {
      const session = await acquire()
      try {
        return await work(session)
      } finally {
        release(session)
      }
    },
  }
}
