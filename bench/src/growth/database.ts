import pg from 'pg'
import { mb, table } from '../report.ts'
import type { Service } from '../service.ts'

/**
 * Rows are inserted by SQL, because a million of them over HTTP would take longer than all measurements. Foreign keys are not
 * checked meanwhile; what is inserted keeps them.
 */
export async function withDatabase<T>(service: Service, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: service.databaseUrl() })
  await client.connect()
  try {
    await client.query(
      `set session_replication_role = replica; set synchronous_commit = off; set maintenance_work_mem = '256MB'`,
    )
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Inserts rows number `from` to `to - 1`, many at a time; `sql` has these as $1 and $2. */
export async function insertRows(client: pg.Client, sql: string, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += 500_000) await client.query(sql, [at, Math.min(to, at + 500_000)])
}

/** Accounts of nobody in particular, to whom most of the rows belong. */
export async function addAccounts(client: pg.Client, accounts: number): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `insert into account (name, created_at, signing_secret) select 'Bench ' || i, now(), 'none' from generate_series(1, $1) i returning id`,
    [accounts],
  )
  const ids = rows.map(({ id }) => id)
  // the trigger that does this is off
  await client.query(
    `insert into route (account_id, id, alias, route_type, created_at)
     select unnest($1::bigint[]), 0, 'sip-reg', 'sip-reg', now() on conflict do nothing`,
    [ids],
  )
  return ids
}

/** Reports what tables occupy with their indexes. */
export async function reportBytes(client: pg.Client, tables: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ name: string; rows: string; bytes: string }>(
    `select relname as name, reltuples::bigint as rows, pg_total_relation_size(oid) as bytes from pg_class
     where relname = any($1) and relkind = 'r' order by relname`,
    [tables],
  )
  table(
    'On disk, with indexes',
    ['table', 'rows', 'MB', 'bytes a row'],
    rows.map((of) => [
      of.name,
      Number(of.rows).toLocaleString('en-US'),
      mb(Number(of.bytes)),
      (Number(of.bytes) / Number(of.rows)).toFixed(0),
    ]),
    'bytes',
  )
}
