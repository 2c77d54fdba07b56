/**
 * Two shards inside the embedded engine, for tests and measurements of everything that goes through Distributed tables.
 *
 * A cluster's two shards are both this process, so both read and write the same tables. What separates them is a column `shard`: an insert
 * stores the shard that the sharding key or `insert_shard_id` chooses, and a row filter of the user shows each shard only its rows.
 * The column is part of the partition key, so merges don't join rows of different shards. Statements on `cdr_local` itself see both.
 * Not the same as two servers: no network, and either both shards are up or none.
 */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClickHouse } from '../clickhouse.ts'
import { layoutOf, type StoreMode } from '../modes.ts'
import { schema, SHARD_OF } from '../schema.ts'
import type { PlacementSource } from '../types.ts'

const CLUSTER = 'two_shards'
export const SHARDED = { name: 'embedded shards', cluster: CLUSTER } as const satisfies StoreMode

/** Writes the configuration of an engine with two shards into a folder. `database`: the only one whose tables have shards. */
export async function writeConfig(folder: string, database: string): Promise<string> {
  const shard = '<shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard>'
  const filter = '<filter>shardNum() IN (0, shard)</filter>'
  const users = join(folder, 'users.xml')
  await writeFile(
    users,
    `<clickhouse><profiles><default/></profiles><quotas><default/></quotas><users><default>
<password/><profile>default</profile><quota>default</quota><networks><ip>::/0</ip></networks>
<databases><${database}><cdr_local>${filter}</cdr_local><cdr_id_local>${filter}</cdr_id_local></${database}></databases>
</default></users></clickhouse>`,
  )
  const config = join(folder, 'config.xml')
  await writeFile(
    config,
    `<clickhouse><tcp_port>9000</tcp_port><users_config>${users}</users_config>
<remote_servers><${CLUSTER}>${shard}${shard}</${CLUSTER}></remote_servers></clickhouse>`,
  )
  return config
}

/** Creates the tables that both shards share, before `ensureSchema` adds the others. */
export async function createShardTables(clickhouse: ClickHouse, database: string): Promise<void> {
  const steps = schema(database, layoutOf(SHARDED, database))
  for (const name of ['database', 'shards', 'shard dictionary', 'records', 'claims'])
    for (const step of steps) if (step.name === name) await clickhouse.run(withShard(database, step.sql))
}

function withShard(database: string, sql: string): string {
  if (!/TABLE IF NOT EXISTS \w+\.cdr(_id)?_local /.test(sql)) return sql
  const shard = `shard UInt32 MATERIALIZED if(getSetting('insert_shard_id') = 0,
    dictGet('${database}.${SHARD_OF}', 'shard', account_id) + 1, getSetting('insert_shard_id'))`
  return sql
    .replace('\n) ENGINE', `,\n  ${shard}\n) ENGINE`)
    .replace('PARTITION BY toYYYYMM(start_time)', '')
    .replace('ORDER BY', `PARTITION BY (shard${sql.includes('PARTITION') ? ', toYYYYMM(start_time)' : ''})\nORDER BY`)
}

/** Accounts on alternating shards. Several processes agree on it without PostgreSQL. */
export const alternating: PlacementSource = {
  choose: async (accounts, shards) =>
    [...accounts].map((account_id) => ({ account_id, shard: Number(account_id) % shards, version: '1' })),
  confirm: async () => undefined,
}

/** Places `count` accounts, for tests that write into the tables themselves. */
export async function placeAll(
  clickhouse: ClickHouse,
  database: string,
  { first, count }: { first: number; count: number },
): Promise<void> {
  await clickhouse.run(
    `INSERT INTO ${database}.account_shard_local (account_id, shard, version) SELECT number, number % 2, 1 FROM numbers(${first}, ${count})`,
  )
  await clickhouse.run(`SYSTEM RELOAD DICTIONARY ${database}.${SHARD_OF}`)
}
