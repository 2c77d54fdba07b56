import { sql } from 'kysely'
import type { Executor } from '../../platform/db.ts'

/** What the database server says about itself. */

export interface ServerSessions {
  max: number
  reserved: number
  role_limit: number
  processes: number
  others: number
}

/** Each process has one session with a name that ends with `-listen`. Sessions of other roles show no more than their existence. */
export async function readSessions(db: Executor, prefix: string): Promise<ServerSessions> {
  const { rows } = await sql<ServerSessions>`
    select current_setting('max_connections')::int as max,
      current_setting('superuser_reserved_connections')::int as reserved,
      (select rolconnlimit from pg_roles where rolname = current_user) as role_limit,
      count(*) filter (where application_name like ${`${prefix}%-listen`})::int as processes,
      count(*) filter (where not starts_with(application_name, ${prefix}))::int as others
    from pg_stat_activity where backend_type = 'client backend'`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('a count without a row')
  return row
}

export async function readTime(db: Executor): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('a select without a row')
  return row.now
}

export async function knowsTimeZone(db: Executor, name: string): Promise<boolean> {
  const { rows } = await sql`select from pg_timezone_names where name = ${name}`.execute(db)
  return rows.length > 0
}
