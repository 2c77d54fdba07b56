import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DemarcError, portOrders, type ResponseBody, type documents } from '@demarc/client'
import { eventually } from '../../test/support/eventually.ts'
import { changed, documentClient, readOnly } from '../../test/support/documents.ts'
import { forged } from '../../test/support/links.ts'
import { rawClient } from '../../test/support/raw-client.ts'
import { fieldErrors, refusal, sentence } from '../../test/support/refusals.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'
import { listenHttp, outboundTo127_0_0_1 } from '../platform/outbound/testing/loopback.ts'
import { listEvents } from '../platform/events.ts'
import { attachLoa, businessDocuments, referencedFiles } from './index.ts'
import { systemActor } from '../platform/actor.ts'
import { inTransaction } from '../platform/db.ts'
import { limits } from './rules.ts'
import { findDocument, insertDocument } from './store.ts'
import { newOrder, setStatus } from './testing/orders.ts'
import { storedFiles } from './testing/pulls.ts'
import { csv, html, pdf, png } from './testing/samples.ts'

const server = await startTestServer({ worker: true, overrides: { outbound: outboundTo127_0_0_1() } })
const { account, other, operator, anonymous } = server
const raw = rawClient(server.base_url, account)

const upload = (portorder_id: string, file: string, body: Uint8Array<ArrayBuffer>, by: TestAccount = account) =>
  by.client.uploadPortOrderFile({ params: { portorder_id, file }, body, content_type: 'application/octet-stream' })
const uploaded = async (portorder_id: string, file = 'bill.pdf', body: Uint8Array<ArrayBuffer> = pdf) =>
  (await upload(portorder_id, file, body)).body.data
const pull = (portorder_id: string, by: TestAccount = account) =>
  by.client.requestPortOrderFile({ params: { portorder_id }, body: { url: 'https://docs.example/a.pdf' } })

/** The detail of the error response. */
const statusOf = (call: Promise<unknown>) =>
  call.then(
    () => assert.fail('was not refused'),
    (error: unknown) => (error instanceof DemarcError ? error.status : assert.fail(String(error))),
  )

test('the document of another file can be sent as a pull request; changed read-only attributes are refused', async () => {
  const { read, written, fieldErrors } = documentClient(server.base_url, account.credentials)
  const portorder_id = await newOrder(account)
  const line = `POST /v2/portorders/${portorder_id}/files`
  const { id } = await uploaded(portorder_id)
  const original = await read(`/v2/portorders/${portorder_id}/files/${id}`)
  const url = 'https://docs.example/bill.pdf'
  const { data } = await written(line, changed(original, { url }))
  assert.notEqual(data.id, id)
  assert.deepEqual([data.attributes['original_url'], data.attributes['source']], [url, 'pull'])
  assert.equal((await written(line, { type: 'portorder-file', url })).data.attributes['original_url'], url)
  const wrong = { url: 'ftp://docs.example/bill.pdf', status: 'pending', color: 'red' }
  const errors = (await fieldErrors(line, changed(original, wrong))) as Record<string, string[]>
  assert.deepEqual(Object.keys(errors).toSorted(), ['color', 'status', 'url'])
  assert.deepEqual(errors['status'], [readOnly])
})

test('a worker runs a requested pull', async (t) => {
  const { port } = await listenHttp(t, (_, response) => response.end(pdf))
  const portorder_id = await newOrder(account)
  const requested = await account.client.requestPortOrderFile({
    params: { portorder_id },
    body: { data: { type: 'portorder-file', attributes: { url: `http://docs.example:${port}/a.pdf` } } },
  })
  const get = async () =>
    (await account.client.getPortOrderFile({ params: { portorder_id, file: requested.body.data.id } })).body.data
  await eventually(async () => (await get()).attributes.status === 'complete')
})

test('an uploaded document is complete immediately and is on the order and its timeline', async () => {
  const id = await newOrder(account)
  const { status, body } = await upload(id, 'Łukasz’ bill.pdf', pdf)
  assert.equal(status, 201)
  const { attributes } = body.data
  assert.deepEqual(
    [attributes.status, attributes.source, attributes.file, attributes.media_type, attributes.bytes],
    ['complete', 'upload', 'Łukasz’ bill.pdf', 'application/pdf', pdf.length],
  )
  assert.equal(attributes.original_url, '', 'a text, as the contract has it')
  const order = await account.client.getPortOrder({ params: { portorder_id: id } })
  assert.deepEqual(order.body.data.attributes.business_documents, [
    { filename: 'Łukasz’ bill.pdf', status: 'uploaded' },
  ])
  const events = await listEvents(server.db, { subject_id: id, type: 'portorder.file_uploaded', limit: 9, offset: 0 })
  assert.equal(events.length, 1)
})

test('repeating an upload returns the same document; other bytes or another name create a new one', async () => {
  const id = await newOrder(account)
  const first = await uploaded(id)
  const again = await upload(id, 'bill.pdf', pdf)
  assert.deepEqual([again.status, again.body.data.id], [200, first.id])
  assert.notEqual((await uploaded(id, 'bill.pdf', Buffer.concat([pdf, Buffer.from('\n')]))).id, first.id)
  assert.notEqual((await uploaded(id, 'other.pdf')).id, first.id)
  const { body } = await account.client.listPortOrderFiles({ params: { portorder_id: id }, query: { limit: 2 } })
  assert.deepEqual(
    body.data.map((d) => d.attributes.file),
    ['bill.pdf', 'bill.pdf'],
  )
  assert.match(body.links.next ?? '', /offset=2/)
})

test('an upload of a type that is not allowed is refused with the reason and leaves no file', async () => {
  const id = await newOrder(account)
  const before = await storedFiles(server)
  const wrong: [string, Uint8Array<ArrayBuffer>, RegExp][] = [
    ['a.pdf', html, /web page/],
    ['a.pdf', png, /ends in \.pdf, but the content is a PNG/],
    ['a.csv', Buffer.alloc(0), /empty/],
  ]
  for (const [name, body, reason] of wrong)
    assert.match((await fieldErrors(upload(id, name, body)))['body']?.join() ?? '', reason)
  assert.deepEqual(Object.keys(await fieldErrors(upload(id, '....', pdf))), ['filename'])
  assert.deepEqual(await storedFiles(server), before)
  assert.deepEqual((await account.client.listPortOrderFiles({ params: { portorder_id: id } })).body.data, [])
})

test('an upload can have exactly 20 MiB, with and without Content-Length', async () => {
  const id = await newOrder(account)
  const full = Buffer.alloc(limits.bytes, 'x')
  assert.equal((await uploaded(id, 'full.txt', full)).attributes.bytes, limits.bytes)
  const more = Buffer.alloc(limits.bytes + 1, 'x')
  assert.equal(await statusOf(upload(id, 'more.txt', more)), 413)
  const unannounced = new ReadableStream({
    start(controller) {
      controller.enqueue(more)
      controller.close()
    },
  })
  const streamed = account.client.uploadPortOrderFile({
    params: { portorder_id: id, file: 'more.txt' },
    body: unannounced,
    content_type: 'text/plain',
  })
  assert.equal(await statusOf(streamed), 413)
})

/** An upload that sends its bytes when the test says so. */
function slowUpload(portorder_id: string, file: string) {
  const body = new TransformStream<Uint8Array, Uint8Array>()
  const uploading = account.client.uploadPortOrderFile({
    params: { portorder_id, file },
    body: body.readable,
    content_type: 'application/octet-stream',
  })
  return { uploading, writer: body.writable.getWriter() }
}

test('uploads that are refused at the end leave no bytes', async () => {
  const orders = await Promise.all(Array.from({ length: 6 }, () => newOrder(account)))
  const before = await storedFiles(server)
  const slow = orders.map((id) => ({ id, ...slowUpload(id, 'late.txt') }))
  for (const { id, writer } of slow) await writer.write(Buffer.alloc(1_000_000, id))
  await eventually(async () => (await storedFiles(server)).length === before.length + slow.length)
  for (const { id } of slow) await setStatus(server, id, 'Completed')
  for (const { uploading, writer } of slow) {
    await writer.close()
    await refusal(uploading, 409)
  }
  assert.deepEqual(await storedFiles(server), before)
})

test('an upload with another media type is 415', async () => {
  const id = await newOrder(account)
  const response = await raw('PUT', `/v2/portorders/${id}/files/a.zip`, 'x', { 'content-type': 'application/zip' })
  assert.equal(response.status, 415)
})

test('a name cannot be a path', async () => {
  const id = await newOrder(account)
  const response = await raw('PUT', `/v2/portorders/${id}/files/..%2F..%2Fetc%2Fpasswd`, csv.toString(), {
    'content-type': 'text/plain',
  })
  assert.equal(response.status, 201)
  // the raw response is the operation's
  const { data } = (await response.json()) as ResponseBody<typeof documents.uploadPortOrderFile>
  assert.equal(data.attributes.file, 'passwd')
  const download = await fetch(data.attributes.download_url ?? '')
  assert.match(download.headers.get('content-disposition') ?? '', /^attachment; filename="passwd\.txt"/)
})

test('documents can be added in the statuses that allow it; other statuses refuse and list them', async () => {
  const id = await newOrder(account)
  let nth = 0
  for (const status of portOrders.portOrderStatuses) {
    await setStatus(server, id, status)
    for (const edit of ['pull', 'upload'] as const) {
      const name = `${nth++}.pdf`
      const add = () => (edit === 'pull' ? pull(id) : upload(id, name, pdf))
      const permission = portOrders.editAllowed(edit, status)
      if (permission.ok) await add()
      else assert.equal(await sentence(add(), 409), permission.reason)
    }
  }
})

test('adding a document restarts the 45 days of a Pending order', async () => {
  const id = await newOrder(account)
  const due = async () =>
    (await server.db.selectFrom('port_order').select('due_at').where('id', '=', id).executeTakeFirstOrThrow()).due_at
  const before = await due()
  await server.clock.advanceTo(new Date(server.clock.now().getTime() + 3_600_000))
  await uploaded(id)
  const after = await due()
  assert.ok(before && after && after > before)
})

test('no other account can see a document, add one, or learn that it exists', async () => {
  const id = await newOrder(account)
  const file = await uploaded(id)
  const params = { portorder_id: id, file: file.id }
  await refusal(other.client.listPortOrderFiles({ params }), 404)
  await refusal(other.client.getPortOrderFile({ params }), 404)
  await refusal(other.client.getPortOrderFileContent({ params }), 404)
  await refusal(pull(id, other), 404)
  await refusal(upload(id, 'a.pdf', pdf, other), 404)
  assert.equal(await statusOf(anonymous.getPortOrderFile({ params })), 401)
  assert.equal(await statusOf(anonymous.getPortOrderFileContent({ params })), 401)
  // nor under its own order
  const own = await newOrder(other)
  await refusal(other.client.getPortOrderFile({ params: { portorder_id: own, file: file.id } }), 404)
  const another = await newOrder(account)
  await refusal(account.client.getPortOrderFile({ params: { portorder_id: another, file: file.id } }), 404)
  assert.equal((await operator.getPortOrderFile({ params })).body.data.id, file.id)
  assert.equal((await operator.getPortOrderFileContent({ params })).status, 200)
})

test('an unknown id is 404', async () => {
  const id = await newOrder(account)
  for (const file of ['999999', 'bill.pdf', '-1'])
    await refusal(account.client.getPortOrderFile({ params: { portorder_id: id, file } }), 404)
  await refusal(pull('999999'), 404)
})

test('a document that is not complete cannot be downloaded', async () => {
  const id = await newOrder(account)
  const { body } = await account.client.requestPortOrderFile({
    params: { portorder_id: id },
    // nothing listens on this port
    body: { url: 'http://docs.example:9/a.pdf' },
  })
  assert.equal(body.data.attributes.download_url, null)
  assert.match(
    await sentence(account.client.getPortOrderFileContent({ params: { portorder_id: id, file: body.data.id } }), 404),
    /cannot be downloaded/,
  )
})

test('a link opens one document for one day and nothing else', async () => {
  const id = await newOrder(account)
  const [first, second] = [await uploaded(id, 'a.pdf'), await uploaded(id, 'b.pdf')]
  const url = first.attributes.download_url ?? ''
  const status = async (of: string) => (await fetch(of)).status
  assert.equal(await status(url), 200)
  assert.equal(await status(url.replace(`/files/${first.id}/`, `/files/${second.id}/`)), 401)
  assert.equal(await status(forged(url)), 401)
  assert.equal(await status(url.replace(`account=${account.id}`, `account=${other.id}`)), 401)
  assert.equal(await status(url.replace(/expires=\d/, 'expires=9')), 401)
  await server.clock.advanceTo(new Date(server.clock.now().getTime() + limits.link_life_h * 3_600_000))
  assert.equal(await status(url), 410)
})

test('the number of documents of an order is limited', async () => {
  const id = await newOrder(account)
  const first = await uploaded(id)
  const row = await findDocument(server.db, systemActor('test', account.id), id, first.id)
  assert.ok(row)
  const { id: _, ...like } = row
  for (let n = 1; n < limits.per_order; n++) await insertDocument(server.db, like)
  assert.match(await sentence(upload(id, 'more.pdf', pdf), 409), /at most 100 documents/)
  const unread = slowUpload(id, 'unread.pdf')
  await unread.writer.write(pdf)
  assert.match(await sentence(unread.uploading, 409), /at most 100 documents/)
  // what is there already may be sent again
  assert.equal((await upload(id, 'bill.pdf', pdf)).status, 200)
  assert.match(await sentence(pull(id), 409), /at most 100 documents/)
})

test('a document created by the service is added in its transaction, and its file is referenced', async () => {
  const order_id = await newOrder(account)
  const { deps } = server.runtime
  const digest = (await uploaded(await newOrder(account))).attributes.sha256 ?? ''
  const c = { ...deps, actor: systemActor('test', account.id) }
  await inTransaction(deps.db, async (tx) =>
    attachLoa(
      { ...c, tx },
      {
        account_id: account.id,
        order_id,
        filename: 'loa.pdf',
        digest,
        bytes: pdf.length,
      },
    ),
  )
  assert.deepEqual((await businessDocuments(deps.db, account.id, [order_id])).get(order_id), [
    { filename: 'loa.pdf', status: 'uploaded' },
  ])
  assert.deepEqual(await businessDocuments(deps.db, other.id, [order_id]), new Map())
  assert.deepEqual(await referencedFiles(deps.db, [digest, '0'.repeat(64)]), new Set([digest]))
})
