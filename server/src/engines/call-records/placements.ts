/**
 * The shards of accounts. PostgreSQL decides (cdrs/placements.ts). The store has a copy on every shard, in `account_shard_local`, with a
 * dictionary over it, which is the sharding key of the Distributed tables. An account is placed before its first record is sent, under the
 * lock of the account. Not a function of the account's number: adding a shard would move almost every account.
 */

import type { ClickHouseSettings } from '@clickhouse/client'
import type { ClickHouse } from './clickhouse.ts'
import { WarehouseFailed } from './errors.ts'
import { accountNumber } from './filter.ts'
import { LIMITS } from './limits.ts'
import { ANY_SHARD_SETTINGS, layoutOf, settingsClause, settingsOf, type StoreMode } from './modes.ts'
import { SHARD_OF } from './schema.ts'
import type { AccountShard, PlacementSource, Shards } from './types.ts'

/** Makes sure that the store knows the shards of these accounts, under their lock. */
export const placing =
  (shards: Shards | null, source: PlacementSource | undefined) =>
  async (accounts: ReadonlySet<string>): Promise<void> => {
    if (shards === null) return
    if (source === undefined) throw new RangeError('A store with shards needs the placements of accounts')
    const placements = await source.choose(accounts, await shards.count())
    if (placements.length === 0) return
    await shards.publish(placements)
    await source.confirm(placements)
  }

/** BAD_ARGUMENTS: the configuration of the cluster is not what Demarc needs. */
export const CONFIGURATION = '36'

/** Throws WarehouseFailed if the shards have weights: then the sharding key would not be the number of the shard. */
export async function countShards(clickhouse: ClickHouse, cluster: string): Promise<number> {
  const rows = await clickhouse.rows<[shard: number, weight: number]>(
    `SELECT DISTINCT shard_num, shard_weight FROM system.clusters WHERE cluster = '${cluster}' ORDER BY shard_num`,
  )
  if (rows.length === 0) throw new WarehouseFailed(`The call-record store has no cluster ${cluster}`, CONFIGURATION)
  if (rows.some(([, weight]) => weight !== 1))
    throw new WarehouseFailed(
      `The shards of the cluster ${cluster} have weights. Remove them: Demarc places each account itself`,
      CONFIGURATION,
    )
  return rows.length
}

/** A store with shards. */
export type ShardedStore = { database: string; mode: StoreMode; cluster: string }

export async function publish(
  clickhouse: ClickHouse,
  target: ShardedStore,
  placements: readonly AccountShard[],
): Promise<void> {
  const { database, mode, cluster } = target
  const shards = await countShards(clickhouse, cluster)
  for (let from = 0; from < placements.length; from += LIMITS.placements_at_once) {
    const rows = placements
      .slice(from, from + LIMITS.placements_at_once)
      .map(({ account_id, shard, version }) => `(${accountNumber(account_id)}, ${shard}, ${accountNumber(version)})`)
    for (let shard = 0; shard < shards; shard += 1)
      await clickhouse.run(`INSERT INTO ${database}.account_shard (account_id, shard, version)
SELECT row.1, row.2, row.3 FROM (SELECT arrayJoin([${rows.join(', ')}]) AS row)
${insertSettings(mode, shard)}`)
  }
  const on_cluster = layoutOf(mode, database).engine === 'plain' ? '' : `ON CLUSTER '${cluster}' `
  await clickhouse.run(`SYSTEM RELOAD DICTIONARY ${on_cluster}${database}.${SHARD_OF}`)
}

/** SETTINGS of an INSERT ... SELECT that writes to one shard, whatever the sharding key says. */
export function insertSettings(mode: StoreMode, shard: number, more: ClickHouseSettings = {}): string {
  const { all, insert } = settingsOf(mode)
  return settingsClause({ ...all, ...insert, ...ANY_SHARD_SETTINGS, ...more, insert_shard_id: String(shard + 1) })
}
