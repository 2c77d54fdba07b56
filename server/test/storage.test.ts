import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { DemarcError } from '@demarc/client'
import { callRecord } from '../src/engines/call-records/testing/records.ts'
import { listenHttp, outboundTo127_0_0_1 } from '../src/platform/outbound/testing/loopback.ts'
import { newOrder } from '../src/order-documents/testing/orders.ts'
import { storedFiles } from '../src/order-documents/testing/pulls.ts'
import { storedBytes_min } from '../src/platform/rows.ts'
import { testEngine } from './support/engine.ts'
import { eventually } from './support/eventually.ts'
import { askExport, completedExport, exportEnded } from './support/exports.ts'
import { sign } from './support/port-orders.ts'
import { refusal } from './support/refusals.ts'
import { startTestServer, type TestAccount } from './support/server.ts'

/** The storage limit of an account, across all features that store files. */

const limit = 1_048_576
const engine = await testEngine()
const server = await startTestServer({
  worker: true,
  engine_socket: engine.socket,
  env: { DEMARC_STORAGE_LIMIT_BYTES: String(limit) },
  overrides: { outbound: outboundTo127_0_0_1() },
})
const newAccount = () => server.newAccount('Storage')

/** Texts with distinct digests. */
const text = (bytes: number) => Buffer.from(randomBytes(bytes / 2).toString('hex'))

async function upload({ client }: TestAccount, portorder_id: string, body: NonNullable<RequestInit['body']>) {
  const params = { portorder_id, file: `${randomBytes(4).toString('hex')}.txt` }
  return await client.uploadPortOrderFile({ params, body, content_type: 'text/plain' })
}
const fill = async (account: TestAccount, bytes: number) => await upload(account, await newOrder(account), text(bytes))
const validate = ({ client }: TestAccount, body: NonNullable<RequestInit['body']>) =>
  client.createE911Validation({ body, content_type: 'text/csv' })

/** The refusal, and the usage that its headers report. */
async function refused(request: Promise<unknown>): Promise<{ detail: string; used: number }> {
  const error = await request.then(
    () => assert.fail('was not refused'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof DemarcError)) throw error
  const { detail } = await refusal(Promise.reject(error), 507)
  assert.equal(error.headers.get('demarc-storage-limit'), String(limit))
  return { detail: String(detail), used: Number(error.headers.get('demarc-storage-used')) }
}
const usedIn = ({ headers }: { headers: Headers }) => Number(headers.get('demarc-storage-used'))

/** A body that ends when its reader stops reading. */
function endless(first: Buffer) {
  return new ReadableStream({ start: (controller) => controller.enqueue(first) })
}

test('documents and address files share one limit, and responses report the usage', async () => {
  const account = await newAccount()
  assert.equal(usedIn(await fill(account, 300_000)), 300_000)
  assert.equal(usedIn(await fill(account, 10)), 300_000 + storedBytes_min)
  const before = await storedFiles(server)
  // sent last, because a worker may validate and delete it before the next request is counted
  assert.equal(usedIn(await validate(account, text(500_000))), 800_000 + storedBytes_min)
  await eventually(async () => (await storedFiles(server)).length === before.length) // the next tests compare files
})

test('an upload beyond the limit is refused by its length before it is read, and stores nothing', async () => {
  const account = await newAccount()
  const order = await newOrder(account)
  await fill(account, 600_000)
  const before = await storedFiles(server)
  const headers = { 'content-length': '500000' }
  const params = { portorder_id: order, file: 'a.txt' }
  const { detail, used } = await refused(upload(account, order, text(500_000)))
  assert.match(detail, /may take up 1048576 bytes\. 600000 are in use.*Wait until.*or ask the operator for more/)
  assert.equal(used, 600_000)
  for (const send of [
    () =>
      account.client.uploadPortOrderFile({ params, body: endless(text(10)), content_type: 'text/plain' }, { headers }),
    () => account.client.createE911Validation({ body: endless(text(10)), content_type: 'text/csv' }, { headers }),
  ])
    assert.equal((await refused(send())).used, 600_000)
  assert.deepEqual(await storedFiles(server), before)
})

test('an upload without a length is refused once it exceeds the remaining storage, and stores nothing', async () => {
  const account = await newAccount()
  const order = await newOrder(account)
  await fill(account, 900_000)
  const before = await storedFiles(server)
  await refused(upload(account, order, endless(text(200_000))))
  await refused(validate(account, endless(text(200_000))))
  assert.deepEqual(await storedFiles(server), before)
  assert.equal((await upload(account, order, new Blob([text(100_000)]).stream())).status, 201)
})

test('concurrent uploads together stay within the limit', async () => {
  const account = await newAccount()
  const orders = await Promise.all(Array.from({ length: 8 }, () => newOrder(account)))
  const before = await storedFiles(server)
  const settled = await Promise.allSettled(orders.map((order) => upload(account, order, text(300_000))))
  const accepted = settled.filter(({ status }) => status === 'fulfilled')
  assert.equal(accepted.length, 3)
  for (const each of settled) if (each.status === 'rejected') await refused(Promise.reject(each.reason))
  assert.equal((await storedFiles(server)).length, before.length + 3)
})

test('accounts have separate limits, and a document sent again does not count again', async () => {
  const [account, other] = [await newAccount(), await newAccount()]
  const order = await newOrder(account)
  const [params, body] = [{ portorder_id: order, file: 'twice.txt' }, text(800_000)]
  const send = () => account.client.uploadPortOrderFile({ params, body, content_type: 'text/plain' })
  assert.equal((await send()).status, 201)
  await refused(fill(account, 300_000))
  assert.equal((await send()).status, 200)
  assert.equal(usedIn(await fill(other, 800_000)), 800_000)
})

test('an LOA counts, and is refused when no storage remains: the order is unchanged, and nothing is stored', async () => {
  const account = await newAccount()
  const [signed, refusedOne] = [await newOrder(account), await newOrder(account)]
  await sign(account, signed)
  const used = usedIn(await fill(account, 10))
  assert.ok(used > 2 * storedBytes_min, 'the LOA was counted')
  const rest = limit - used - storedBytes_min
  await fill(account, rest - (rest % 2))
  const before = await storedFiles(server)
  await refused(sign(account, refusedOne))
  const { data } = (await account.client.getPortOrder({ params: { portorder_id: refusedOne } })).body
  assert.equal(data.attributes.status, 'Pending')
  assert.deepEqual(await storedFiles(server), before)
})

test('a pull that exceeds the remaining storage fails with the reason; with none remaining it is refused', async (t) => {
  const account = await newAccount()
  const { port } = await listenHttp(t, (_, response) => response.end(text(200_000)))
  const portorder_id = await newOrder(account)
  const pull = () =>
    account.client.requestPortOrderFile({
      params: { portorder_id },
      body: { url: `http://docs.example:${port}/bill.txt` },
    })
  await fill(account, 900_000)
  const before = await storedFiles(server)
  const requested = await pull()
  assert.equal(usedIn(requested), 900_000)
  const params = { portorder_id, file: requested.body.data.id }
  const read = async () => (await account.client.getPortOrderFile({ params })).body.data.attributes
  await eventually(async () => (await read()).status === 'error')
  assert.match((await read()).failure_reason ?? '', /no storage left.*ask the operator/)
  assert.deepEqual(await storedFiles(server), before)
  await fill(account, 148_000)
  await refused(pull())
})

test('an export that exceeds the remaining storage fails with the reason; with none remaining it is refused', async () => {
  const account = await newAccount()
  const calls = Array.from({ length: 2000 }, (_, i) =>
    callRecord({ account_id: account.id, id: `${account.id} ${i}`, number_alias: text(200).toString() }),
  )
  await server.runtime.warehouse.insert(calls)
  await fill(account, 1_000_000)
  const before = await storedFiles(server)
  const ended = await exportEnded(account, (await askExport(account)).id)
  assert.equal(ended.attributes.status, 'failed')
  assert.match(ended.attributes.failure_reason ?? '', /does not fit into the remaining storage.*ask the operator/)
  assert.deepEqual(await storedFiles(server), before)
  await fill(account, 48_000)
  await refused(askExport(account))
})

test('an export counts until it expires', async () => {
  const account = await newAccount()
  await server.runtime.warehouse.insert([callRecord({ account_id: account.id })])
  await fill(account, 1_000_000)
  await completedExport(account)
  await refused(fill(account, 46_000))
  await server.operator.moveClock({ body: { advance: '4 days' } })
  assert.equal(usedIn(await fill(account, 46_000)), 1_046_000)
})
