import { sql, type Selectable } from 'kysely'
import type { Executor } from '../platform/db.ts'
import type { Rights } from './rules.ts'
import type { PersonTable } from './tables.ts'

export type PersonRow = Selectable<PersonTable>

const columns = [
  'id',
  'email',
  'email_proven_at',
  'name',
  'time_zone',
  'password_hash',
  'totp_secret',
  'totp_pending',
  'totp_step',
  'created_at',
  'last_signed_in_at',
  'demo_story',
] as const satisfies (keyof PersonTable)[]

const hasEmail = (email: string) => sql<boolean>`lower(email) = lower(${email})`

/** The person who proved that this email address is theirs. Ignores case. */
export async function findPersonByEmail(db: Executor, email: string): Promise<PersonRow | undefined> {
  return await db
    .selectFrom('person')
    .select(columns)
    .where(hasEmail(email))
    .where('email_proven_at', 'is not', null)
    .executeTakeFirst()
}

/** More than the accounts that would invite one address. */
const namesakes_max = 1_000

/**
 * Everyone who may sign in under this address: the person who proved it, then those who joined a single account by a link that
 * its owner passed on. People without memberships are omitted.
 */
export async function listPeopleByEmail(db: Executor, email: string): Promise<PersonRow[]> {
  return await db
    .selectFrom('person as p')
    .select(columns)
    .where(hasEmail(email))
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('membership as m').select('m.id').whereRef('m.person_id', '=', 'p.id')),
    )
    .orderBy(sql`email_proven_at is null`)
    .orderBy('p.id', 'desc')
    .limit(namesakes_max)
    .execute()
}

export async function findPerson(db: Executor, id: string): Promise<PersonRow | undefined> {
  return await db.selectFrom('person').select(columns).where('id', '=', id).executeTakeFirst()
}

/** The same, locked until the transaction ends. */
export async function lockPersonForUpdate(tx: Executor, id: string): Promise<PersonRow | undefined> {
  return await tx.selectFrom('person').select(columns).where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Undefined if someone else has proved the address. */
export async function insertPerson(
  tx: Executor,
  person: Pick<
    PersonRow,
    'email' | 'email_proven_at' | 'name' | 'time_zone' | 'password_hash' | 'created_at' | 'demo_story'
  >,
): Promise<PersonRow | undefined> {
  return await tx
    .insertInto('person')
    .values(person)
    .onConflict((oc) => oc.doNothing())
    .returning(columns)
    .executeTakeFirst()
}

export async function updatePerson(
  tx: Executor,
  id: string,
  changes: Partial<Omit<PersonRow, 'id' | 'email' | 'email_proven_at' | 'created_at'>>,
): Promise<void> {
  await tx.updateTable('person').set(changes).where('id', '=', id).execute()
}

/** The person's memberships, oldest first, without those of closed accounts. */
export async function membershipsOf(
  db: Executor,
  person_id: string,
): Promise<(Rights & { account_name: string | null })[]> {
  return await db
    .selectFrom('membership as m')
    .leftJoin('account as a', 'a.id', 'm.account_id')
    .select(['m.account_id', 'm.role', 'a.name as account_name'])
    .where('m.person_id', '=', person_id)
    .where('a.closed_at', 'is', null)
    .orderBy('m.id')
    .execute()
}

export interface NamedPerson {
  name: string
  email: string
  is_operator: boolean
  accounts: { id: string; name: string }[]
}

/** People by id, each with their first account. Unknown ids are omitted. */
export async function namedPeople(db: Executor, ids: readonly string[]): Promise<ReadonlyMap<string, NamedPerson>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<NamedPerson & { id: string }>`
    select p.id, p.name, p.email,
      exists (select from membership where person_id = p.id and account_id is null) as is_operator,
      coalesce((select json_agg(json_build_object('id', own.id::text, 'name', own.name) order by own.id)
        from (select a.id, a.name from membership m join account a on a.id = m.account_id
          where m.person_id = p.id order by a.id limit 10) own), '[]') as accounts
    from person p where p.id = any(${ids}::bigint[])`.execute(db)
  return new Map(rows.map(({ id, ...person }) => [id, person]))
}

/** The number of second factors of each kind that a person has. */
export async function countFactors(
  db: Executor,
  person_id: string,
): Promise<{ passkeys: number; recovery_codes: number }> {
  const { rows } = await sql<{ passkeys: string; recovery_codes: string }>`
    select (select count(*) from passkey where person_id = ${person_id}) as passkeys,
      (select count(*) from recovery_code where person_id = ${person_id} and used_at is null) as recovery_codes`.execute(
    db,
  )
  return { passkeys: Number(rows[0]?.passkeys ?? 0), recovery_codes: Number(rows[0]?.recovery_codes ?? 0) }
}

/** The people of the demo cast with their accounts' names. A person with several accounts has the same role on each. */
export async function listDemoPeople(db: Executor): Promise<
  (Pick<PersonRow, 'id' | 'name' | 'email'> & {
    demo_story: string
    account_name: string | null
    role: Rights['role']
  })[]
> {
  const { rows } = await sql<Awaited<ReturnType<typeof listDemoPeople>>[number]>`
    select p.id, p.name, p.email, p.demo_story, min(m.role) as role, string_agg(a.name, ', ' order by m.id) as account_name
    from person p join membership m on m.person_id = p.id left join account a on a.id = m.account_id
    where p.demo_story is not null group by p.id order by p.id limit 100`.execute(db)
  return rows
}
