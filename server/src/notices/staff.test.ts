import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notices } from '@demarc/client'
import { loadNumbers, numbersFrom } from '../../test/support/inventory.ts'
import { signedInAs } from '../../test/support/people.ts'
import { startTestServer } from '../../test/support/server.ts'
import { checkStock } from '../inventory/index.ts'
import { inTransaction } from '../platform/db.ts'
import { startRelay } from '../platform/mail/testing/relay.ts'
import { deleteAged } from '../retention/store.ts'

/** Notices to the operator's staff. */

const relay = await startRelay()
const env = { SMTP_URL: relay.url, DEMARC_MAIL_FROM: 'notices@demarc.example' }
const server = await startTestServer({ worker: true, env })

test('low stock is mailed to the staff who can add numbers, once until it recovers', async () => {
  const { deps } = server.runtime
  const [staff, reader] = await Promise.all(
    (['operator', 'operator_read_only'] as const).map((role) => signedInAs(server, [{ account_id: null, role }])),
  )
  assert.ok(staff && reader)
  const customer = await signedInAs(server, [{ account_id: (await server.newAccount('A customer')).id, role: 'owner' }])
  const titlesOf = async ({ client }: typeof staff) =>
    (await client.listNotices()).body.data.map(({ title, account_id, account_name, path }) => [
      title,
      account_id,
      account_name,
      path,
    ])
  const mails = () => relay.mailsTo(staff.session.person.email)
  await loadNumbers(
    server,
    numbersFrom('12085550101', 3).map((number) => ({ number, rate_center: 'BOISE', state: 'ID' })),
  )
  const check = async (low_below: number) => {
    await checkStock(deps, low_below)
    await server.operator.moveClock({ body: { advance: '0 seconds' } })
  }
  await check(4)
  await check(4)
  const shown = ['Few numbers are left in BOISE, ID', null, 'Demarc Telephone', '/operator/inventory']
  assert.deepEqual(await titlesOf(staff), [shown])
  assert.equal((await staff.client.listNotices()).body.meta.unread_count, 1)
  assert.deepEqual(await titlesOf(reader), [])
  assert.deepEqual(await titlesOf(customer), [])
  assert.equal(relay.mailsTo(reader.session.person.email).length, 0)
  assert.match(mails()[0]?.text ?? '', /Fewer than 4 numbers are available\.[^]*\/operator\/inventory/)
  assert.doesNotMatch(mails()[0]?.text ?? '', /Account:/)

  await check(2)
  await check(4)
  assert.equal(mails().length, 2)
  const { unread_count } = (await staff.client.markNoticesRead({ body: {} })).body.data
  assert.equal(unread_count, 0)
  await staff.client.updateNoticePreferences({ body: { kinds: [{ kind: 'inventory_low', delivery: 'none' }] } })
  await check(2)
  await check(4)
  assert.equal(mails().length, 2)
  assert.equal((await titlesOf(staff)).length, 3)
})

test('notices to staff are deleted by age with their recipients, and those of accounts stay', async () => {
  const { id: account_id } = await server.newAccount('Keeps its notices')
  await server.operator.createKey({ params: { account_id }, body: { name: 'Billing' } })
  await server.operator.moveClock({ body: { advance: '2 days' } })
  const left = () =>
    server.db
      .selectFrom('notice as n')
      .leftJoin('notice_recipient as r', 'r.notice_id', 'n.id')
      .select(['n.kind', 'r.person_id'])
      .orderBy('n.id')
      .execute()
  const before = await left()
  assert.ok(before.some(({ kind, person_id }) => kind === 'inventory_low' && person_id !== null))
  await inTransaction(server.db, (tx) => deleteAged(tx, 'notices', '1 day', null, server.clock.now()))
  assert.deepEqual(
    await left(),
    before.filter(({ kind }) => kind !== 'inventory_low'),
  )
  assert.ok((await left()).length > 0)
})

test('people choose only the notices that are for them', async () => {
  const kindsOf = async (...memberships: Parameters<typeof signedInAs>[1]) => {
    const { client } = await signedInAs(server, memberships)
    return (await client.getNoticePreferences()).body.data.kinds.map(({ kind }) => kind)
  }
  const { id: account_id } = await server.newAccount('Kinds')
  const ofAccounts = notices.noticeKindNames.filter((kind) => kind !== 'inventory_low')
  assert.deepEqual(await kindsOf({ account_id, role: 'owner' }), ofAccounts)
  assert.deepEqual(await kindsOf({ account_id: null, role: 'operator' }), ['inventory_low'])
  assert.deepEqual(
    await kindsOf({ account_id, role: 'owner' }, { account_id: null, role: 'operator' }),
    notices.noticeKindNames,
  )
})
