import { sql } from 'kysely'
import type { Role } from '@demarc/client'
import type { Executor } from '../../platform/db.ts'

/** A person with a role on an account or with the operator. */
export interface Member {
  id: string
  name: string
  email: string
  email_proven_at: Date | null
  time_zone: string | null
  role: Role
  has_second_factor: boolean
  member_since: Date
  last_signed_in_at: Date | null
}

/** Null selects the operator's staff: memberships without an account. */
const isOf = (account_id: string | null) => sql<boolean>`m.account_id is not distinct from ${account_id}::bigint`

const members = sql`
  select p.id, p.name, p.email, p.email_proven_at, p.time_zone, m.role, m.created_at as member_since, p.last_signed_in_at,
    p.totp_secret is not null or exists (select from passkey k where k.person_id = p.id) as has_second_factor
  from membership m join person p on p.id = m.person_id`

/** In the order they joined. */
export async function listMembers(
  db: Executor,
  account_id: string | null,
  page: { limit: number; offset: number },
): Promise<Member[]> {
  const { rows } = await sql<Member>`
    ${members} where ${isOf(account_id)} order by m.id limit ${page.limit} offset ${page.offset}`.execute(db)
  return rows
}

export async function findMember(
  db: Executor,
  account_id: string | null,
  person_id: string,
): Promise<Member | undefined> {
  const { rows } = await sql<Member>`${members} where ${isOf(account_id)} and p.id = ${person_id}`.execute(db)
  return rows[0]
}

/** The roles of all people of an account or the operator, by person, locked until the transaction ends. */
export async function lockRolesForUpdate(tx: Executor, account_id: string | null): Promise<ReadonlyMap<string, Role>> {
  const { rows } = await sql<{ person_id: string; role: Role }>`
    select person_id, role from membership m where ${isOf(account_id)} order by id for update`.execute(tx)
  return new Map(rows.map(({ person_id, role }) => [person_id, role]))
}

/** Undefined if the person already has a role there. */
export async function insertMembership(
  tx: Executor,
  membership: { person_id: string; account_id: string | null; role: Role; created_at: Date },
): Promise<string | undefined> {
  const inserted = tx
    .insertInto('membership')
    .values(membership)
    .onConflict((oc) => oc.doNothing())
    .returning('id')
  return (await inserted.executeTakeFirst())?.id
}

export async function updateRole(
  tx: Executor,
  account_id: string | null,
  person_id: string,
  role: Role,
): Promise<void> {
  await sql`update membership m set role = ${role} where ${isOf(account_id)} and person_id = ${person_id}`.execute(tx)
}

export async function deleteMembership(tx: Executor, account_id: string | null, person_id: string): Promise<void> {
  await sql`delete from membership m where ${isOf(account_id)} and person_id = ${person_id}`.execute(tx)
}

/** For each account that has people: how many, and when one last signed in. */
export async function peopleByAccount(
  db: Executor,
  account_ids: readonly string[],
): Promise<ReadonlyMap<string, { people_count: number; last_signed_in_at: Date | null }>> {
  const { rows } = await sql<{ account_id: string; people_count: string; last_signed_in_at: Date | null }>`
    select m.account_id, count(*) as people_count, max(p.last_signed_in_at) as last_signed_in_at
    from membership m join person p on p.id = m.person_id
    where m.account_id = any(${account_ids}::bigint[]) group by m.account_id`.execute(db)
  return new Map(
    rows.map(({ account_id, people_count, ...row }) => [account_id, { ...row, people_count: Number(people_count) }]),
  )
}
