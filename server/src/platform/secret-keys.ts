import { sql } from 'kysely'
import type { Deps } from './context.ts'
import { inTransaction, type Db, type Executor } from './db.ts'
import { usesOf, type SecretColumns, type Uses } from './secret-columns.ts'
import type { KeyRecord, Vault } from './secrets.ts'
import { StartRefused } from './start-refused.ts'

/**
 * The peppers and seal keys that a database was used with. A process with others would reject every access key, or fail at the
 * first sealed value that it opens.
 */

type Kind = KeyRecord['kind']

export interface RecordedKey {
  kind: Kind
  id: string
  fingerprint: Buffer
  /** When it became the key of new values; null if it never was. */
  current_since: Date | null
  /** How many values need it, by table and column, when they were last counted. */
  uses: Uses | null
  counted_at: Date | null
}

declare module './db.ts' {
  interface Database {
    secret_key: RecordedKey
  }
}

const columns = ['kind', 'id', 'fingerprint', 'current_since', 'uses', 'counted_at'] as const
const settingOf = { pepper: 'DEMARC_PEPPER', seal: 'DEMARC_SEAL_KEYS' } as const satisfies Record<Kind, string>

/** By kind, the last one that became current first. PostgreSQL orders them, because a `Date` would equate keys of one millisecond. */
export const recordedKeys = async (db: Executor): Promise<RecordedKey[]> =>
  await db
    .selectFrom('secret_key')
    .select([...columns])
    .orderBy('kind')
    .orderBy('current_since', (order) => order.desc().nullsLast())
    .orderBy('id')
    .execute()

/**
 * Compares the configured keys with those that the database was used with, and records new ones. Forgets removed ones that no
 * value needs. Throws StartRefused, naming the setting.
 */
export async function checkSecretKeys(
  { db, vault, log }: Pick<Deps, 'db' | 'vault' | 'log'>,
  secret_columns: SecretColumns,
): Promise<void> {
  const recorded = await recordedKeys(db)
  const reason = keyProblem(recorded, vault)
  if (reason !== null) throw new StartRefused(`${reason} See docs/operate/secret-keys.md.`)
  const removed = recorded.filter((row) => configuredKey(vault, row) === undefined)
  const uses = removed.length > 0 ? await usesOf(db, secret_columns) : []
  for (const { kind, id } of removed) {
    const count = totalOf(uses.find((each) => each.kind === kind && each.id === id)?.uses ?? {})
    if (count === 0) continue
    if (kind === 'seal')
      throw new StartRefused(
        `DEMARC_SEAL_KEYS lacks the key ${id}, which ${count} stored ${count === 1 ? 'value needs' : 'values need'}. Add it again, after the first key. See docs/operate/secret-keys.md.`,
      )
    log.warn({ pepper: id, values: count }, 'a pepper was removed while hashes still need it; they no longer work')
  }
  const changed = vault.keys.filter((key) => !isRecorded(recorded, key))
  if (changed.length > 0 || removed.length > 0) await recordKeys(db, changed, removed)
}

/** Why this process can't use the database's values, naming the setting; null if it can. */
export function keyProblem(recorded: readonly RecordedKey[], vault: Pick<Vault, 'keys'>): string | null {
  for (const row of recorded) {
    const key = configuredKey(vault, row)
    if (key && !key.fingerprint.equals(row.fingerprint))
      return `${settingOf[row.kind]} has another key under the id ${row.id} than this database was used with. Restore it, or give the new key its own id.`
  }
  for (const kind of ['pepper', 'seal'] as const) {
    const current = currentOf(recorded, kind)
    if (current === undefined || configuredKey(vault, current)) continue
    return kind === 'pepper'
      ? `DEMARC_PEPPER is not the pepper that this database was used with. Restore it, or set it as DEMARC_PEPPER_ACCEPTED.`
      : `DEMARC_SEAL_KEYS lacks the key ${current.id}, which this database was used with. Add it.`
  }
  return null
}

/** The key that new values of the database are made with, of keys as `recordedKeys` orders them. */
export const currentOf = (recorded: readonly RecordedKey[], kind: Kind): RecordedKey | undefined =>
  recorded.find((row) => row.kind === kind && row.current_since !== null)

const configuredKey = ({ keys }: Pick<Vault, 'keys'>, { kind, id }: Pick<KeyRecord, 'kind' | 'id'>) =>
  keys.find((key) => key.kind === kind && key.id === id)

const isRecorded = (recorded: readonly RecordedKey[], { kind, id, is_current }: KeyRecord) =>
  recorded.some((row) => row.kind === kind && row.id === id) && (!is_current || currentOf(recorded, kind)?.id === id)

const totalOf = (uses: Uses) => Object.values(uses).reduce((sum, count) => sum + count, 0)

async function recordKeys(db: Db, changed: readonly KeyRecord[], removed: readonly RecordedKey[]): Promise<void> {
  await inTransaction(db, async (tx) => {
    for (const { kind, id, fingerprint, is_current } of changed)
      await sql`
        insert into secret_key (kind, id, fingerprint, current_since)
        values (${kind}, ${id}, ${fingerprint}, case when ${is_current}::boolean then clock_timestamp() end)
        on conflict (kind, id) do update set current_since = coalesce(excluded.current_since, secret_key.current_since)`.execute(
        tx,
      )
    for (const { kind, id } of removed)
      await tx.deleteFrom('secret_key').where('kind', '=', kind).where('id', '=', id).execute()
  })
}

/** Counts the values that need each recorded key, and stores the counts. */
export async function countKeyUses(db: Db, secret_columns: SecretColumns): Promise<RecordedKey[]> {
  const uses = await usesOf(db, secret_columns)
  for (const { kind, id } of await recordedKeys(db)) {
    const found = uses.find((each) => each.kind === kind && each.id === id)?.uses ?? {}
    await sql`
      update secret_key set uses = ${JSON.stringify(found)}::jsonb, counted_at = now()
      where kind = ${kind} and id = ${id}`.execute(db)
  }
  return await recordedKeys(db)
}

/** How many values need each key, where they were counted. */
export const keyUses = async (db: Executor): Promise<{ labels: { kind: string; key: string }; value: number }[]> =>
  (await recordedKeys(db)).flatMap(({ kind, id, uses }) =>
    uses === null ? [] : [{ labels: { kind, key: id }, value: totalOf(uses) }],
  )

/** Configured keys that no value needed when they were last counted, with the setting that has each. */
export const unusedKeys = (
  recorded: readonly RecordedKey[],
  vault: Pick<Vault, 'keys'>,
): { key: string; setting: string }[] =>
  recorded
    .filter((row) => row.uses !== null && totalOf(row.uses) === 0 && row.current_since !== null)
    .filter((row) => currentOf(recorded, row.kind)?.id !== row.id && configuredKey(vault, row))
    .map(({ kind, id }) => ({ key: `${kind} ${id}`, setting: removableFrom[kind] }))

const removableFrom = { pepper: 'DEMARC_PEPPER_ACCEPTED', seal: 'DEMARC_SEAL_KEYS' } as const satisfies Record<
  Kind,
  string
>

/** One line per key: whether it is current, what needs it, and whether it may be removed. */
export function describeKeys(recorded: readonly RecordedKey[], vault: Pick<Vault, 'keys'>): string[] {
  return recorded.map((row) => {
    const { kind, id, uses } = row
    const is_current = currentOf(recorded, kind)?.id === id
    const needs = Object.entries(uses ?? {}).map(([column, count]) => `${count} ${column}`)
    const is_next = !is_current && row.current_since === null && configuredKey(vault, row)
    const what =
      needs.length > 0
        ? `needed by ${needs.join(', ')}`
        : is_current
          ? 'no values yet'
          : is_next
            ? 'accepted, never used'
            : `unused: remove it from ${removableFrom[kind]}`
    return `${kind} ${id} (${is_current ? 'current' : 'accepted'}): ${what}`
  })
}
