import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation } from '@demarc/client'
import { systemActor } from '../src/platform/actor.ts'
import { inTransaction } from '../src/platform/db.ts'
import { recordEvent } from '../src/platform/events.ts'
import { factories } from './support/factories.ts'
import { askExport } from './support/exports.ts'
import { loadNumbers, numbersFrom } from './support/inventory.ts'
import { every, pathOf } from './support/operations.ts'
import { newPortout } from './support/portouts.ts'
import { newOrder, orderBody } from './support/port-orders.ts'
import { startTestServer, type TestAccount } from './support/server.ts'
import { loadTown, DEMO_EXAMPLES } from './support/town.ts'
import { wire, withoutIds, type WireResponse } from './support/wire.ts'

/**
 * A resource of another account is indistinguishable from one that does not exist: for every operation and every id parameter,
 * the refusals of a foreign id and of an unknown one are the same.
 */

const server = await startTestServer()
const { newNumber, newRoute, newCnam } = factories(server)

/** One resource of each type, by the name of its path parameter. */
async function resourcesOf(account: TestAccount, number: string): Promise<Record<string, string>> {
  const order = await newOrder(account)
  const params = { portorder_id: order.id }
  const content_type = 'application/octet-stream'
  await account.client.uploadPortOrderFile({
    params: { ...params, file: 'bill.csv' },
    body: 'a,b\n1,2\n',
    content_type,
  })
  const [file] = (await account.client.listPortOrderFiles({ params })).body.data
  const e911 = await account.client.createE911({ body: { data: { type: 'e911', attributes: address } } })
  const [ordered = '', reserved = ''] = numbersFrom(
    `1${number.slice(1, 4)}555${number.endsWith('1') ? '0110' : '0120'}`,
    2,
  )
  await loadNumbers(server, [{ number: ordered }, { number: reserved }])
  const numberorder = await account.client.createNumberOrder({ body: { numbers: [ordered] } })
  const reservation = await account.client.createNumberReservation({ body: { numbers: [reserved] } })
  const validation = await account.client.createE911Validation({ body: 'a,b\n1,2\n', content_type: 'text/csv' })
  return {
    number: await newNumber({ value: number }, account),
    route_id: await newRoute(account),
    cnam_id: await newCnam('approved', account),
    export_id: (await askExport(account)).id,
    e911_id: e911.body.data.id,
    validation_id: validation.body.data.id,
    notification_id: await newNotification(account),
    portorder_id: order.id,
    group_id: order.attributes.group_id,
    numberorder_id: numberorder.body.data.id,
    numberreservation_id: reservation.body.data.id,
    portout_id: (await newPortout(server, [ordered])).id,
    file: file?.id ?? assert.fail('no file'),
  }
}

const address = { ...DEMO_EXAMPLES.accepted } as never

async function newNotification({ id: account_id }: TestAccount): Promise<string> {
  const now = server.clock.now()
  const url = 'https://receiver.example/'
  const event = await inTransaction(server.db, (tx) =>
    recordEvent({ tx, actor: systemActor('test', account_id), clock: server.clock }, account_id, {
      type: 'thing.changed',
      subject_type: 'thing',
      subject_id: '7',
    }),
  )
  const row = { account_id, event_id: event.id, event_type: 'thing.changed', url, body: '{}', created_at: now }
  const { id } = await server.db
    .insertInto('notification')
    .values({ ...row, status: 'failed', attempts: 1, next_attempt_at: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

await loadTown(server)
const { account: owner, other: stranger } = server
const owners = await resourcesOf(owner, '12065550001')
const strangers = await resourcesOf(stranger, '12065550002')

const unknown = (param: string) => (param === 'number' ? '12069999999' : '999999999')
/** An edge strategy belongs to the carrier, and the file of an upload is a name. */
const isOwned = (operation: Operation, param: string) =>
  param !== 'edge_strategy_id' && !(operation.id === 'uploadPortOrderFile' && param === 'file')

/** Bodies that would be valid for the account's own resource. */
const bodies: Record<string, unknown> = {
  updateNumber: { alias: 'Mine now' },
  setPrimaryRoute: { data: null },
  setFailoverRoute: { data: null },
  updateRoute: { alias: 'Mine now' },
  updateCnam: { value: 'MINE NOW' },
  updateE911: { data: { type: 'e911', attributes: { label: 'Mine now' } } },
  updatePortOrder: { data: { type: 'portorder', attributes: { alias: 'Mine now' } } },
  cancelPortOrder: { data: { type: 'portorder', attributes: { status: 'cancelled' } } },
  changePortOrderNumbers: { add: ['+12065559999'] },
  addPortOrderComment: { text: 'Mine now' },
  respondToPortout: { response: 'disputed' },
  submitLoa: { data: { type: 'loa', id: '1', attributes: {} } },
  requestPortOrderFile: { url: 'https://documents.example/a.pdf' },
}

const send = wire(server.base_url, stranger.credentials)

async function ask(operation: Operation, params: Record<string, string>): Promise<WireResponse> {
  const headers: Record<string, string> =
    operation.body && 'bytes' in operation.body ? { 'content-type': operation.body.bytes[0] ?? '' } : {}
  const body = operation.body === undefined ? undefined : JSON.stringify(bodies[operation.id] ?? {})
  const response = await send(`${operation.method} ${pathOf(operation, params)}`, {
    headers,
    ...(body === undefined ? {} : { body }),
  })
  const text = Object.values(params).reduce((all, id) => hide(all, id), response.body)
  return { ...response, errors: (JSON.parse(text) as Pick<WireResponse, 'errors'>).errors }
}

/** The message of a refusal may contain the id. */
const hide = (text: string, id: string) => text.replace(new RegExp(`(?<!\\w)${id}(?!\\w)`, 'g'), '<id>')

const paramsOf = (operation: Operation) => [...operation.path.matchAll(/\{(\w+)\}/g)].map((m) => m[1] ?? '')
const reachable = every.filter((o) => o.principals.includes('account'))

test('for every operation, an id of another account is refused exactly as one that does not exist', async () => {
  for (const operation of reachable)
    for (const param of paramsOf(operation).filter((name) => isOwned(operation, name))) {
      const foreign = owners[param] ?? assert.fail(`${operation.id}: this test has no resource for ${param}`)
      const own = Object.fromEntries(paramsOf(operation).map((name) => [name, strangers[name] ?? '1']))
      const [asked, expected] = [
        await ask(operation, { ...own, [param]: foreign }),
        await ask(operation, { ...own, [param]: unknown(param) }),
      ]
      assert.equal(asked.status, 404, `${operation.id} by ${param}: ${asked.body}`)
      assert.deepEqual(withoutIds(asked), withoutIds(expected), `${operation.id} by ${param}`)
    }
})

test('an id of another account inside a body is refused exactly as one that does not exist', async () => {
  const { number = '', portorder_id = '' } = strangers
  const order = orderBody().data.attributes
  const grid: [string, string, (id: string) => unknown][] = [
    [`PATCH /v2/numbers/${number}/relationships/primary_route`, 'route_id', (id) => ({ data: { type: 'route', id } })],
    [`PATCH /v2/numbers/${number}/relationships/failover_route`, 'route_id', (id) => ({ data: { type: 'route', id } })],
    ...(['primary_route_id', 'failover_route_id', 'cnam_id', 'e911_id'] as const).flatMap(
      (preset): [string, string, (id: string) => unknown][] => {
        const param = preset.endsWith('route_id') ? 'route_id' : preset
        return [
          [`PATCH /v2/portorders/${portorder_id}`, param, (id) => ({ presets: { [preset]: id } })],
          [
            'POST /v2/portorders',
            param,
            (id) => ({ data: { type: 'portorder', attributes: { ...order, presets: { [preset]: id } } } }),
          ],
        ]
      },
    ),
  ]
  for (const [line, param, body] of grid) {
    const responses = []
    for (const id of [owners[param] ?? '', unknown(param)]) {
      const response = await send(line, { body: JSON.stringify(body(id)) })
      responses.push(hide(JSON.stringify(withoutIds(response)), id))
      assert.ok([404, 422].includes(response.status), `${line}: ${response.body}`)
    }
    assert.equal(responses[0], responses[1], `${line} by ${param}`)
  }
})

/** Entries in the lists of a new account: the default route, and the events of its creation. */
const ownEntries: Record<string, string[]> = {
  listRoutes: ['0'],
  listActivity: ['access_key.created', 'account.created'],
}

test('no list has resources of another account', async () => {
  const fresh = await server.newAccount('Newly made')
  const lists = reachable.filter((o) => o.method === 'GET' && paramsOf(o).length === 0 && o.id.startsWith('list'))
  assert.ok(lists.length >= 7)
  for (const operation of lists.filter((o) => o.id !== 'listEdgeStrategies')) {
    const response = await wire(server.base_url, fresh.credentials)(`GET ${operation.path}`)
    const { data } = JSON.parse(response.body) as { data: { id: string }[] }
    const own = ownEntries[operation.id] ?? []
    assert.deepEqual(
      data.map((entry) => (operation.id === 'listActivity' ? Object(entry).attributes.event_type : String(entry.id))),
      own,
      operation.id,
    )
  }
})

test('an operator acting for an account sees only that account, and otherwise all accounts', async () => {
  const as = (account: string | null, line: string) =>
    wire(server.base_url, server.operator_credentials)(
      line,
      account === null ? {} : { headers: { 'demarc-account': account } },
    )
  const { cnam_id = '', portorder_id = '' } = owners
  for (const line of [
    `GET /v2/cnams/${cnam_id}`,
    `GET /v2/portorders/${portorder_id}`,
    `GET /v2/numbers/${owners['number'] ?? ''}`,
  ]) {
    assert.deepEqual([(await as(null, line)).status, (await as(owner.id, line)).status], [200, 200], line)
    assert.equal((await as(stranger.id, line)).status, 404, line)
  }
})

test('to an account, an operator key that exists is indistinguishable from one that does not', async () => {
  const [key] = (await server.operator.listOperatorKeys()).body.data
  for (const method of ['GET', 'DELETE']) {
    const [asked, expected] = [
      await send(`${method} /operator/keys/${key?.id}`),
      await send(`${method} /operator/keys/${unknown('key_id')}`),
    ]
    assert.equal(asked.status, 403)
    assert.deepEqual(withoutIds(asked), withoutIds(expected), method)
  }
})

test('operator keys belong to no account: an operator acting for one sees the same', async () => {
  const keys = async (headers: Record<string, string>) =>
    (await wire(server.base_url, server.operator_credentials)('GET /operator/keys', { headers })).json
  assert.deepEqual(await keys({ 'demarc-account': stranger.id }), await keys({}))
})
