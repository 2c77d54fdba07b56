import { sql, type Insertable, type Selectable } from 'kysely'
import { visibleTo, type Actor } from '../platform/actor.ts'
import type { Executor } from '../platform/db.ts'
import { isRow, type NamedFile, readNamedFiles, sumStoredBytes, type RowKey } from '../platform/rows.ts'
import type { DocumentAttemptTable, DocumentTable } from './tables.ts'

export type DocumentRow = Selectable<DocumentTable>
export type AttemptRow = Omit<Selectable<DocumentAttemptTable>, 'account_id'>

const columns = [
  'account_id',
  'port_order_id',
  'id',
  'source',
  'kind',
  'name',
  'original_url',
  'url',
  'status',
  'failure_reason',
  'attempts',
  'failures',
  'next_attempt_at',
  'created_at',
  'finished_at',
  'sha256',
  'bytes',
  'media_type',
] as const

export async function insertDocument(tx: Executor, row: Insertable<DocumentTable>): Promise<DocumentRow> {
  return await tx.insertInto('port_order_document').values(row).returning(columns).executeTakeFirstOrThrow()
}

export async function findDocument(
  db: Executor,
  actor: Actor,
  port_order_id: string,
  id: string,
): Promise<DocumentRow | undefined> {
  return await db
    .selectFrom('port_order_document')
    .select(columns)
    .where('id', '=', id)
    .where('port_order_id', '=', port_order_id)
    .where(visibleTo(actor))
    .executeTakeFirst()
}

/** Documents of an order, oldest first. */
export async function listDocuments(
  db: Executor,
  { account_id, id: port_order_id }: { account_id: string; id: string },
  { limit, offset }: { limit: number; offset: number },
): Promise<DocumentRow[]> {
  return await db
    .selectFrom('port_order_document')
    .select(columns)
    .where('account_id', '=', account_id)
    .where('port_order_id', '=', port_order_id)
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute()
}

/** The document that was uploaded under this name with this digest. */
export async function findUpload(
  db: Executor,
  order: { account_id: string; id: string },
  name: string,
  sha256: string,
): Promise<DocumentRow | undefined> {
  return await db
    .selectFrom('port_order_document')
    .select(columns)
    .where('account_id', '=', order.account_id)
    .where('port_order_id', '=', order.id)
    .where('source', '=', 'upload')
    .where('name', '=', name)
    .where('sha256', '=', sha256)
    .executeTakeFirst()
}

/** Does the order have an upload with this name? */
export async function hasUpload(
  db: Executor,
  order: { account_id: string; id: string },
  name: string,
): Promise<boolean> {
  const { rows } = await sql`
    select from port_order_document
    where account_id = ${order.account_id} and port_order_id = ${order.id} and source = 'upload' and name = ${name} limit 1`.execute(
    db,
  )
  return rows.length > 0
}

/** The number of documents of an order, and of unfinished pulls of its account. */
export async function countDocuments(
  db: Executor,
  order: { account_id: string; id: string },
): Promise<{ of_order: number; open: number }> {
  const { rows } = await sql<{ of_order: string; open: string }>`
    select (select count(*) from port_order_document where account_id = ${order.account_id} and port_order_id = ${order.id}) as of_order,
      (select count(*) from port_order_document where account_id = ${order.account_id} and status in ('pending', 'processing')) as open`.execute(
    db,
  )
  return { of_order: Number(rows[0]?.of_order ?? 0), open: Number(rows[0]?.open ?? 0) }
}

/** Attempts of several documents, by document, first attempt first. */
export async function attemptsOf(
  db: Executor,
  documents: readonly RowKey[],
): Promise<ReadonlyMap<string, readonly AttemptRow[]>> {
  const ids = documents.map((d) => d.id)
  const { rows } = await sql<AttemptRow>`
    select document_id, number, started_at, finished_at, outcome, response_status, failure_reason
    from port_order_document_attempt where (account_id, document_id) in
      (select account_id, id from port_order_document where id = any(${ids}::bigint[]))
    order by document_id, number`.execute(db)
  return Map.groupBy(rows, (row) => row.document_id)
}

/** A pull by its id, the key of its job. */
export async function findPull(db: Executor, id: string): Promise<DocumentRow | undefined> {
  return await db
    .selectFrom('port_order_document')
    .select(columns)
    .where('id', '=', id)
    .where('source', '=', 'pull')
    .executeTakeFirst()
}

/**
 * Begins an attempt at a pull that is due; undefined when it is final or not due. An unfinished attempt of another worker
 * becomes `interrupted`; if that worker still runs, its result is discarded.
 */
export async function beginAttempt(tx: Executor, of: RowKey, now: Date): Promise<DocumentRow | undefined> {
  const row = await tx
    .updateTable('port_order_document')
    .set({ status: 'processing', attempts: sql<number>`attempts + 1`, next_attempt_at: null })
    .where(isRow(of))
    .where('status', 'in', ['pending', 'processing'])
    .where((e) => e.or([e('next_attempt_at', 'is', null), e('next_attempt_at', '<=', now)]))
    .returning(columns)
    .executeTakeFirst()
  if (!row) return undefined
  await tx
    .updateTable('port_order_document_attempt')
    .set({ outcome: 'interrupted', finished_at: now })
    .where('account_id', '=', of.account_id)
    .where('document_id', '=', of.id)
    .where('outcome', 'is', null)
    .execute()
  await tx
    .insertInto('port_order_document_attempt')
    .values({ account_id: of.account_id, document_id: of.id, number: row.attempts, started_at: now })
    .execute()
  return row
}

/** Records the end of the current attempt; undefined when another worker has begun a new one. */
export async function endAttempt(
  tx: Executor,
  of: RowKey & Pick<DocumentRow, 'attempts'>,
  attempt: Pick<AttemptRow, 'finished_at' | 'outcome' | 'response_status' | 'failure_reason'>,
  next: Partial<Omit<DocumentRow, 'account_id' | 'id'>>,
): Promise<DocumentRow | undefined> {
  const row = await tx
    .updateTable('port_order_document')
    .set(next)
    .where(isRow(of))
    .where('status', '=', 'processing')
    .where('attempts', '=', of.attempts)
    .returning(columns)
    .executeTakeFirst()
  if (!row) return undefined
  await tx
    .updateTable('port_order_document_attempt')
    .set(attempt)
    .where('account_id', '=', of.account_id)
    .where('document_id', '=', of.id)
    .where('number', '=', of.attempts)
    .execute()
  return row
}

/** Complete and failed documents of orders, oldest first. */
export async function endedDocuments(
  db: Executor,
  account_id: string,
  order_ids: readonly string[],
): Promise<Pick<DocumentRow, 'port_order_id' | 'name' | 'status'>[]> {
  const { rows } = await sql<Pick<DocumentRow, 'port_order_id' | 'name' | 'status'>>`
    select port_order_id, name, status from port_order_document
    where account_id = ${account_id} and port_order_id = any(${order_ids}::bigint[]) and status in ('complete', 'error')
    order by id`.execute(db)
  return rows
}

/** Which of these files documents reference. */
export async function referencedFiles(db: Executor, digests: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ sha256: string }>`
    select distinct sha256 from port_order_document where sha256 = any(${digests}::text[])`.execute(db)
  return new Set(rows.map((r) => r.sha256))
}

/** Files of documents, by digest. */
export const storedFiles = (db: Executor, from: string, limit: number): Promise<NamedFile[]> =>
  readNamedFiles(
    db,
    sql`select sha256, bytes, account_id, 'document ' || id || ' of port order ' || port_order_id as used_by
      from port_order_document where sha256 >= ${from} order by sha256 limit ${limit}`,
  )

export const storedBytes = (db: Executor, account_id: string): Promise<number> =>
  sumStoredBytes(db, 'port_order_document', sql<boolean>`account_id = ${account_id} and sha256 is not null`)
