import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import {
  AddressCorrectionError,
  ConflictError,
  IdempotencyKeyReusedError,
  InvalidInputError,
  NotAuthorizedError,
  NotFoundError,
  UnauthorizedError,
  createClient,
  createDemarcClient,
  downloadExport,
  numbers,
  requestPath,
  verifyWebhook,
  waitForExport,
} from '@demarc/client'
import { createDemarcClient as createLight } from '@demarc/client/light'
import { downloadExportToFile } from '@demarc/client/node'
import { approvedCnam, friendship } from './support/cast.ts'
import { startFailingServer, type Arrived, type Planned } from './support/failing-server.ts'
import { openService } from './support/service.ts'

/** The client as published, with its default settings, against a real service. */

const folder = mkdtempSync(path.join(os.tmpdir(), 'demarc-client-'))
after(() => rmSync(folder, { recursive: true }))
const service = await openService()
after(() => service.stop())
const { base_url, keys } = service
const client = createDemarcClient({ base_url, credentials: keys.account })

const failure = <E extends Error>(request: Promise<unknown>, kind: new (...args: never[]) => E): Promise<E> =>
  request.then(
    () => assert.fail('the request succeeded'),
    (error: unknown) => (error instanceof kind ? error : assert.fail(String(error))),
  )

test('a list yields every entry once, whatever the size of its pages', async () => {
  const { body } = await client.listNumbers({ query: { limit: 200 } })
  const all_ids = body.data.map(({ id }) => id)
  for (const limit of [3, 200]) {
    const ids: (string | number)[] = []
    for await (const { id } of client.listNumbers.all({ query: { limit } })) ids.push(id)
    assert.deepEqual(ids, all_ids)
  }
  assert.ok(all_ids.length > 3)
})

test('an export is requested, awaited, downloaded, and verified, and so is its callback', async () => {
  const arrived = Promise.withResolvers<{ raw: string; headers: Record<string, string | string[] | undefined> }>()
  const receiver = createServer((request, response) => {
    response.writeHead(204).end()
    arrived.resolve(text(request).then((raw) => ({ raw, headers: request.headers })))
  }).listen(0, '127.0.0.1')
  after(() => receiver.close())
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo // it listens on TCP
  const { body } = await client.createCdrExport({
    body: {
      data: {
        type: 'cdrexport',
        attributes: {
          callback_url: `http://127.0.0.1:${port}/demarc`,
          filter_parameters: {
            start_call_start_time: '2020-01-01 00:00:00',
            start_call_end_time: '2040-01-01 00:00:00',
          },
        },
      },
    },
  })
  const done = await waitForExport(client, body.data.id, { poll_ms: 100 })
  const file = path.join(folder, 'calls.csv.gz')
  const downloaded = await downloadExportToFile(client, done.id, file)
  assert.deepEqual([downloaded.sha256, downloaded.bytes], [done.attributes.sha256, done.attributes.bytes])
  const lines = gunzipSync(await readFile(file))
    .toString()
    .trimEnd()
    .split('\n')
  assert.equal(lines.length - 1, done.attributes.num_calls)
  // the part that the interrupted download left is not downloaded again
  const again = path.join(folder, 'again.csv.gz')
  const bytes = await readFile(file)
  await writeFile(`${again}.part`, bytes.subarray(0, 1000))
  assert.equal((await downloadExportToFile(client, done.id, again)).resumed_from, 1000)
  assert.ok((await readFile(again)).equals(bytes))
  const { stream } = await downloadExport(client, done.id)
  assert.ok(Buffer.from(await new Response(stream).arrayBuffer()).equals(bytes))
  const { raw, headers } = await arrived.promise
  const { secret } = (await client.getSigningSecret()).body.data.attributes
  const event = await verifyWebhook(raw, headers, secret)
  assert.deepEqual([event.type, event.data.id], ['cdrexport.completed', done.id])
})

test('the service’s errors have their own classes, with details as data', async () => {
  const cnam = await failure(client.createCnam({ body: { value: 'A name that is far too long' } }), InvalidInputError)
  assert.deepEqual(Object.keys(cnam.fields), ['value'])
  assert.match(cnam.request_id ?? '', /^[0-9a-f-]{36}$/)
  const filters = { start_call_start_time: 'yesterday', start_call_end_time: '2026-01-02 00:00:00' }
  const sentences = await failure(
    client.estimateCdrExport({ body: { data: { type: 'cdrexport', attributes: { filter_parameters: filters } } } }),
    InvalidInputError,
  )
  assert.deepEqual(Object.keys(sentences.fields), ['filter_parameters.start_call_start_time'])
  await failure(client.getNumber({ params: { number: '12065550000' } }), NotFoundError)
  await failure(client.listAccounts(), NotAuthorizedError)
  const nobody = createDemarcClient({ base_url, credentials: { access_key: 'none', secret_key: 'none' } })
  await failure(nobody.listNumbers(), UnauthorizedError)
  const cnam_id = await approvedCnam(service, 'Approved Name')
  await failure(client.updateCnam({ params: { cnam_id }, body: { value: 'Another Name' } }), ConflictError)
})

test('an address with a small mistake is returned corrected', async () => {
  const attributes = friendship('9', { street_name: 'N Maim St' })
  const error = await failure(
    client.validateE911({ body: { data: { type: 'e911', attributes } } }),
    AddressCorrectionError,
  )
  assert.equal(error.corrections[0]?.address.city, 'FRIENDSHIP')
})

test('a request repeated with its key is done once, and a different request with that key is refused', async () => {
  const options = { idempotency_key: 'client-once' }
  const first = await client.createCnam({ body: { value: 'Once Only' } }, options)
  const again = await client.createCnam({ body: { value: 'Once Only' } }, options)
  assert.equal(again.body.data.id, first.body.data.id)
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  await failure(client.createCnam({ body: { value: 'Twice' } }, options), IdempotencyKeyReusedError)
})

test('a change whose response was lost is retried and applied once', async () => {
  const lossy = await startFailingServer()
  const forward = async ({ method, url, headers, body }: Arrived) => {
    const sent = Object.fromEntries(
      ['authorization', 'content-type', 'idempotency-key'].map((n) => [n, String(headers[n])]),
    )
    return fetch(base_url + url, { method, headers: sent, body })
  }
  const lose: Planned = (arrived, response) =>
    void forward(arrived).then((made) => (assert.equal(made.status, 201), response.socket?.destroy()))
  const pass: Planned = (arrived, response) =>
    void forward(arrived).then(async (made) => response.writeHead(made.status).end(await made.text()))
  lossy.plan(lose, pass)
  const options = { base_url: lossy.base_url, credentials: keys.account, retry: { base_ms: 1 } }
  const { body } = await createDemarcClient(options).createCnam({ body: { value: 'Lost And Found' } })
  assert.equal(lossy.arrived.length, 2)
  const found = (await client.listCnams({ query: { value: 'lost and' } })).body.data
  assert.deepEqual(
    found.map(({ id }) => id),
    [body.data.id],
  )
})

test('a client with selected operations, the light client, and a literal path send the same requests', async () => {
  const options = { base_url, credentials: keys.account }
  const expected = (await client.listNumbers({ query: { limit: 2 } })).body
  const few = createClient({ listNumbers: numbers.listNumbers }, options)
  assert.deepEqual((await few.listNumbers({ query: { limit: 2 } })).body, expected)
  assert.deepEqual((await createLight(options).listNumbers({ query: { limit: 2 } })).body, expected)
  assert.deepEqual((await requestPath(options, 'GET', '/v2/numbers?limit=2')).body, expected)
  const made = await requestPath(options, 'POST', '/v2/cnams', { body: { value: 'By A Path' } })
  assert.equal(made.status, 201)
  await failure(requestPath(options, 'GET', '/v2/no-such-path'), NotFoundError)
})
