import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RawNode, sql, type KyselyPlugin } from 'kysely'
import { testDatabase } from '../../test/support/database.ts'
import { inTransaction, type Tx } from '../platform/db.ts'
import { agedClasses } from './class-store.ts'
import { listDue } from './due-store.ts'
import { deleteAged } from './store.ts'

const { db } = await testDatabase()

const now = new Date()
const period = '24 months'
const periods = {
  call_records: period,
  exports: period,
  order_documents: period,
  notifications: period,
  closed_account_events: period,
}

/** The plans of the queries that `work` makes, which are not executed. */
async function plansOf(work: (tx: Tx) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = []
  const explained: KyselyPlugin = {
    transformQuery: ({ node }) => RawNode.create(['explain ', ''], [node]),
    transformResult({ result }) {
      plans.push(result.rows.map((row) => row['QUERY PLAN']).join('\n'))
      return Promise.resolve({ ...result, rows: [] })
    },
  }
  await inTransaction(db, async (tx) => {
    // PostgreSQL would otherwise scan tables with few rows
    await sql`set local enable_seqscan = off`.execute(tx)
    await work(tx.withPlugin(explained))
  })
  return plans
}

/** The conditions that find due rows, by class: each index with the range that is read of it. */
const ranges: Readonly<Record<keyof typeof agedClasses, RegExp[]>> = {
  exports: [/cdr_export_finished [^]*?Index Cond: \(finished_at <= /],
  e911_validations: [/e911_validation_expires [^]*?Index Cond: \(expires_at <= /],
  order_documents: [/port_order_ended [^]*?Index Cond: \(entered_at <= /, /port_order_document_of [^]*?Index Cond: \(/],
  notifications: [/notification_created [^]*?Index Cond: \(created_at <= /],
  notices: [/notice_created [^]*?Index Cond: \(created_at <= /],
  invitations: [/invitation_over [^]*?Index Cond: \(COALESCE\(ended_at, expires_at\) <= /],
  sessions: [
    /person_session_used[^]*?Index Cond: \(last_used_at <= /,
    /person_session_started[^]*?Index Cond: \(started_at <= /,
  ],
  sign_in_tickets: [/sign_in_ticket_age[^]*?Index Cond: \(created_at <= /],
  passkey_tickets: [/used_passkey_ticket_age[^]*?Index Cond: \(used_at <= /],
  known_devices: [/known_device_age[^]*?Index Cond: \(last_used_at <= /],
}

test('an index finds the due rows of each class, however many rows it has', async () => {
  const plans = await plansOf((tx) => listDue(tx, periods, { now, limit: 10 }))
  for (const [i, name] of Object.keys(agedClasses).entries())
    for (const range of ranges[name] ?? assert.fail(`${name} has no index`)) assert.match(plans[i] ?? '', range)
})

test('an index finds the rows that a batch deletes', async () => {
  for (const [name, { accountless }] of Object.entries(agedClasses)) {
    const [plan = ''] = await plansOf((tx) => deleteAged(tx, name, period, accountless ? null : '1001', now))
    assert.match(plan, /CTE gone/, name)
    assert.doesNotMatch(plan, /Seq Scan/, `${name}\n${plan}`)
  }
})
