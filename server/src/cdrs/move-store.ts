import { sql, type Selectable } from 'kysely'
import type { Executor, Tx } from '../platform/db.ts'
import type { CdrMoveTable } from './tables.ts'

/** Unfinished moves of accounts between shards of the call-record store. move.ts has the protocol. */

export type Move = Omit<Selectable<CdrMoveTable>, 'started_at'>

const columns = ['account_id', 'from_shard', 'to_shard', 'state', 'claims_until', 'switched_at', 'switched_us'] as const

export async function findMove(db: Executor, account_id: string): Promise<Move | undefined> {
  return await db.selectFrom('cdr_move').select(columns).where('account_id', '=', account_id).executeTakeFirst()
}

/** Without effect if the account has an unfinished move. */
export async function startMove(
  db: Executor,
  move: { account_id: string; from_shard: number; to_shard: number },
): Promise<void> {
  await db
    .insertInto('cdr_move')
    .values(move)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The months that were copied, with the arrival in microseconds up to which they were. */
export async function copiedMonths(db: Executor, account_id: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('cdr_move_month')
    .select(['month', 'copied_until'])
    .where('account_id', '=', account_id)
    .execute()
  return new Map(rows.map(({ month, copied_until }) => [month, Number(copied_until)]))
}

export async function recordMonth(db: Executor, account_id: string, month: string, until: number): Promise<void> {
  await db
    .insertInto('cdr_move_month')
    .values({ account_id, month, copied_until: String(until) })
    .onConflict((conflict) => conflict.columns(['account_id', 'month']).doUpdateSet({ copied_until: String(until) }))
    .execute()
}

export async function recordClaims(db: Executor, account_id: string, until: number): Promise<void> {
  await db
    .updateTable('cdr_move')
    .set({ claims_until: String(until) })
    .where('account_id', '=', account_id)
    .execute()
}

/** From now on the records are on the new shard; every server must learn it before the next insert. */
export async function switchMove(tx: Tx, { account_id, to_shard }: Move, switched_us: number): Promise<void> {
  await tx
    .updateTable('cdr_shard')
    .set({ shard: to_shard, version: sql`nextval('cdr_shard_version')`, confirmed: false })
    .where('account_id', '=', account_id)
    .execute()
  await tx
    .updateTable('cdr_move')
    .set({ state: 'switched', switched_at: sql`clock_timestamp()`, switched_us: String(switched_us) })
    .where('account_id', '=', account_id)
    .execute()
}

export async function startRemoving(db: Executor, account_id: string): Promise<void> {
  await db.updateTable('cdr_move').set({ state: 'removing' }).where('account_id', '=', account_id).execute()
}

export async function finishMove(db: Executor, account_id: string): Promise<void> {
  await db.deleteFrom('cdr_move').where('account_id', '=', account_id).execute()
}

/** How long ago a move was switched, in milliseconds. */
export async function msSinceSwitch(db: Executor, account_id: string): Promise<number> {
  const { rows } = await sql<{ ms: string }>`
    select (extract(epoch from clock_timestamp() - switched_at) * 1000)::bigint as ms from cdr_move
    where account_id = ${account_id}`.execute(db)
  return Number(rows[0]?.ms ?? 0)
}
