import { sql } from 'kysely'
import type { Executor } from '../platform/db.ts'
import type { AccountShard } from '../engines/call-records/index.ts'

/** Which shard has the call records of an account. The call-record store has copies of these rows. */

export type Placement = AccountShard & { confirmed: boolean }

export async function findPlacements(db: Executor, accounts: Iterable<string>): Promise<Placement[]> {
  return await db
    .selectFrom('cdr_shard')
    .select(['account_id', 'shard', 'version', 'confirmed'])
    .where(sql<boolean>`account_id = any(${[...accounts]}::bigint[])`)
    .execute()
}

/** Up to `most` accounts after `after`, in order. */
export async function listPlacements(
  db: Executor,
  { after, most }: { after: string; most: number },
): Promise<AccountShard[]> {
  return await db
    .selectFrom('cdr_shard')
    .select(['account_id', 'shard', 'version'])
    .where('account_id', '>', after)
    .orderBy('account_id')
    .limit(most)
    .execute()
}

/** The records of each placed shard by the ledger. An account without records counts as one. */
export async function loadOfShards(db: Executor): Promise<Map<number, number>> {
  const { rows } = await sql<{ shard: number; load: string }>`
    select shard, sum(greatest(coalesce(num_calls, 0), 1))::bigint as load
    from cdr_shard left join (select account_id, sum(num_calls) as num_calls from cdr_ledger group by account_id) l
      using (account_id) group by shard`.execute(db)
  return new Map(rows.map(({ shard, load }) => [shard, Number(load)]))
}

/** Without effect for an account that has a shard. */
export async function insertPlacements(
  db: Executor,
  placements: readonly { account_id: string; shard: number }[],
): Promise<void> {
  await sql`insert into cdr_shard (account_id, shard) select account_id, shard from unnest(
    ${placements.map(({ account_id }) => account_id)}::bigint[], ${placements.map(({ shard }) => shard)}::int[])
    as placed (account_id, shard) on conflict do nothing`.execute(db)
}

/** Every server of the store has these versions. Without effect for an account that has moved since. */
export async function confirmPlacements(db: Executor, placements: readonly AccountShard[]): Promise<void> {
  await sql`update cdr_shard s set confirmed = true from unnest(
    ${placements.map(({ account_id }) => account_id)}::bigint[], ${placements.map(({ version }) => version)}::bigint[])
    as c (account_id, version) where s.account_id = c.account_id and s.version = c.version`.execute(db)
}
