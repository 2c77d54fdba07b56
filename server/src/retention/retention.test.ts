import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { ConflictError, InvalidInputError, NotFoundError, UnauthorizedError } from '@demarc/client'
import { testEngine } from '../../test/support/engine.ts'
import { eventsOf } from '../../test/support/events.ts'
import { factories } from '../../test/support/factories.ts'
import { invited, signedInAs } from '../../test/support/people.ts'
import { orderIn } from '../../test/support/port-orders.ts'
import { startTestServer } from '../../test/support/server.ts'
import { wire } from '../../test/support/wire.ts'
import { expireExport } from '../cdrs/actions.ts'
import { deleteMonth } from '../cdrs/index.ts'
import { nightlyKey } from '../platform/jobs.ts'
import { retentionJobs } from './jobs.ts'
import { deleteDue, deletePersonalData } from './run.ts'
import * as rows from './testing/filled.ts'

const engine = await testEngine()
const server = await startTestServer({
  engine_socket: engine.socket,
  env: { DEMARC_KEEP_CALL_RECORDS: '18 months', DEMARC_KEEP_NOTIFICATIONS: '90 days' },
})
const { operator, db, clock } = server
const { deps, warehouse, config } = server.runtime
const retention = { deps, warehouse, periods: config.periods }
const { signal } = new AbortController()
const { newAddress, newCnam, newNumber } = factories(server)
const { filled } = rows
const callsIn = rows.callsIn.bind(null, server)
const fill = rows.fill.bind(null, server)
const monthAgo = rows.monthAgo.bind(null, server)
const tablesWith = rows.tablesWith.bind(null, server)
const deletedOf = rows.deletedOf.bind(null, server)

const run = () => deleteDue(retention, signal)
const later = (days: number) => clock.advanceTo(new Date(clock.now().getTime() + days * 86_400_000))
const plan = async (account_id?: string) =>
  (await operator.planRetention({ query: { limit: 1000, account_id } })).body.data.map(({ attributes }) => attributes)
const counts = (due: Awaited<ReturnType<typeof plan>>) =>
  Object.fromEntries(due.filter((row) => row.account_id !== null).map((row) => [row.class, row.count]))
const verified = async (account_id?: string) => (await operator.verifyEvents({ query: { account_id } })).body.data
const hold = (account_id: string, is_held: boolean, reason = 'Subpoena 26-1234') =>
  operator.setLegalHold({ params: { account_id }, body: { is_held, reason } })
const report = async (account_id: string) => (await operator.getPersonalData({ params: { account_id } })).body.data
const requestDeletion = (account_id: string, confirm: string) =>
  operator.deletePersonalData({ params: { account_id }, body: { confirm } })

/** What the operator reads for an account. */
const readFor = (account_id: string, line: string) =>
  wire(server.base_url, server.operator_credentials)(line, { headers: { 'demarc-account': account_id } })

test('retention deletes what the plan lists, of each class; a held account and another one stay', async () => {
  const [account, held] = [await server.newAccount('Old Mill'), await server.newAccount('Held')]
  await fill(account, 'oldmill')
  await fill(held, 'heldmark')
  await hold(held.id, true)
  assert.deepEqual(counts(await plan(account.id)), { call_records: 2 }, 'the rest is new')
  const young = await server.newAccount('Young')
  await later(37 * 31)
  await fill(young, 'young')
  const planned = await plan(account.id)
  assert.deepEqual(counts(planned), { ...filled, call_records: 3 })
  assert.ok(planned.every(({ is_held, oldest_at }) => !is_held && Date.parse(oldest_at ?? '') < clock.now().getTime()))
  const of_held = await plan(held.id)
  assert.deepEqual(counts(of_held), { ...filled, call_records: 3 })
  assert.ok(of_held.every(({ is_held }) => is_held))

  await operator.runRetention()
  const [job] = retentionJobs(server.runtime)(deps)
  assert.ok(job)
  const result = await job.run({ key: nightlyKey, signal } as Parameters<typeof job.run>[0])
  assert.ok((result?.again_at ?? clock.now()) > clock.now())
  assert.deepEqual(await deletedOf(account.id), counts(planned))
  assert.deepEqual(await plan(account.id), [])
  assert.deepEqual(await deletedOf(held.id), {})
  assert.deepEqual(await plan(held.id), of_held)
  assert.deepEqual(await deletedOf(young.id), { call_records: 2 })
  const released = await db.selectFrom('job').select('key').where('kind', '=', 'remove-file').execute()
  assert.ok(released.length >= 3, 'the files are deleted, too')

  await run()
  assert.deepEqual(await deletedOf(account.id), counts(planned), 'a second run deletes nothing')
  await hold(held.id, false, 'Case closed')
  await run()
  assert.deepEqual(await deletedOf(held.id), counts(of_held))
  for (const id of [account.id, held.id, young.id, undefined]) assert.equal((await verified(id)).intact, true)
})

test('rows of sign-ins are deleted by the database’s time, not by the demo clock', async () => {
  const { session, client } = await signedInAs(server, [{ account_id: server.account.id, role: 'owner' }])
  await later(60)
  await run()
  assert.ok((await client.getSession()).body.data)
  await sql`update person_session set last_used_at = now() - interval '13 hours' where id = ${session.id}`.execute(db)
  await sql`insert into known_device (person_id, token_hash, last_used_at) values (${session.person.id}, 'x', now() - interval '181 days')`.execute(
    db,
  )
  const planned = (await plan()).filter(({ account_id }) => account_id === null)
  assert.deepEqual(
    planned.map((row) => [row.class, row.count]),
    [
      ['sessions', 1],
      ['known_devices', 1],
    ],
  )
  await run()
  assert.equal((await eventsOf(db, 'retention.deleted', 'sessions')).length, 1)
  assert.deepEqual(
    (await plan()).filter(({ account_id }) => account_id === null),
    [],
  )
})

test('an interrupted run continues, and counts nothing twice', async () => {
  const account = await server.newAccount('Interrupted')
  await fill(account, 'interrupted', 2500)
  await later(37 * 31)
  const planned = counts(await plan(account.id))
  assert.equal(planned['notifications'], 2500)
  let runs = 0
  for (; Object.keys(counts(await plan(account.id))).length > 0; runs++) {
    assert.ok(runs < 50)
    let checks = 0
    // ends after each batch, and in the middle of a month of call records
    const ending = { throwIfAborted: () => assert.ok(++checks <= 1, 'interrupted') } as AbortSignal
    const failing = {
      ...warehouse,
      cold: { ...warehouse.cold, removeClaims: () => Promise.reject(new Error('interrupted')) },
    }
    const broken = runs % 2 === 0 ? failing : warehouse
    await assert
      .rejects(deleteDue({ ...retention, warehouse: broken }, ending), /interrupted/)
      .catch((error: Error) => assert.match(error.message, /Missing expected rejection/))
  }
  assert.ok(runs > 5)
  assert.deepEqual(await deletedOf(account.id), planned)
  assert.equal((await verified(account.id)).intact, true)
})

test('a legal hold has a reason and a name, is no secret from the operator, and is one from the customer', async () => {
  const account = await server.newAccount('Sued')
  const params = { account_id: account.id }
  await assert.rejects(operator.setLegalHold({ params, body: { is_held: true, reason: '' } }), InvalidInputError)
  await assert.rejects(hold('999999999', true), NotFoundError)
  await assert.rejects(hold(account.id, false), ConflictError)
  await hold(account.id, true)
  await assert.rejects(hold(account.id, true), ConflictError)
  const { attributes } = (await operator.getAccount({ params })).body.data
  const held_by = `operator:${server.operator_credentials.access_key}`
  assert.partialDeepStrictEqual(attributes, { hold_reason: 'Subpoena 26-1234', held_by })
  assert.ok(attributes.held_at)
  const activity = (await account.client.listActivity()).body.data
  assert.ok(!JSON.stringify(activity).includes('hold'))

  await callsIn(account, monthAgo(30), ['x'])
  await assert.rejects(deleteMonth(deps, warehouse, { account_id: account.id, month: monthAgo(30) }), /legal hold/)
  await fill(account, 'sued')
  const { id } = await db
    .selectFrom('cdr_export')
    .select('id')
    .where('account_id', '=', account.id)
    .executeTakeFirstOrThrow()
  await later(1)
  assert.ok((await expireExport(deps, id))?.again_at, 'the file stays')
  await hold(account.id, false, 'Settled')
  assert.equal(await expireExport(deps, id), undefined)
  const log = (
    await operator.listEvents({ query: { subject_type: 'account', subject_id: account.id, account_id: '0' } })
  ).body.data
  assert.deepEqual(
    log.map(({ attributes: { event_type, data } }) => [event_type, data]),
    [
      ['legal_hold.lifted', { reason: 'Settled' }],
      ['legal_hold.set', { reason: 'Subpoena 26-1234' }],
    ],
  )
})

test('a closed account has no access; its events are deleted when their period ends', async () => {
  const account = await server.newAccount('Closing')
  const params = { account_id: account.id }
  const only = await signedInAs(server, [{ account_id: account.id, role: 'owner' }])
  const both = await signedInAs(server, [
    { account_id: account.id, role: 'owner' },
    { account_id: server.other.id, role: 'owner' },
  ])
  await invited(server, 'late@invited.example', { account_id: account.id, role: 'manager' })
  await operator.closeAccount({ params })
  await assert.rejects(account.client.listNumbers(), UnauthorizedError)
  assert.equal((await only.client.getSession()).body.data, null)
  const { memberships } = (await both.client.getSession()).body.data ?? assert.fail()
  assert.deepEqual(
    memberships.map(({ account_id }) => account_id),
    [server.other.id],
  )
  await both.client.listNumbers()
  await assert.rejects(operator.closeAccount({ params }), ConflictError)
  await assert.rejects(operator.createKey({ params, body: { name: 'New' } }), ConflictError)
  await assert.rejects(operator.closeAccount({ params: { account_id: '999999999' } }), NotFoundError)
  assert.ok((await operator.getAccount({ params })).body.data.attributes.closed_at)

  const before = await verified(account.id)
  await later(6 * 365)
  assert.equal(counts(await plan(account.id))['closed_account_events'], undefined)
  await later(370)
  assert.equal(counts(await plan(account.id))['closed_account_events'], before.events)
  await run()
  assert.partialDeepStrictEqual(await verified(account.id), {
    intact: true,
    events: 0,
    deleted: before.events,
    head: before.head,
  })
})

test('personal data is deleted on request, except what the law keeps, which is deleted later', async () => {
  const [account, untouched] = [await server.newAccount('Zzyzx Dental'), await server.newAccount('Qwerty Dental')]
  const params = { account_id: account.id }
  for (const [each, mark] of [
    [account, 'zzyzx'],
    [untouched, 'qwerty'],
  ] as const) {
    await fill(each, mark)
    await orderIn({ ...server, account: each }, 'Canceled', { company: mark })
    await newAddress({ first_name: mark }, each)
    await newCnam('approved', each)
    await each.client.createRoute({ body: { route_type: 'host', value: `${mark}.example`, alias: mark } })
  }
  const person = await signedInAs(server, [{ account_id: account.id, role: 'owner' }])
  const shared = await signedInAs(server, [
    { account_id: account.id, role: 'owner' },
    { account_id: untouched.id, role: 'owner' },
  ])
  await person.client.updatePerson({ body: { name: 'Zoe zzyzx' } })

  const number = await newNumber({ alias: 'zzyzx' }, account)
  await assert.rejects(requestDeletion(account.id, 'Another name'), InvalidInputError)
  await assert.rejects(requestDeletion(account.id, 'Zzyzx Dental'), ConflictError)
  assert.deepEqual((await report(account.id)).obstacles, [
    'The account is not closed.',
    'The account has numbers: 1. Release them.',
  ])
  await account.client.releaseNumber({ params: { number } })
  await operator.closeAccount({ params })
  await hold(account.id, true)
  await assert.rejects(requestDeletion(account.id, 'Zzyzx Dental'), /legal hold/)
  await hold(account.id, false)

  const dry_run = await report(account.id)
  assert.equal(dry_run.status, 'not_requested')
  const expected = Object.fromEntries(dry_run.classes.map(({ class: name, count }) => [name, count]))
  const { status } = (await requestDeletion(account.id, 'Zzyzx Dental')).body.data
  assert.equal(status, 'processing')
  await assert.rejects(requestDeletion(account.id, 'Zzyzx Dental'), ConflictError)

  // held after the request: nothing is deleted, and it continues when the hold is lifted
  await hold(account.id, true)
  await deletePersonalData(retention, account.id, signal)
  assert.deepEqual(await deletedOf(account.id), {})
  await hold(account.id, false)
  let checks = 0
  const ending = { throwIfAborted: () => assert.ok(++checks <= 12, 'interrupted') } as AbortSignal
  await assert.rejects(deletePersonalData(retention, account.id, ending), /interrupted/)
  await deletePersonalData(retention, account.id, signal)

  const done = await report(account.id)
  assert.equal(done.status, 'completed')
  for (const { class: name, count, deleted } of done.classes)
    assert.deepEqual([name, deleted, count], [name, expected[name], 0])
  const kept = done.classes.filter((each) => each.kept > 0)
  assert.deepEqual(
    kept.map((each) => [each.class, each.kept]),
    [
      ['call_records', 1],
      ['order_documents', 1],
      ['port_orders', 1],
      ['shared_people', 1],
    ],
  )
  for (const { reason } of kept) assert.match(reason ?? '', /47 CFR|another account/)
  const chain = await verified(account.id)
  assert.deepEqual([chain.intact, chain.erased], [true, chain.events])
  // what shows events shows those without details
  for (const line of ['GET /v2/activity?limit=50', 'GET /v2/portorders'])
    assert.equal((await readFor(account.id, line)).status, 200, line)
  const { id: order } = await db
    .selectFrom('port_order')
    .select('id')
    .where('account_id', '=', account.id)
    .executeTakeFirstOrThrow()
  for (const path of ['', '/timeline', '/files'])
    assert.equal((await readFor(account.id, `GET /v2/portorders/${order}${path}`)).status, 200, path)
  assert.equal((await verified()).intact, true)
  assert.equal((await operator.getAccount({ params })).body.data.attributes.name, `Account ${account.id} (deleted)`)
  assert.deepEqual(await tablesWith('zzyzx'), ['port_order', 'port_order_loa'])
  assert.equal(
    (await db.selectFrom('person').select('id').where('id', '=', person.session.person.id).execute()).length,
    0,
  )
  assert.ok((await shared.client.getSession()).body.data, 'a person of another account stays')

  await later(2 * 366)
  await run()
  assert.deepEqual(await tablesWith('zzyzx'), [])
  assert.deepEqual(await tablesWith('Zzyzx'), [])
  const rest = await report(account.id)
  assert.deepEqual(
    rest.classes.filter(({ kept }) => kept > 0).map(({ class: name }) => name),
    ['shared_people'],
  )
  assert.equal((await verified(account.id)).intact, true)

  assert.equal((await report(untouched.id)).status, 'not_requested')
  const other_chain = await verified(untouched.id)
  assert.deepEqual([other_chain.intact, other_chain.erased, other_chain.deleted], [true, 0, 0])
  assert.equal((await untouched.client.listE911s()).body.data.length, 1)
  await assert.rejects(report('999999999'), NotFoundError)
})
