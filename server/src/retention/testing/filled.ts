import { sql } from 'kysely'
import { invited } from '../../../test/support/people.ts'
import { eventsOf } from '../../../test/support/events.ts'
import { orderIn } from '../../../test/support/port-orders.ts'
import type { TestAccount, TestServer } from '../../../test/support/server.ts'
import { call, ndjson } from '../../engines/call-records/ingest/testing/bodies.ts'
import { inTransaction } from '../../platform/db.ts'
import { recordEvent } from '../../platform/events.ts'

/** Rows that `fill` makes and retention deletes. */
export const filled = {
  call_records: 2,
  exports: 1,
  e911_validations: 1,
  order_documents: 2,
  notifications: 2,
  notices: 1,
  invitations: 1,
}

/** The nth month before this one: YYYY-MM. */
export function monthAgo({ clock }: TestServer, n: number): string {
  const now = clock.now()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - n)).toISOString().slice(0, 7)
}

/** Call records of an account in a month. */
export const callsIn = ({ operator }: TestServer, account: TestAccount, month: string, ids: readonly string[]) =>
  operator.ingestCdrs({
    content_type: 'application/x-ndjson',
    body: ndjson(
      ids.map((id) =>
        call(`${month} ${id}`, {
          account_id: account.id,
          start_time: `${month}-02T12:00:00Z`,
          end_time: `${month}-02T12:01:00Z`,
        }),
      ),
    ),
  })

/** Rows of every class that is deleted by age, made now. `mark` is in every text that is personal. */
export async function fill(server: TestServer, account: TestAccount, mark: string, notifications = 2): Promise<void> {
  const { db, clock } = server
  const { deps } = server.runtime
  const now = clock.now()
  const { id } = account
  await callsIn(server, account, monthAgo(server, 20), [`${id} a`, `${id} b`])
  await callsIn(server, account, monthAgo(server, 2), [`${id} c`])
  const digest = (name: string) => sql`encode(sha256(${`${id} ${name}`}::bytea), 'hex')`
  await sql`insert into cdr_export (account_id, callback_url, format, filter_parameters, filter, status, requested_at, created_at, finished_at, expires_at, sha256, bytes)
    values (${id}, ${`https://${mark}.example`}, 'csv', '{}', '{}', 'completed', ${now}, ${now}, ${now}, ${now}, ${digest('export')}, 10)`.execute(
    db,
  )
  await sql`insert into e911_validation (account_id, media_type, given_sha256, given_bytes, status, created_at, expires_at)
    values (${id}, 'text/csv', ${digest('given')}, 1, 'failed', ${now}, ${now})`.execute(db)
  const order = await orderIn({ ...server, account }, 'Hard_canceled', { billing_name: `Ann ${mark}`, company: mark })
  await account.client.addPortOrderComment({
    params: { portorder_id: order.id },
    body: { text: `From ${mark}` },
  })
  await sql`insert into port_order_document (account_id, port_order_id, source, kind, name, status, created_at, sha256, bytes)
    values (${id}, ${order.id}, 'upload', 'document', ${`${mark}.pdf`}, 'complete', ${now}, ${digest('bill')}, 10)`.execute(
    db,
  )
  await inTransaction(db, async (tx) => {
    const c = { ...deps, tx, actor: { kind: 'system', account_id: id, job: 'test' } as const }
    for (let i = 0; i < 2; i++)
      await recordEvent(c, id, { type: 'thing.changed', subject_type: 'thing', subject_id: '1', data: { mark } })
    await sql`insert into notice (account_id, event_id, kind, title, body, path, occurred_at, created_at)
      select ${id}, id, 'test', ${mark}, '', '/', ${now}, ${now} from event where chain_id = ${id} order by id desc limit 1`.execute(
      tx,
    )
  })
  await sql`insert into event (chain_id, sequence, occurred_at, actor, type, subject_type, subject_id, data, salt, content_hash, hash)
    select -${id}::bigint, i, ${now}, 'test', 'test', 'test', '1', '{}', '', '', '' from generate_series(1, ${notifications}::int) i`.execute(
    db,
  )
  await sql`
    with made as (
      insert into notification (account_id, event_id, event_type, url, body, status, created_at)
      select ${id}, id, 'test', ${`https://${mark}.example`}, ${mark}, 'failed', ${now} from event where chain_id = -${id}::bigint returning id
    ) insert into notification_attempt (account_id, notification_id, attempted_at, duration_ms)
      select ${id}, id, ${now}, 1 from made`.execute(db)
  await invited(server, `${mark}@invited.example`, { account_id: id, role: 'manager' })
}

/** Tables in which a text occurs. */
export async function tablesWith({ db }: TestServer, text: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(
    db,
  )
  const found: string[] = []
  for (const { name } of rows) {
    const hits = await sql`select from ${sql.table(name)} t where t::text like ${`%${text}%`} limit 1`.execute(db)
    if (hits.rows.length > 0) found.push(name)
  }
  return found
}

/** What the events say was deleted of an account, by class. */
export async function deletedOf({ db }: TestServer, account_id: string): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {}
  for (const { data } of await eventsOf(db, 'retention.deleted', account_id)) {
    const { class: name, count } = data as { class: string; count: number }
    deleted[name] = (deleted[name] ?? 0) + count
  }
  return deleted
}
