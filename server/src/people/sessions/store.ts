import { sql, type Selectable } from 'kysely'
import type { Executor } from '../../platform/db.ts'
import { limits, type Rights } from '../rules.ts'
import type { SessionTable, SignInMethod } from '../tables.ts'

/**
 * Sessions use the database's time, not the service's clock: advancing the demo clock by 45 days leaves people signed in, and
 * nothing that protects a sign-in depends on a clock that a request can move.
 */
const isAlive = sql<boolean>`
  (last_used_at > now() - make_interval(hours => ${sql.lit(limits.idle_h)}) and started_at > now() - make_interval(days => ${sql.lit(limits.session_days)}))`

/** What authentication needs to know about a session. */
export interface SessionRights {
  id: string
  person_id: string
  /** Its last use has not been recorded recently. */
  is_stale: boolean
  memberships: readonly Rights[]
}

/** The session of a token, with the person's current memberships. */
export async function findSession(db: Executor, token_hashes: readonly Buffer[]): Promise<SessionRights | undefined> {
  const { rows } = await sql<SessionRights>`
    select s.id, s.person_id, s.last_used_at < now() - interval '1 minute' as is_stale,
      coalesce((select json_agg(json_build_object('account_id', m.account_id::text, 'role', m.role) order by m.id)
        from membership m left join account a on a.id = m.account_id where m.person_id = s.person_id and a.closed_at is null), '[]') as memberships
    from person_session s where s.token_hash = any(${token_hashes}::bytea[]) and ${isAlive}`.execute(db)
  return rows[0]
}

export async function touchSession(db: Executor, id: string): Promise<void> {
  await sql`update person_session set last_used_at = now() where id = ${id}`.execute(db)
}

export async function insertSession(
  tx: Executor,
  session: {
    person_id: string
    token_hash: Buffer
    method: SignInMethod
    remote_ip: string
    user_agent: string | null
  },
): Promise<string> {
  const { id } = await tx.insertInto('person_session').values(session).returning('id').executeTakeFirstOrThrow()
  return id
}

/** Deletes expired sessions, and a person's least recently used ones beyond the limit. */
export async function deleteEndedSessions(tx: Executor, person_id: string): Promise<void> {
  await sql`delete from person_session where not ${isAlive}`.execute(tx)
  await sql`
    delete from person_session where id in (
      select id from person_session where person_id = ${person_id} order by last_used_at desc, id desc offset ${sql.lit(limits.sessions)})`.execute(
    tx,
  )
}

/** A session as the API shows it. */
export type SessionRow = Omit<
  Selectable<SessionTable>,
  'token_hash' | 'passkey_challenge' | 'challenged_at' | 'person_id'
> & {
  idle_expires_at: Date
  expires_at: Date
  confirmed_until: Date
}

const shown = sql`
  id, method, remote_ip, user_agent, started_at, last_used_at, confirmed_at,
  last_used_at + make_interval(hours => ${sql.lit(limits.idle_h)}) as idle_expires_at,
  started_at + make_interval(days => ${sql.lit(limits.session_days)}) as expires_at,
  confirmed_at + make_interval(mins => ${sql.lit(limits.confirmed_min)}) as confirmed_until`

/** Most recently used first. */
export async function listSessions(db: Executor, person_id: string): Promise<SessionRow[]> {
  const { rows } = await sql<SessionRow>`
    select ${shown} from person_session where person_id = ${person_id} and ${isAlive} order by last_used_at desc, id desc limit 100`.execute(
    db,
  )
  return rows
}

export async function findOwnSession(db: Executor, person_id: string, id: string): Promise<SessionRow | undefined> {
  const { rows } = await sql<SessionRow>`
    select ${shown} from person_session where person_id = ${person_id} and id = ${id} and ${isAlive}`.execute(db)
  return rows[0]
}

/** Ends a person's sessions: this one, all others, or all. Returns how many. */
export async function endSessions(
  tx: Executor,
  person_id: string,
  which: { id: string } | { except: string } | 'all',
): Promise<number> {
  const all = sql<boolean>`person_id = ${person_id}`
  const condition =
    which === 'all' ? all : 'id' in which ? sql`${all} and id = ${which.id}` : sql`${all} and id <> ${which.except}`
  const { numAffectedRows } = await sql`delete from person_session where ${condition} and ${isAlive}`.execute(tx)
  return Number(numAffectedRows ?? 0)
}

/** Whether the person recently confirmed their identity. */
export async function isConfirmed(db: Executor, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from person_session where id = ${id} and confirmed_at > now() - make_interval(mins => ${sql.lit(limits.confirmed_min)})`.execute(
    db,
  )
  return rows.length > 0
}

export async function setConfirmed(tx: Executor, id: string): Promise<void> {
  await sql`update person_session set confirmed_at = now() where id = ${id}`.execute(tx)
}
