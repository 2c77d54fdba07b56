/**
 * Where the tables are: in the embedded engine, on one server, on a cluster, in a Replicated database, or in ClickHouse Cloud. The operator
 * says which (config.ts), server-check.ts compares it with the server, and schema.ts renders the tables accordingly.
 */

import type { ClickHouseSettings } from '@clickhouse/client'
import { LIMITS } from './limits.ts'

/** `cluster`: the cluster’s name in the configuration of its servers. */
export type StoreMode =
  | { name: 'embedded' | 'server' | 'replicated-database' | 'cloud' }
  | { name: 'cluster'; cluster: string }
  /** Shards inside the embedded engine, for tests and measurements of what shards cost. No operator chooses it. */
  | { name: 'embedded shards'; cluster: string }

export const MODE_NAMES = ['embedded', 'server', 'cluster', 'replicated-database', 'cloud'] as const

/** How the tables of a mode are created. */
export type Layout = {
  /** The cluster over which Distributed tables read and write `cdr_local` and `cdr_id_local`. Null if there is only `cdr` and `cdr_id`. */
  distributed_over: string | null
  /** The cluster on which each statement runs. Null if the server itself runs it everywhere. */
  on_cluster: string | null
  /** `replicated at path`: the path of the replicas is in the statement; otherwise the server chooses it. */
  engine: 'plain' | 'replicated' | 'replicated at path'
  /** Whether a part is synced to a disk. Object storage has no fsync. */
  syncs: boolean
}

const SINGLE: Layout = { distributed_over: null, on_cluster: null, engine: 'plain', syncs: true }

/** `database`: a Replicated database is also the name of the cluster of its servers. */
export function layoutOf(mode: StoreMode, database: string): Layout {
  switch (mode.name) {
    case 'embedded':
    case 'server':
      return SINGLE
    case 'cluster':
      return {
        distributed_over: mode.cluster,
        on_cluster: mode.cluster,
        engine: 'replicated at path',
        syncs: true,
      }
    case 'embedded shards':
      return { ...SINGLE, distributed_over: mode.cluster }
    case 'replicated-database':
      return { distributed_over: database, on_cluster: null, engine: 'replicated', syncs: true }
    case 'cloud':
      return { ...SINGLE, syncs: false }
  }
}

/** The cluster of all servers that have the tables; null for one server. ClickHouse Cloud calls it `default`. */
export function clusterOf(mode: StoreMode, database: string): string | null {
  if (mode.name === 'cloud') return 'default'
  return layoutOf(mode, database).distributed_over
}

/** Settings that make the statements of a mode exact. They are sent with each statement. */
export type ModeSettings = {
  /** Every statement. */
  all: ClickHouseSettings
  insert: ClickHouseSettings
  ddl: ClickHouseSettings
}

const NONE: ModeSettings = { all: {}, insert: {}, ddl: {} }

/**
 * The records of an account are on one shard, and a statement goes only to the shards of its accounts: one that would go to all of them
 * fails instead (code 507), unless it has EVERY_SHARD. dictGet, the sharding key, is not deterministic to ClickHouse.
 */
const SHARDED: ClickHouseSettings = {
  optimize_skip_unused_shards: 1,
  force_optimize_skip_unused_shards: '2',
  allow_nondeterministic_optimize_skip_unused_shards: 1,
  optimize_skip_unused_shards_limit: String(LIMITS.insert_rows),
  // a subquery reads the same shard
  distributed_product_mode: 'local',
  distributed_foreground_insert: 1,
}

/** Ends a statement whose result needs every shard. */
export const EVERY_SHARD = 'SETTINGS force_optimize_skip_unused_shards = 0'

/** For statements that name the shard themselves (`_shard_num`), wherever the account is placed. */
export const ANY_SHARD_SETTINGS = {
  optimize_skip_unused_shards: 0,
  force_optimize_skip_unused_shards: '0',
  // otherwise each shard would copy to itself
  parallel_distributed_insert_select: '0',
} as const satisfies ClickHouseSettings

/**
 * Reads see every insert that a quorum of replicas has. That requires inserts that are not parallel: a parallel one leaves gaps
 * (ClickHouse#17567). The quorum is more than half of the replicas.
 */
const REPLICATED: ModeSettings = {
  all: {
    select_sequential_consistency: '1',
    // the first replica that is up, so that the statements of an export read the same one
    load_balancing: 'in_order',
    fallback_to_stale_replicas_for_distributed_queries: 0,
    skip_unavailable_shards: 0,
    ...SHARDED,
  },
  insert: {
    insert_quorum: 'auto',
    insert_quorum_parallel: 0,
    // before the insert itself ends
    insert_quorum_timeout: LIMITS.quorum_seconds * 1000,
  },
  ddl: { alter_sync: '2', distributed_ddl_task_timeout: String(LIMITS.ddl_seconds) },
}

/** SETTINGS at the end of a statement. */
export const settingsClause = (settings: ClickHouseSettings): string =>
  `SETTINGS ${Object.entries(settings)
    .map(([name, value]) => `${name} = '${String(value)}'`)
    .join(', ')}`

export function settingsOf(mode: StoreMode): ModeSettings {
  switch (mode.name) {
    case 'embedded':
    case 'server':
      return NONE
    case 'embedded shards':
      return { ...NONE, all: SHARDED }
    case 'cluster':
    case 'replicated-database':
      return REPLICATED
    case 'cloud':
      // storage is shared, so an insert has no quorum; a server may not know the latest parts yet
      return { ...NONE, all: { select_sequential_consistency: '1' } }
  }
}
