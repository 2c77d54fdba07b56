import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { freshNumber, newOrder, orderIn, sign } from '../../test/support/port-orders.ts'
import { startTestServer } from '../../test/support/server.ts'
import type { JobRunner } from '../platform/job-runner.ts'
import { startWorker } from '../worker.ts'

/** Each test continues with the clock of the one before. */
const server = await startTestServer()
let workers: JobRunner[] = [await startWorker(server.runtime, 'first')]
const stopWorkers = () => Promise.all(workers.splice(0).map((worker) => worker.stop(2000)))
const { client, id: account_id } = server.account
const at = (id: string) => ({ params: { portorder_id: id } })
const get = async (id: string) => (await client.getPortOrder(at(id))).body.data.attributes
const advance = (words: string) => server.operator.moveClock({ body: { advance: words } })
const eventsOf = async (id: string) =>
  (await client.getPortOrderTimeline({ ...at(id), query: { limit: 200 } })).body.data
const typesOf = async (id: string) => (await eventsOf(id)).map((e) => e.attributes.event_type.replace('portorder.', ''))
const simulated = { provider: 'Simulated Telephone' }

/** By webhook-id: deliveries are made at least once, and again if the first response didn't arrive in time. */
const received = new Map<string, { url: string; body: string }>()
const receiver = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => (body += chunk))
  request.on('end', () => {
    received.set(String(request.headers['webhook-id']), { url: request.url ?? '', body })
    response.end()
  })
})
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
after(() => receiver.close())
const status_url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/ports`

test('an order goes from its creation to numbers in service, and its status URL is notified of each transition', async () => {
  const cnam = (await client.createCnam({ body: { value: 'HARBOR DENTAL' } })).body.data
  await server.operator.decideCnam({ params: { cnam_id: cnam.id }, body: { is_approved: true } })
  const route = (
    await client.createRoute({
      body: {
        data: { type: 'route', attributes: { alias: 'PBX', route_type: 'host', value: 'pbx.example.com' } },
      } as never,
    })
  ).body.data
  const numbers = [freshNumber(), freshNumber()]
  const { id } = await newOrder(server.account, {
    ...simulated,
    numbers,
    pin: 'account_number_mismatch'.slice(0, 50),
    status_url: `${status_url}/life`,
    enable_cnam_lookups: true,
    presets: { cnam_id: cnam.id, primary_route_id: route.id, failover_route_id: 0, alias: 'Sales' },
  })
  await sign(server.account, id)
  await advance('2 hours')
  const rejected = await get(id)
  assert.deepEqual([rejected.status, rejected.rejection?.code], ['Rejected', 'account_number_mismatch'])
  await client.updatePortOrder({
    ...at(id),
    body: { data: { type: 'portorder', attributes: { provider_account: 'AC-7' } } },
  })
  await client.resubmitPortOrder(at(id))
  await advance('2 hours')
  const accepted = await get(id)
  assert.deepEqual([accepted.status, accepted.rejection, accepted.next.who], ['Accepted', null, 'carrier'])
  const preview = (await client.previewCompletion(at(id))).body.data.attributes
  assert.deepEqual(
    [
      preview.numbers_count,
      preview.failures,
      preview.presets.map((p) => [p.preset, p.applied_count, p.failures.length]),
    ],
    [
      2,
      [],
      [
        ['primary_route_id', 2, 0],
        ['failover_route_id', 2, 0],
        ['alias', 2, 0],
        ['cnam_id', 2, 0],
      ],
    ],
  )
  await advance('10 days')
  const done = await get(id)
  assert.equal(done.status, 'Completed')
  assert.deepEqual([done.pin, done.last_4_ssn], ['', ''], 'secrets of a final order are deleted')
  for (const number of numbers) {
    const { data, included } = (await client.getNumber({ params: { number } })).body
    assert.deepEqual(
      [data.attributes.alias, data.attributes.state, data.attributes.cnam_lookups_enabled, data.attributes.number_type],
      ['Sales', 'WA', true, 'longcode'],
    )
    assert.equal(data.relationships.primary_route.data?.id, Number(route.id))
    assert.equal(data.relationships.failover_route.data?.id, 0)
    assert.equal(data.relationships.cnam_preset.data?.id, Number(cnam.id))
    assert.ok(included.some((i) => i.type === 'cnam'))
  }
  assert.deepEqual(await typesOf(id), [
    'created',
    'signed',
    'submitted',
    'rejected',
    'changed',
    'resubmitted',
    'submitted',
    'accepted',
    'completed',
  ])
  const notified = [...received.values()].filter((r) => r.url === '/ports/life').map((r) => JSON.parse(r.body))
  assert.deepEqual(
    notified.map((n) => [n.meta.type, n.data.attributes.status]).toSorted((a, b) => String(a).localeCompare(String(b))),
    [
      ['portorder.accepted', 'Accepted'],
      ['portorder.completed', 'Completed'],
      ['portorder.rejected', 'Rejected'],
      ['portorder.resubmitted', 'Review'],
      ['portorder.signed', 'Processing'],
      ['portorder.submitted', 'Submitted'],
      ['portorder.submitted', 'Submitted'],
    ],
  )
})

test('after 45 days an idle Pending order is canceled and a Rejected one is abandoned, once each; an edit restarts the clock', async () => {
  const idle = await newOrder(server.account)
  const kept = await newOrder(server.account)
  const rejected = (await orderIn(server, 'Rejected')).id
  await advance('30 days')
  await client.updatePortOrder({ ...at(kept.id), body: { presets: { alias: 'Later' } } })
  await client.updatePortOrder({ ...at(rejected), body: { presets: { alias: 'Later' } } })
  await advance('14 days 23 hours')
  assert.deepEqual([(await get(idle.id)).status, (await get(rejected)).status], ['Pending', 'Rejected'])
  await advance('2 hours')
  assert.deepEqual(
    [(await get(idle.id)).status, (await get(rejected)).status, (await get(kept.id)).status],
    ['Canceled', 'Abandoned', 'Pending'],
  )
  await advance('30 days')
  assert.equal((await get(kept.id)).status, 'Canceled')
  for (const id of [idle.id, kept.id, rejected])
    assert.equal((await typesOf(id)).filter((t) => t === 'expired').length, 1)
  await newOrder(server.other, { numbers: idle.attributes.numbers })
})

test('orders that expired while no worker ran are closed once each by two workers', async () => {
  const orders = await Promise.all([newOrder(server.account), newOrder(server.account), orderIn(server, 'Rejected')])
  await stopWorkers()
  await server.clock.advanceTo(new Date(server.clock.now().getTime() + 60 * 86_400_000))
  const edited = orders[0]
  // overdue, but the customer edits it before the worker runs
  if (edited) await client.updatePortOrder({ ...at(edited.id), body: { presets: { alias: 'Still wanted' } } })
  workers = await Promise.all(['one', 'two'].map((name) => startWorker(server.runtime, `late-${name}`)))
  await server.operator.moveClock({ body: { advance: '1 second' } })
  assert.deepEqual(await Promise.all(orders.map(async (o) => (await get(o.id)).status)), [
    'Pending',
    'Canceled',
    'Abandoned',
  ])
  for (const { id } of orders.slice(1)) assert.equal((await typesOf(id)).filter((t) => t === 'expired').length, 1)
})

test('a job that is enqueued twice or too early closes no order twice or too early', async () => {
  const { id } = await newOrder(server.account)
  const enqueueExpiry = () =>
    sql`insert into job (kind, key, due_at) values ('expire-port-order', ${id}, ${new Date(0)}) on conflict (kind, key) do update set due_at = excluded.due_at`.execute(
      server.db,
    )
  await enqueueExpiry()
  await advance('1 minute')
  assert.equal((await get(id)).status, 'Pending')
  await advance('46 days')
  await enqueueExpiry()
  await advance('1 minute')
  assert.deepEqual(
    (await typesOf(id)).filter((t) => t === 'expired'),
    ['expired'],
  )
})

test('scenarios of the simulated carrier: silence, numbers left behind, a changed date, a refusal, a withdrawal', async () => {
  const [one, two] = [freshNumber(), freshNumber()].toSorted()
  const start = async (pin: string, numbers?: string[]) => {
    const { id } = await newOrder(server.account, { ...simulated, pin, ...(numbers ? { numbers } : {}) })
    await sign(server.account, id)
    return id
  }
  const silent = await start('SILENT')
  const partial = await start('PARTIAL', [one ?? '', two ?? ''])
  const delayed = await start('DELAY')
  const refused = await start('NOPORT')
  const withdrawn = await start('WITHDRAW')
  await advance('20 days')
  assert.deepEqual(
    [(await get(silent)).status, (await get(partial)).status, (await get(delayed)).status, (await get(refused)).status],
    ['Submitted', 'Completed', 'Completed', 'Canceled'],
  )
  assert.equal((await get(withdrawn)).status, 'Rejected')
  assert.ok((await typesOf(delayed)).includes('rescheduled'))
  await client.getNumber({ params: { number: one ?? '' } })
  await assert.rejects(client.getNumber({ params: { number: two ?? '' } }), { status: 404 })
  const event = (await eventsOf(partial)).find((e) => e.attributes.event_type === 'portorder.numbers_left_behind')
  assert.deepEqual(event?.attributes.data['numbers'], [two])
})

test('presets that cannot be applied fail independently and are recorded on the timeline; the order still completes', async () => {
  const cnam = (await client.createCnam({ body: { value: 'NOT APPROVED' } })).body.data
  const gone = (
    await client.createRoute({
      body: {
        data: { type: 'route', attributes: { alias: 'Gone', route_type: 'host', value: 'gone.example.com' } },
      } as never,
    })
  ).body.data
  const { id } = await newOrder(server.account, {
    numbers: ['+18005550155'],
    presets: { cnam_id: cnam.id, primary_route_id: gone.id, alias: 'Free' },
  })
  await client.deleteRoute({ params: { route_id: gone.id } })
  await sign(server.account, id)
  const transition = (body: { to: string; completion_date?: string }) =>
    server.operator.transitionPortOrder({ ...at(id), body })
  await transition({ to: 'Submitted' })
  await transition({ to: 'Accepted', completion_date: '2099-06-16' })
  const { presets } = (await client.previewCompletion(at(id))).body.data.attributes
  assert.deepEqual(
    presets.map((p) => [p.preset, p.activation, p.applied_count, p.failures.map((f) => f.numbers)]),
    [
      ['primary_route_id', 'completion', 0, [['+18005550155']]],
      ['alias', 'completion', 1, []],
      ['cnam_id', 'morning', 0, [['+18005550155']]],
    ],
  )
  await transition({ to: 'Completed' })
  await advance('1 day')
  const { data } = (await client.getNumber({ params: { number: '18005550155' } })).body
  assert.deepEqual([data.attributes.alias, data.relationships.primary_route.data?.id], ['Free', 0])
  const failed = (await eventsOf(id)).filter((e) => e.attributes.event_type === 'portorder.preset_failed')
  assert.deepEqual(failed.map((e) => e.attributes.data['preset']).toSorted(), ['cnam_id', 'primary_route_id'])
})

test('secrets are stored encrypted, and deleted when the order is final', async () => {
  const { id } = await newOrder(server.account, {
    pin: 'CANARY77',
    last_4_ssn: '8642',
    status_url: `${status_url}/canary`,
    ...simulated,
  })
  await client.updatePortOrder(
    { ...at(id), body: { data: { type: 'portorder', attributes: { pin: 'CANARY78' } } } },
    { idempotency_key: 'canary' },
  )
  await sign(server.account, id)
  await client.checkPortOrder(at(id))
  await advance('1 minute')
  const findings = async () => {
    // four digits may be part of a digest by chance, so only a separate word counts
    const { rows } = await sql<{ found: string }>`
      select 'event' as found from event where data::text ~ 'CANARY|(["\\s:])8642(["\\s,.}])' or notification::text ~ 'CANARY'
      union all select 'job' from job where job::text ~ 'CANARY'
      union all select 'notification' from notification where body ~ 'CANARY'
      union all select 'idempotency' from idempotency_key where response ~ 'CANARY'
      union all select 'loa' from port_order_loa where evidence::text ~ 'CANARY'
      union all select 'order' from port_order o where o::text ~ 'CANARY'`.execute(server.db)
    return rows
  }
  assert.deepEqual(await findings(), [])
  assert.ok(!JSON.stringify([...received.values()]).includes('CANARY'))
  await advance('20 days')
  assert.equal((await get(id)).status, 'Completed')
  const row = await server.db
    .selectFrom('port_order')
    .select(['pin', 'pin_mask', 'last_4_ssn'])
    .where('id', '=', id)
    .executeTakeFirst()
  assert.deepEqual(row, { pin: null, pin_mask: '', last_4_ssn: null })
})

test('the queue shows who acts next, since when, and by when', async () => {
  const order = await orderIn(server, 'Processing')
  const queue = async (query: { who?: 'account' | 'operator' | 'carrier'; overdue?: boolean; status?: string }) =>
    (await server.operator.listPortOrderQueue({ query: { ...query, account_id, limit: 200 } })).body.data
  const queued = (await queue({ who: 'operator' })).find((o) => o.id === order.id)
  assert.deepEqual(
    [queued?.attributes.next.who, queued?.attributes.overdue, queued?.attributes.account_id],
    ['operator', false, account_id],
  )
  const params = { portorder_id: order.id }
  assert.deepEqual((await server.operator.getQueuedPortOrder({ params })).body.data, queued)
  const { name } = (await server.operator.getAccount({ params: { account_id } })).body.data.attributes
  assert.equal(queued?.attributes.account_name, name)
  assert.ok((queued?.attributes.next.due_at ?? '') > (queued?.attributes.since ?? ''))
  assert.ok(!(await queue({ who: 'account' })).some((o) => o.id === order.id))
  await advance('7 days')
  assert.ok((await queue({ overdue: true })).some((o) => o.id === order.id))
  assert.ok(!(await queue({ overdue: false })).some((o) => o.id === order.id))
  const due = (await queue({})).map((o) => o.attributes.next.due_at ?? '')
  assert.deepEqual(due, due.toSorted())
  assert.deepEqual(await queue({ status: 'completed' }), [])
})

test('the workers stop with no running job', async () => {
  await stopWorkers()
  const { rows } = await sql<{
    n: string
  }>`select count(*) as n from job where locked_by is not null or dead_at is not null`.execute(server.db)
  assert.equal(rows[0]?.n, '0')
})
