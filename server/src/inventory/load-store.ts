import { sql } from 'kysely'
import type { Executor } from '../platform/db.ts'
import { bigints } from '../platform/rows.ts'
import type { FileNumber } from './inventory-file.ts'
import { profileColumns, type Profile } from './tables.ts'

/** Stores inventory files. */

const profileKey = (profile: Omit<Profile, 'id'>) => profileColumns.map((column) => profile[column]).join('\n')

/** The ids of profiles, by `profileKey`; absent if the profile does not exist. */
async function findProfiles(db: Executor, profiles: readonly Omit<Profile, 'id'>[]): Promise<Map<string, number>> {
  const all = (column: (typeof profileColumns)[number]) => profiles.map((profile) => profile[column])
  const { rows } = await sql<{ nth: string; id: number }>`
    select w.nth, p.id
    from unnest(${all('number_type')}::text[], ${all('rate_center')}::text[], ${all('lata')}::text[], ${all('state')}::text[],
      ${all('zip')}::text[], ${all('monthly_cost')}::numeric[], ${all('setup_cost')}::numeric[], ${all('price_class')}::text[],
      ${all('capabilities')}::text[])
      with ordinality as w (number_type, rate_center, lata, state, zip, monthly_cost, setup_cost, price_class, capabilities, nth)
    join inventory_profile p using (number_type, rate_center, lata, state, zip, capabilities)
    where (p.monthly_cost, p.setup_cost, p.price_class) is not distinct from (w.monthly_cost, w.setup_cost, w.price_class)`.execute(
    db,
  )
  const ids = new Map(rows.map(({ nth, id }) => [Number(nth), id]))
  return new Map(
    profiles.flatMap((profile, i) => {
      const id = ids.get(i + 1)
      return id === undefined ? [] : [[profileKey(profile), id] as const]
    }),
  )
}

/** The id of each entry's profile; null if it does not exist. `create`: creates those. */
export async function profileIds(
  tx: Executor,
  entries: readonly FileNumber[],
  create: boolean,
): Promise<(number | null)[]> {
  const distinct = [...new Map(entries.map(({ profile }) => [profileKey(profile), profile])).values()]
  let ids = await findProfiles(tx, distinct)
  const missing = distinct.filter((profile) => !ids.has(profileKey(profile)))
  if (create && missing.length > 0) {
    await tx
      .insertInto('inventory_profile')
      .values(missing)
      .onConflict((oc) => oc.doNothing())
      .execute()
    ids = await findProfiles(tx, distinct)
  }
  return entries.map(({ profile }) => ids.get(profileKey(profile)) ?? null)
}

interface Stored {
  number: string
  profile_id: number
  supplier: string
  resporg: string | null
}

/** Those of the numbers that are in the inventory. `lock`: locks them for update until the transaction ends, in ascending order. */
export async function storedNumbers(
  db: Executor,
  numbers: readonly string[],
  lock: boolean,
): Promise<Map<string, Stored>> {
  const { rows } = await sql<Stored>`
    select number, profile_id, supplier, resporg from inventory_number where number = any(${bigints(numbers)})
    order by number ${lock ? sql`for no key update` : sql``}`.execute(db)
  return new Map(rows.map((row) => [row.number, row]))
}

/**
 * Inserts numbers and changes those that exist, which keep their status. A number that is on an account is inserted as active.
 */
export async function saveNumbers(tx: Executor, changed_at: Date, numbers: readonly Stored[]): Promise<void> {
  const all = <K extends keyof Stored>(column: K): Stored[K][] => numbers.map((number) => number[column])
  await sql`
    insert into inventory_number as i (number, profile_id, supplier, resporg, status, account_id, changed_at)
    select w.number, w.profile_id, w.supplier, w.resporg, case when n.account_id is null then 'available' else 'active' end,
      n.account_id, ${changed_at}
    from unnest(${bigints(all('number'))}, ${all('profile_id')}::integer[], ${all('supplier')}::text[], ${all('resporg')}::text[])
      as w (number, profile_id, supplier, resporg)
    left join number n on n.value = w.number
    order by w.number
    on conflict (number) do update set profile_id = excluded.profile_id, supplier = excluded.supplier,
      resporg = excluded.resporg, changed_at = excluded.changed_at`.execute(tx)
}
