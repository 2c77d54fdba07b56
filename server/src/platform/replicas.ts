import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import { operatorChain } from './events.ts'
import type { Actor } from './actor.ts'
import { poolForKysely, readRows, sqlState, type Database, type DatabaseHandle, type Db, type Log } from './db.ts'
import { within } from './patience.ts'

/**
 * Reads of operations that declare `replica`. An actor never reads a state older than what it has seen: a replica is used only if
 * it has the account's newest event, which every change records in its own transaction. So this holds for any number of processes,
 * and for changes made by workers.
 */

export const replicaLimits = {
  /** A replica that is further behind is skipped, even if the account's own changes are there. */
  lag_ms: 5_000,
  /** How long a replica that failed is skipped. */
  retry_ms: 10_000,
  /** A replica that does not report its position within this time counts as failed. */
  response_ms: 1_000,
}
export type ReplicaLimits = typeof replicaLimits

/** Why a read went to the primary. */
export type SkipReason = 'behind' | 'lagging' | 'failed' | 'repeated'

export interface ReplicaObserver {
  /** A read was assigned to this server: `primary`, or `replica1` and so on. */
  onRead(server: string): void
  onSkip(server: string, reason: SkipReason): void
}

export interface Replicas {
  /**
   * Where the actor's read may run: a replica, or `primary`. A statement that fails on the replica is repeated on the primary.
   * Neither writes nor transactions are possible.
   */
  forActor(actor: Actor): Promise<Db>
  /** How far each replica is behind, in seconds; infinite if it does not respond, is no standby, or has replayed nothing since its start. */
  lags(): Promise<{ name: string; lag_s: number }[]>
  /** How far the replica that is furthest behind is behind. */
  lag_s(): Promise<number>
  close(): Promise<void>
}

/** A server's state as one account sees it. */
interface Position {
  /** The hash of the account's newest event; null if it has none. */
  head: string | null
  /** What has been written, or replayed. Null on a server of the other kind. */
  lsn: string | null
  /** The age of the last replayed transaction. Null on the primary. */
  replayed_ms: string | null
}

const PRIMARY_POSITION = `
  select (select encode(head, 'hex') from event_chain where chain_id = $1::bigint) as head,
    case when not pg_is_in_recovery() then pg_current_wal_insert_lsn()::text end as lsn, null as replayed_ms`

const REPLICA_POSITION = `
  select (select encode(head, 'hex') from event_chain where chain_id = $1::bigint) as head,
    case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text end as lsn,
    (extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000)::bigint as replayed_ms`

async function positionOf(db: Db, text: string, chain_id: string): Promise<Position> {
  const [position] = await readRows<Position>(db, text, [chain_id])
  return position ?? { head: null, lsn: null, replayed_ms: null }
}

/** Reads from `replicas` in turn, and from the primary when the one whose turn it is cannot be used. */
export function createReplicas(
  primary: DatabaseHandle,
  replicas: readonly DatabaseHandle[],
  observer: ReplicaObserver,
  log: Log,
  limits: ReplicaLimits = replicaLimits,
): Replicas {
  const servers = replicas.map(
    (handle, n) => new Replica(`replica${n + 1}`, primary, handle, { observer, log, limits }),
  )
  let turn = 0
  const lags = () =>
    Promise.all(servers.map(async (each) => ({ name: each.name, lag_s: (await each.lag_ms()) / 1000 })))
  return {
    lags,
    lag_s: async () => Math.max(...(await lags()).map(({ lag_s }) => lag_s)),
    async forActor(actor) {
      turn = (turn + 1) % servers.length
      const replica = servers[turn]
      const skip = replica === undefined ? null : await replica.reasonToSkip(actor)
      if (replica === undefined || skip !== null) {
        if (replica !== undefined && skip !== null) observer.onSkip(replica.name, skip)
        observer.onRead('primary')
        return primary.db
      }
      observer.onRead(replica.name)
      return replica.db
    },
    async close() {
      await Promise.all(replicas.map((each) => each.close()))
    },
  }
}

interface Circumstances {
  observer: ReplicaObserver
  log: Log
  limits: ReplicaLimits
}

class Replica {
  readonly name: string
  /** Runs statements on the replica, and those that fail there on the primary. */
  readonly db: Db
  readonly #primary: DatabaseHandle
  readonly #handle: DatabaseHandle
  readonly #in: Circumstances
  #failed_at = -Infinity

  constructor(name: string, primary: DatabaseHandle, handle: DatabaseHandle, circumstances: Circumstances) {
    this.name = name
    this.#primary = primary
    this.#handle = handle
    this.#in = circumstances
    const pool = repeating(poolForKysely(handle.pool), poolForKysely(primary.pool), (error) => this.#onError(error))
    this.db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  }

  /** Null if the replica has what the actor may have seen. Rejects with the primary's error. */
  async reasonToSkip({ account_id }: Actor): Promise<SkipReason | null> {
    if (this.#isFailed()) return 'failed'
    const [written, replayed] = await this.#positions(account_id ?? operatorChain)
    if (replayed === null) return 'failed'
    const is_complete = replayed.lsn !== null && replayed.lsn === written.lsn
    if (is_complete) return null
    // an operator's changes are in the chains of many accounts
    if (account_id === null || replayed.lsn === null || replayed.head !== written.head) return 'behind'
    return lagOf(replayed) > this.#in.limits.lag_ms ? 'lagging' : null
  }

  async lag_ms(): Promise<number> {
    if (this.#isFailed()) return Infinity
    const [written, replayed] = await this.#positions(operatorChain)
    if (replayed === null || replayed.lsn === null) return Infinity
    return replayed.lsn === written.lsn ? 0 : lagOf(replayed)
  }

  /** The positions of the primary and the replica, read at the same time; null for a replica that fails. */
  async #positions(chain_id: string): Promise<[Position, Position | null]> {
    const replayed = positionOf(this.#handle.db, REPLICA_POSITION, chain_id).catch((error: unknown) => {
      this.#fail(error)
      return null
    })
    const [written, outcome] = await Promise.all([
      positionOf(this.#primary.db, PRIMARY_POSITION, chain_id),
      within(replayed, this.#in.limits.response_ms),
    ])
    if (outcome !== 'silent') return [written, outcome]
    this.#fail(new Error('The replica is not responding.'))
    return [written, null]
  }

  #isFailed(): boolean {
    const failed = performance.now() - this.#failed_at < this.#in.limits.retry_ms
    if (!failed) this.#handle.setSilent(false)
    return failed
  }

  #fail(error: unknown): void {
    if (performance.now() - this.#failed_at < this.#in.limits.retry_ms) return
    this.#failed_at = performance.now()
    const retry_s = this.#in.limits.retry_ms / 1000
    this.#in.log.warn({ err: error, replica: this.name, retry_s }, 'a replica failed; reading from the primary')
    // statements that still wait for it fail, and are repeated on the primary
    this.#handle.setSilent(true)
  }

  #onError(error: unknown): void {
    this.#in.observer.onSkip(this.name, 'repeated')
    // an error of the statement, such as a conflict with the recovery (40001), says nothing about the server
    if (sqlState(error) === undefined) this.#fail(error)
  }
}

/** Without a replayed transaction since its start, the replica's lag is unknown. */
const lagOf = ({ replayed_ms }: Position): number => (replayed_ms === null ? Infinity : Number(replayed_ms))

/** query_canceled by the statement timeout: it would take as long again. read_only_sql_transaction: the operation must not write. */
const final = ['57014', '25006']

/** A pool that connects to `first` and repeats on `second` what fails there. Its clients must not begin transactions. */
function repeating(first: PostgresPool, second: PostgresPool, onError: (error: unknown) => void): PostgresPool {
  const repeat = async (error: unknown, text: string, parameters: readonly unknown[]) => {
    if (final.includes(sqlState(error) ?? '')) throw error
    onError(error)
    const client = await second.connect()
    try {
      return await client.query(text, parameters)
    } finally {
      client.release()
    }
  }
  return {
    options: first.options,
    async connect() {
      let client: PostgresPoolClient
      try {
        client = await first.connect()
      } catch (error) {
        onError(error)
        return await second.connect()
      }
      const query = (text: string, parameters: readonly unknown[]) =>
        client.query(text, parameters).catch((error: unknown) => repeat(error, text, parameters))
      // Kysely uses these two members only: it is given no cursor class
      return { query, release: () => client.release() } as unknown as PostgresPoolClient
    },
    end: () => first.end(),
  }
}
