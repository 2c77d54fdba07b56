import { sql, type Selectable } from 'kysely'
import type { Executor, Tx } from '../platform/db.ts'
import { countRows } from '../platform/rows.ts'
import type { AccountMonth, MonthSums } from '../engines/call-records/index.ts'
import type { CdrColdTable } from './tables.ts'

/** Months of call records that are in the file store. cold.ts has the states. */

export type ColdRow = Selectable<CdrColdTable>
export type ColdState = ColdRow['state']

export interface FileRow {
  part: number
  sha256: string
  bytes: string
  loaded: boolean
}

const columns = [
  'account_id',
  'month',
  'state',
  'version',
  'changed_us',
  'until_us',
  'num_calls',
  'billed_seconds',
  'total_cost',
] as const

export async function findCold(db: Executor, { account_id, month }: AccountMonth): Promise<ColdRow | undefined> {
  return await db
    .selectFrom('cdr_cold')
    .select(columns)
    .where('account_id', '=', account_id)
    .where('month', '=', month)
    .executeTakeFirst()
}

/** The months from `first` to `last`, both included, that are not in the call-record store, and a text that changes with any state. */
export async function readStates(
  db: Executor,
  { account_id, first, last }: { account_id: string; first: string; last: string },
): Promise<{ versions: string; unloaded: string[] }> {
  const { rows } = await sql<{ versions: string | null; unloaded: string[] | null }>`
    select string_agg(version::text, ',' order by version) as versions,
      array_agg(month order by month) filter (where state <> 'loaded') as unloaded
    from cdr_cold where account_id = ${account_id} and month between ${first} and ${last}`.execute(db)
  return { versions: rows[0]?.versions ?? '', unloaded: rows[0]?.unloaded ?? [] }
}

/** Those of these months that are not in the call-record store. */
export async function unloadedAmong(db: Executor, months: readonly AccountMonth[]): Promise<AccountMonth[]> {
  const { rows } = await sql<AccountMonth>`
    select account_id, month from cdr_cold join unnest(
      ${months.map(({ account_id }) => account_id)}::bigint[], ${months.map(({ month }) => month)}::text[])
      as of (account_id, month) using (account_id, month) where state <> 'loaded'`.execute(db)
  return rows
}

/** Up to `most` months whose change is not complete. */
export async function listChanging(db: Executor, state: 'removing' | 'loading', most: number): Promise<ColdRow[]> {
  return await db
    .selectFrom('cdr_cold')
    .select(columns)
    .where('state', '=', state)
    .orderBy('month')
    .orderBy('account_id')
    .limit(most)
    .execute()
}

/** From now on, files have the month's records. */
export async function freeze(
  tx: Tx,
  { account_id, month, num_calls, billed_seconds, total_cost }: MonthSums,
  { changed_us, until_us }: { changed_us: number; until_us: number },
  files: readonly { digest: string; bytes: number; num_calls: number }[],
): Promise<void> {
  const sums = { num_calls: String(num_calls), billed_seconds, total_cost }
  const times = { changed_us: String(changed_us), until_us: String(until_us) }
  const row = { state: 'removing', ...times, ...sums } as const
  await tx
    .insertInto('cdr_cold')
    .values({ account_id, month, ...row })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'month'])
        .doUpdateSet({ ...row, version: sql`nextval('cdr_cold_version')`, kept_until: sql`'-infinity'` }),
    )
    .execute()
  await sql`delete from cdr_cold_file where account_id = ${account_id} and month = ${month}`.execute(tx)
  await sql`
    insert into cdr_cold_file (account_id, month, part, sha256, bytes, num_calls)
    select ${account_id}::bigint, ${month}, part, sha256, bytes, num_calls from unnest(
      ${files.map(({ digest }) => digest)}::text[], ${files.map(({ bytes }) => bytes)}::bigint[],
      ${files.map((file) => file.num_calls)}::bigint[]) with ordinality as file (sha256, bytes, num_calls, part)`.execute(
    tx,
  )
}

/** Without effect if the state has changed since it was read. Returns whether it had not. */
export async function changeState(
  db: Executor,
  { account_id, month, version }: Pick<ColdRow, 'account_id' | 'month' | 'version'>,
  state: ColdState,
  changed_us?: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('cdr_cold')
    .set({
      state,
      version: sql`nextval('cdr_cold_version')`,
      ...(changed_us !== undefined && { changed_us: String(changed_us) }),
    })
    .where('account_id', '=', account_id)
    .where('month', '=', month)
    .where('version', '=', version)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** A loaded month stays at least until then, or up to an hour less, so that few reads write. */
export async function keepLoaded(
  db: Executor,
  { account_id, first, last }: { account_id: string; first: string; last: string },
  until: Date | 'infinity',
): Promise<void> {
  await sql`update cdr_cold set kept_until = ${until}::timestamptz where account_id = ${account_id}
    and month between ${first} and ${last} and state = 'loaded' and kept_until < ${until}::timestamptz - interval '1 hour'`.execute(
    db,
  )
}

export async function findFiles(db: Executor, { account_id, month }: AccountMonth): Promise<FileRow[]> {
  return await db
    .selectFrom('cdr_cold_file')
    .select(['part', 'sha256', 'bytes', 'loaded'])
    .where('account_id', '=', account_id)
    .where('month', '=', month)
    .orderBy('part')
    .execute()
}

/** Returns false if the file is loaded, or no longer belongs to the month. */
export async function recordLoaded(tx: Tx, { account_id, month }: AccountMonth, sha256: string): Promise<boolean> {
  const { numAffectedRows } = await sql`update cdr_cold_file set loaded = true
    where account_id = ${account_id} and month = ${month} and sha256 = ${sha256} and not loaded`.execute(tx)
  return numAffectedRows === 1n
}

/** The call-record store has lost records of these files: they are loaded again. */
export async function resetLoaded(db: Executor, { account_id, month }: AccountMonth): Promise<void> {
  await sql`update cdr_cold_file set loaded = false where account_id = ${account_id} and month = ${month}`.execute(db)
}

/** Returns the digests of the files. */
export async function deleteFiles(tx: Tx, { account_id, month }: AccountMonth): Promise<string[]> {
  const { rows } = await sql<{ sha256: string }>`
    delete from cdr_cold_file where account_id = ${account_id} and month = ${month} returning sha256`.execute(tx)
  return rows.map(({ sha256 }) => sha256)
}

/** Whether files have records of any account in a month. */
export async function hasMonth(db: Executor, month: string): Promise<boolean> {
  return (
    (await db.selectFrom('cdr_cold_file').select('part').where('month', '=', month).executeTakeFirst()) !== undefined
  )
}

export async function deleteCold(tx: Tx, { account_id, month }: AccountMonth): Promise<void> {
  await tx.deleteFrom('cdr_cold').where('account_id', '=', account_id).where('month', '=', month).execute()
}

/** The calls of months that were loaded to be read and are not cold again. */
export async function countLoaded(db: Executor): Promise<number> {
  const { rows } = await sql<{ calls: string }>`select coalesce(sum(num_calls), 0) as calls from cdr_cold
    where state = 'loading' or state = 'loaded' and kept_until < 'infinity'`.execute(db)
  return Number(rows[0]?.calls ?? 0)
}

interface CandidatePage {
  /** The first month that is too recent. */
  before: string
  after: AccountMonth
  now: Date
  most: number
}

/**
 * Months that can become cold, in order, after another. Not those of accounts that are being moved, or for which an export is being built,
 * because it would start again.
 */
export async function listCandidates(
  db: Executor,
  { before, after, now, most }: CandidatePage,
): Promise<AccountMonth[]> {
  const { rows } = await sql<AccountMonth>`
    select l.account_id, l.month from cdr_ledger l left join cdr_cold c using (account_id, month)
    where l.month < ${before} and l.num_calls > 0 and (l.month, l.account_id) > (${after.month}, ${after.account_id}::bigint)
      and (c.state is null or c.state = 'loaded' and c.kept_until <= ${now})
      and not exists (select from cdr_move m where m.account_id = l.account_id)
      and not exists (select from cdr_export e where e.account_id = l.account_id and e.status = 'processing')
    order by l.month, l.account_id limit ${most}`.execute(db)
  return rows
}

/** How many months are old enough to become cold and never were. */
export async function countDue(db: Executor, before: string): Promise<number> {
  return await countRows(
    db,
    'cdr_ledger',
    sql<boolean>`month < ${before} and num_calls > 0 and not exists (select from cdr_cold c
      where c.account_id = cdr_ledger.account_id and c.month = cdr_ledger.month)`,
  )
}

/** Cold months for which records have arrived since. */
export async function listGrown(db: Executor, most: number): Promise<AccountMonth[]> {
  const { rows } = await sql<AccountMonth>`
    select account_id, month from cdr_cold c join cdr_ledger l using (account_id, month)
    where c.state = 'cold' and l.num_calls > c.num_calls order by month, account_id limit ${most}`.execute(db)
  return rows
}

/** Whether records of any month are still to be deleted from the call-record store. */
export async function isRemoving(db: Executor): Promise<boolean> {
  const row = await db
    .selectFrom('cdr_cold')
    .select('month')
    .where('state', '=', 'removing')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function isMoving(db: Executor, account_id: string): Promise<boolean> {
  const row = await db
    .selectFrom('cdr_move')
    .select('account_id')
    .where('account_id', '=', account_id)
    .executeTakeFirst()
  return row !== undefined
}

/** Months of accounts in the file store, and the bytes of their files. */
export async function countCold(db: Executor): Promise<{ months: number; bytes: number }> {
  const { rows } = await sql<{ months: string; bytes: string }>`
    select count(*) filter (where part = 1) as months, coalesce(sum(bytes), 0) as bytes from cdr_cold_file`.execute(db)
  return { months: Number(rows[0]?.months ?? 0), bytes: Number(rows[0]?.bytes ?? 0) }
}
