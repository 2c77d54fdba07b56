import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startTestServer } from '../../test/support/server.ts'
import { listDue } from './due-store.ts'
import { deleteDue } from './run.ts'
import { filled } from './testing/filled.ts'

const server = await startTestServer()
const { operator, db, clock } = server
const { deps, warehouse, config } = server.runtime

test('the plan lists every class with its period and cutoff, and a class with a count of 0 deletes nothing', async () => {
  const account = await server.newAccount('New')
  const params = { query: { account_id: account.id } }
  const { data, meta } = (await operator.planRetention(params)).body
  assert.deepEqual(data, [])
  const { classes } = meta
  const names = [...Object.keys(filled), 'closed_account_events'].toSorted()
  assert.deepEqual(classes.map((each) => each.class).toSorted(), names)
  assert.ok(classes.every(({ count }) => count === 0))
  const exports = classes.find((each) => each.class === 'exports')
  assert.equal(exports?.period, '24 months')
  const cutoff_at = Date.parse(exports.cutoff_at ?? '')
  assert.ok(Math.abs(clock.now().getTime() - 731 * 86_400_000 - cutoff_at) < 2 * 86_400_000, exports.cutoff_at ?? '')
  const now = clock.now()
  assert.deepEqual(await listDue(db, config.periods, { now, account_id: account.id, limit: 1000 }), [])

  const all = (await operator.planRetention()).body.meta.classes
  assert.deepEqual(
    all.map((each) => each.class).toSorted(),
    [...names, 'known_devices', 'passkey_tickets', 'sessions', 'sign_in_tickets'].toSorted(),
  )
})

test('the number of due rows of a class is the same on every page', async () => {
  const accounts = [await server.newAccount('First'), await server.newAccount('Second')]
  for (const { id } of accounts)
    await sql`insert into cdr_export (account_id, format, filter_parameters, filter, status, requested_at, created_at, finished_at)
      select ${id}, 'csv', '{}', '{}', 'failed', now(), now(), ${clock.now()}::timestamptz - interval '3 years' from generate_series(1, 3)`.execute(
      db,
    )
  const pages = [0, 1].map((offset) => operator.planRetention({ query: { limit: 1, offset } }))
  for (const { body } of await Promise.all(pages)) {
    assert.equal(body.data.length, 1)
    assert.equal(body.meta.classes.find((each) => each.class === 'exports')?.count, 6)
  }
  await deleteDue({ deps, warehouse, periods: config.periods }, new AbortController().signal)
  assert.equal((await operator.planRetention()).body.meta.classes.find((each) => each.class === 'exports')?.count, 0)
})
