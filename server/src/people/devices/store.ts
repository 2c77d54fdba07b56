import { sql } from 'kysely'
import type { Executor } from '../../platform/db.ts'
import { limits } from '../rules.ts'

const isCurrent = sql<boolean>`d.last_used_at > now() - make_interval(days => ${sql.lit(limits.device_days)})`

/** The people who signed in with a device, of one address. */
export async function peopleOfDevice(
  db: Executor,
  token_hashes: readonly Buffer[],
  email: string,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select p.id from known_device d join person p on p.id = d.person_id
    where d.token_hash = any(${token_hashes}::bytea[]) and lower(p.email) = lower(${email}) and ${isCurrent}`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Whether a person signed in with a device. */
export async function isKnownDevice(
  db: Executor,
  token_hashes: readonly Buffer[],
  person_id: string,
): Promise<boolean> {
  const { rows } = await sql`
    select from known_device d where d.token_hash = any(${token_hashes}::bytea[]) and d.person_id = ${person_id} and ${isCurrent}`.execute(
    db,
  )
  return rows.length > 0
}

/** Records that a person signed in with a device. Deletes old ones, and the least recently used ones beyond the limit. */
export async function putDevice(tx: Executor, person_id: string, token_hash: Buffer): Promise<void> {
  await sql`
    insert into known_device (person_id, token_hash) values (${person_id}, ${token_hash})
    on conflict (person_id, token_hash) do update set last_used_at = now()`.execute(tx)
  await sql`delete from known_device d where not ${isCurrent}`.execute(tx)
  await sql`
    delete from known_device where person_id = ${person_id} and token_hash in (
      select token_hash from known_device where person_id = ${person_id}
      order by last_used_at desc, token_hash offset ${sql.lit(limits.devices)})`.execute(tx)
}
