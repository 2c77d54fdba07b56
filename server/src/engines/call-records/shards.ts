/** Statements that name the shard themselves, to move an account's records. cdrs/move.ts has the protocol. */

import type { ClickHouse } from './clickhouse.ts'
import { WarehouseFailed } from './errors.ts'
import { accountNumber, compileFilter } from './filter.ts'
import { LIMITS } from './limits.ts'
import { ANY_SHARD_SETTINGS, layoutOf, settingsClause, type StoreMode } from './modes.ts'
import { monthRange } from './month-sums.ts'
import { CONFIGURATION, countShards, insertSettings, publish, type ShardedStore } from './placements.ts'
import { CLAIMED, INSERTED, onCluster } from './schema.ts'
import { SORTED } from './slices.ts'
import type { Shards, ShardSums } from './types.ts'

/** Null in a mode without shards. */
export function openShards(clickhouse: ClickHouse, database: string, mode: StoreMode): Shards | null {
  const layout = layoutOf(mode, database)
  const cluster = layout.distributed_over
  if (cluster === null) return null
  const store = { database, mode, cluster }
  return {
    count: () => countShards(clickhouse, cluster),
    publish: (placements) => publish(clickhouse, store, placements),
    sums: (of) => readSums(clickhouse, database, of),
    copyMonth: ({ month, ...what }) =>
      copy(clickhouse, store, {
        ...what,
        table: 'cdr',
        columns: INSERTED,
        time: 'arrival',
        range: inMonth(what.account_id, month),
      }),
    copyClaims: (what) =>
      copy(clickhouse, store, {
        ...what,
        table: 'cdr_id',
        columns: CLAIMED,
        time: 'claimed',
        range: ofAccount(what.account_id),
      }),
    mayBeInFlight: (of) => mayBeInFlight(clickhouse, database, of),
    remove: async ({ account_id, shard }) => {
      const is_shard = await shardCondition(clickhouse, store, shard)
      for (const table of ['cdr_local', 'cdr_id_local'])
        await clickhouse.run(`ALTER TABLE ${database}.${table}${onCluster(layout)} DELETE WHERE ${ofAccount(account_id)} AND ${is_shard}
SETTINGS mutations_sync = 2, allow_nondeterministic_mutations = 1`)
    },
  }
}

const ofAccount = (account_id: string): string => `account_id = ${accountNumber(account_id)}`
const inMonth = (account_id: string, month: string): string => compileFilter({ account_id, filter: monthRange(month) })
const onShard = (shard: number): string => `_shard_num = ${shard + 1}`
const ANY_SHARD = settingsClause(ANY_SHARD_SETTINGS)

async function readSums(
  clickhouse: ClickHouse,
  database: string,
  { account_id, shard, until, exact }: Parameters<Shards['sums']>[0],
): Promise<ShardSums[]> {
  const range = exact === undefined ? ofAccount(account_id) : inMonth(account_id, exact.month)
  const records = `${database}.cdr WHERE ${range} AND ${onShard(shard)} AND arrival <= ${until}`
  const once = `(SELECT start_time, id, end_time, arrival, billed_duration, total_cost FROM ${records}
${SORTED}, precedence DESC LIMIT 1 BY start_time, id)`
  const rows = await clickhouse.rows<
    [month: string, num_calls: string, billed: string, cost: string, checksum: string]
  >(
    `SELECT formatDateTime(start_time, '%Y-%m') AS month, toString(count()), toString(sum(billed_duration)), toString(sum(total_cost)),
toString(sum(cityHash64(start_time, id, end_time, arrival)))
FROM ${exact === undefined ? records : once}
GROUP BY month ORDER BY month ${ANY_SHARD}`,
  )
  return rows.map(([month, num_calls, billed_seconds, total_cost, checksum]) => ({
    account_id,
    month,
    num_calls: Number(num_calls),
    billed_seconds,
    total_cost,
    checksum,
  }))
}

type Copy = Parameters<Shards['copyClaims']>[0] & {
  table: string
  columns: Readonly<Record<string, string>>
  time: string
  range: string
}

async function copy(
  clickhouse: ClickHouse,
  { database, mode }: ShardedStore,
  { from, to, after, until, table, columns, time, range }: Copy,
): Promise<void> {
  const names = Object.keys(columns).join(', ')
  const settings = insertSettings(mode, to, {
    max_execution_time: LIMITS.export_seconds,
    max_partitions_per_insert_block: '0',
    max_insert_threads: '1',
  })
  await clickhouse.run(`INSERT INTO ${database}.${table} (${names})
SELECT ${names} FROM ${database}.${table}
WHERE ${range} AND ${onShard(from)} AND ${time} > ${after} AND ${time} <= ${until}
${settings}`)
}

/** The claims and records of an insert have the same time, so an insert that has ended has as many of both. */
async function mayBeInFlight(
  clickhouse: ClickHouse,
  database: string,
  { account_id, shard, since }: Parameters<Shards['mayBeInFlight']>[0],
): Promise<boolean> {
  const counts = async (table: string, time: string) =>
    new Map(
      await clickhouse.rows<[at: string, rows: string]>(
        `SELECT toString(${time}) AS at, toString(count()) FROM ${database}.${table}
WHERE ${ofAccount(account_id)} AND ${onShard(shard)} AND ${time} > ${since} GROUP BY at ${ANY_SHARD}`,
      ),
    )
  const [claims, records] = [await counts('cdr_id', 'claimed'), await counts('cdr', 'arrival')]
  return [...claims].some(([at, rows]) => Number(records.get(at) ?? 0) < Number(rows))
}

/**
 * An SQL condition that is true on the servers of one shard. A cluster's servers know their shard by the macro that is also in the path
 * of the tables.
 */
async function shardCondition(clickhouse: ClickHouse, { mode, cluster }: ShardedStore, shard: number): Promise<string> {
  if (mode.name === 'embedded shards') return `shard = ${shard + 1}`
  const rows = await clickhouse.rows<[number: number, macro: string]>(
    `SELECT DISTINCT _shard_num, substitution FROM clusterAllReplicas('${cluster}', system.macros) WHERE macro = 'shard'`,
  )
  const macros = rows.filter(([number]) => number === shard + 1).map(([, macro]) => macro)
  const [macro] = macros
  if (macro === undefined || macros.length > 1 || rows.filter(([, other]) => other === macro).length > 1)
    throw new WarehouseFailed(
      `The servers of the cluster ${cluster} need a macro "shard" that differs between shards`,
      CONFIGURATION,
    )
  return `getMacro('shard') = '${macro.replaceAll("'", "\\'")}'`
}
