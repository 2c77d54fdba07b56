import { sql, type Selectable } from 'kysely'
import { visibleTo, type Actor } from '../platform/actor.ts'
import type { Executor, Tx } from '../platform/db.ts'
import { containsText, hasValue, isRow } from '../platform/rows.ts'
import type { AccessKeyTable, AccountTable, OperatorKeyTable } from './tables.ts'

export type AccountRow = Pick<Selectable<AccountTable>, (typeof accountColumns)[number]>
export type KeyRow = Omit<Selectable<AccessKeyTable>, 'secret_hash'>
export type OperatorKeyRow = Omit<Selectable<OperatorKeyTable>, 'secret_hash'>
export type SigningRow = Pick<
  Selectable<AccountTable>,
  'id' | 'signing_secret' | 'previous_signing_secret' | 'previous_valid_until'
>

const accountColumns = ['id', 'name', 'created_at', 'closed_at', 'held_at', 'hold_reason', 'held_by'] as const
const keyColumns = [
  'account_id',
  'id',
  'access_key',
  'name',
  'scopes',
  'created_at',
  'last_used_at',
  'expires_at',
  'revoked_at',
] as const
const operatorKeyColumns = ['id', 'access_key', 'name', 'scopes', 'created_at', 'last_used_at', 'revoked_at'] as const

/** Reserves the next account id, so that a secret can be sealed for the account before its row is inserted. */
export async function nextAccountId(tx: Executor): Promise<string> {
  const { rows } = await sql<{ id: string }>`select nextval(pg_get_serial_sequence('account', 'id')) as id`.execute(tx)
  const id = rows[0]?.id
  if (id === undefined) throw new Error('the sequence returned no id')
  return id
}

export async function insertAccount(
  tx: Executor,
  account: { id: string; name: string; created_at: Date; signing_secret: string },
): Promise<AccountRow> {
  const { rows } = await sql<AccountRow>`
    insert into account (id, name, created_at, signing_secret) overriding system value
    values (${account.id}, ${account.name}, ${account.created_at}, ${account.signing_secret}) 
    returning ${sql.join(accountColumns.map((column) => sql.ref(column)))}`.execute(tx)
  return rows[0] as AccountRow
}

export async function findAccount(db: Executor, actor: Actor, id: string): Promise<AccountRow | undefined> {
  return await db
    .selectFrom('account')
    .select(accountColumns)
    .where('id', '=', id)
    .where(visibleTo(actor, 'id'))
    .executeTakeFirst()
}

/** Whether the account is under legal hold. Until the transaction ends, nobody can set one. */
export async function isHeld(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await sql<{ is_held: boolean }>`
    select held_at is not null as is_held from account where id = ${id} for share`.execute(tx)
  return rows[0]?.is_held === true
}

interface AccountListValues {
  name?: string | undefined
  /** Part of the name, or the ID. */
  search?: string | undefined
  id?: string | undefined
  limit: number
  offset: number
}

export async function listAccounts(
  db: Executor,
  actor: Pick<Actor, 'account_id'>,
  { name, search, id, limit, offset }: AccountListValues,
): Promise<AccountRow[]> {
  return await db
    .selectFrom('account')
    .select(accountColumns)
    .where(visibleTo(actor, 'id'))
    .where(containsText('name', name))
    .where(
      search === undefined
        ? sql<boolean>`true`
        : sql<boolean>`(${containsText('name', search)} or id::text = ${search})`,
    )
    .where(hasValue('id', id))
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute()
}

export async function insertKey(
  tx: Executor,
  key: Pick<
    Selectable<AccessKeyTable>,
    'account_id' | 'access_key' | 'secret_hash' | 'name' | 'scopes' | 'created_at' | 'expires_at'
  >,
): Promise<KeyRow> {
  return await tx.insertInto('access_key').values(key).returning(keyColumns).executeTakeFirstOrThrow()
}

export async function listKeys(
  db: Executor,
  account_id: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<KeyRow[]> {
  return await db
    .selectFrom('access_key')
    .select(keyColumns)
    .where('account_id', '=', account_id)
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute()
}

export async function findKey(db: Executor, account_id: string, id: string): Promise<KeyRow | undefined> {
  return await db.selectFrom('access_key').select(keyColumns).where(isRow({ account_id, id })).executeTakeFirst()
}

/** Revokes a key and returns the access key. Undefined if the account has no such key or it is already revoked. */
export async function revokeKey(tx: Executor, account_id: string, id: string, now: Date): Promise<string | undefined> {
  const row = await tx
    .updateTable('access_key')
    .set({ revoked_at: now })
    .where(isRow({ account_id, id }))
    .where('revoked_at', 'is', null)
    .returning('access_key')
    .executeTakeFirst()
  return row?.access_key
}

export async function setKeyExpiry(tx: Executor, account_id: string, id: string, expires_at: Date): Promise<void> {
  await tx.updateTable('access_key').set({ expires_at }).where(isRow({ account_id, id })).execute()
}

export async function insertOperatorKey(
  tx: Executor,
  key: Pick<Selectable<OperatorKeyTable>, 'access_key' | 'secret_hash' | 'name' | 'scopes' | 'created_at'>,
): Promise<OperatorKeyRow> {
  return await tx.insertInto('operator_key').values(key).returning(operatorKeyColumns).executeTakeFirstOrThrow()
}

export async function listOperatorKeys(
  db: Executor,
  page: { limit: number; offset: number },
): Promise<OperatorKeyRow[]> {
  const keys = db.selectFrom('operator_key').select(operatorKeyColumns).orderBy('id')
  return await keys.limit(page.limit).offset(page.offset).execute()
}

export async function findOperatorKey(db: Executor, id: string): Promise<OperatorKeyRow | undefined> {
  return await db.selectFrom('operator_key').select(operatorKeyColumns).where('id', '=', id).executeTakeFirst()
}

/** All active keys, locked until the transaction ends. */
export async function lockWorkingOperatorKeysForUpdate(tx: Executor): Promise<Pick<OperatorKeyRow, 'id' | 'scopes'>[]> {
  const { rows } = await sql<Pick<OperatorKeyRow, 'id' | 'scopes'>>`
    select id, scopes from operator_key where revoked_at is null order by id for update`.execute(tx)
  return rows
}

/** Revokes a key and returns its access key. */
export async function revokeOperatorKey(tx: Executor, id: string, now: Date): Promise<string> {
  const revoked = tx.updateTable('operator_key').set({ revoked_at: now }).where('id', '=', id)
  return (await revoked.returning('access_key').executeTakeFirstOrThrow()).access_key
}

export async function operatorKeyNamed(db: Executor, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('operator_key')
    .select('id')
    .where('name', '=', name)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

/** What authentication needs to know about a key of either kind. */
export interface Credential {
  kind: 'account' | 'operator'
  key_id: string
  account_id: string | null
  access_key: string
  secret_hash: string
  scopes: string[]
  expires_at: Date | null
  revoked_at: Date | null
}

export async function findCredential(db: Executor, access_key: string): Promise<Credential | undefined> {
  const { rows } = await sql<Credential>`
    select 'account' as kind, id as key_id, account_id, access_key, secret_hash, scopes, expires_at, revoked_at from access_key where access_key = ${access_key}
    union all
    select 'operator', id, null, access_key, secret_hash, scopes, null, revoked_at from operator_key where access_key = ${access_key}`.execute(
    db,
  )
  return rows[0]
}

/** Replaces the hash of a key's secret, unless it has changed. */
export async function replaceHash(
  db: Executor,
  { access_key, secret_hash }: Pick<Credential, 'access_key' | 'secret_hash'>,
  new_hash: string,
): Promise<void> {
  for (const table of ['access_key', 'operator_key'] as const)
    await sql`
      update ${sql.table(table)} set secret_hash = ${new_hash}
      where access_key = ${access_key} and secret_hash = ${secret_hash}`.execute(db)
}

/** Records the last use of several keys in one statement, so that a busy key costs one write a minute. */
export async function touchKeys(db: Executor, used: readonly { access_key: string; at: Date }[]): Promise<void> {
  const keys = used.map((u) => u.access_key)
  const times = used.map((u) => u.at.toISOString())
  for (const table of ['access_key', 'operator_key'] as const)
    await sql`
      update ${sql.table(table)} k set last_used_at = greatest(k.last_used_at, u.at)
      from unnest(${keys}::text[], ${times}::timestamptz[]) as u (access_key, at) where k.access_key = u.access_key`.execute(
      db,
    )
}

export async function findSigningSecret(db: Executor, account_id: string): Promise<SigningRow | undefined> {
  return await db
    .selectFrom('account')
    .select(['id', 'signing_secret', 'previous_signing_secret', 'previous_valid_until'])
    .where('id', '=', account_id)
    .executeTakeFirst()
}

export async function replaceSigningSecret(
  tx: Executor,
  account_id: string,
  sealed: string,
  previous_valid_until: Date,
): Promise<void> {
  await tx
    .updateTable('account')
    .set((eb) => ({ previous_signing_secret: eb.ref('signing_secret'), signing_secret: sealed, previous_valid_until }))
    .where('id', '=', account_id)
    .execute()
}

/** The subset of these ids that are accounts. */
export async function existingAccounts(db: Executor, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`select id from account where id = any(${ids}::bigint[])`.execute(db)
  return new Set(rows.map((r) => r.id))
}

/** The names of these accounts, by id. */
export async function accountNames(db: Executor, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<Pick<AccountRow, 'id' | 'name'>>`
    select id, name from account where id = any(${ids}::bigint[])`.execute(db)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** The oldest account with exactly this name. */
export async function accountNamed(db: Executor, name: string): Promise<AccountRow | undefined> {
  return await db
    .selectFrom('account')
    .select(accountColumns)
    .where('name', '=', name)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/** Accounts with this id or with the text in their name, ordered by name. */
export async function searchAccounts(
  db: Executor,
  actor: Actor,
  { text, id }: { text: string; id: string | null },
  limit: number,
): Promise<Pick<AccountRow, 'id' | 'name'>[]> {
  return await db
    .selectFrom('account')
    .select(['id', 'name'])
    .where(visibleTo(actor, 'id'))
    .where(id === null ? containsText('name', text) : sql<boolean>`(id = ${id} or ${containsText('name', text)})`)
    .orderBy('name')
    .limit(limit)
    .execute()
}

/** For each of these accounts: its active access keys, and when one was last used. */
export async function keyUse(
  db: Executor,
  account_ids: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, { keys_count: number; last_used_at: Date | null }>> {
  const { rows } = await sql<{ account_id: string; keys_count: string; last_used_at: Date | null }>`
    select account_id, max(last_used_at) as last_used_at,
      count(*) filter (where revoked_at is null and (expires_at is null or expires_at > ${now})) as keys_count
    from access_key where account_id = any(${account_ids}::bigint[]) group by account_id`.execute(db)
  return new Map(
    rows.map(({ account_id, keys_count, last_used_at }) => [
      account_id,
      { keys_count: Number(keys_count), last_used_at },
    ]),
  )
}
