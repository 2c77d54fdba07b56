import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import http from 'node:http'
import net from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { rawClient } from '../../test/support/raw-client.ts'
import { sentence } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'
import { requestBytes } from '../../test/support/socket.ts'
import { BULK } from './bulk/limits.ts'
import { openAddresses } from '../engines/street-data/testing/import.ts'

/** Uploads of street data and address files. */

const server = await startTestServer({ worker: true })
const { operator, base_url } = server
const asOperator = rawClient(base_url, { credentials: server.operator_credentials })
const asAccount = rawClient(base_url, server.account)
const basic = ({ access_key, secret_key }: typeof server.operator_credentials) =>
  `Basic ${btoa(`${access_key}:${secret_key}`)}`

const GOOD = openAddresses('12 Main St|Hertford|NC|27944', '14 Oak St|Hertford|NC|27944')

async function settled(dataset_id: string) {
  const read = async () => (await operator.getE911Dataset({ params: { dataset_id } })).body.data.attributes
  await eventually(async () => (await read()).status !== 'loading')
  return await read()
}

const drafts = () => readdir(path.join(server.runtime.installation.files_dir, 'tmp'))

const datasets = '/operator/e911/datasets?format=openaddresses-csv&name='
const validations = '/v2/e911s/validations'

test('an empty upload, or one of an unsupported type, is refused immediately', async () => {
  for (const [send, to] of [
    [asOperator, `${datasets}Empty`],
    [asAccount, validations],
  ] as const) {
    assert.equal((await send('POST', to, '', { 'content-type': 'text/csv' })).status, 422)
    for (const type of ['application/json', 'multipart/form-data; boundary=x', 'image/png'])
      assert.equal((await send('POST', to, GOOD, { 'content-type': type })).status, 415, type)
    const packed = await send('POST', to, GOOD, { 'content-type': 'text/csv', 'content-encoding': 'br' })
    assert.equal(packed.status, 415)
    assert.match(await packed.text(), /without a Content-Encoding/)
  }
})

test('an upload with invalid options is refused before it is read', async () => {
  for (const [query, field] of [
    ['name=%00', 'name'],
    ['name=a%0Ab', 'name'],
    ['name=x&vintage=%00', 'vintage'],
    ['name=x&city=%00', 'city'],
    ['name=x&columns=%00', 'columns'],
    ['name=x&columns=street', 'columns'],
    ['name=x&columns=strete%3DROAD', 'columns'],
    ['name=x&layout=street%3D5-1', 'layout'],
    ['name=x&state=XX', 'state'],
    ['', 'name'],
  ] as const) {
    const response = await asOperator('POST', `/operator/e911/datasets?format=msag-csv&${query}`, GOOD, {
      'content-type': 'text/csv',
    })
    assert.equal(response.status, 422, query)
    const { errors } = (await response.json()) as { errors: { detail: Record<string, string[]> }[] }
    assert.deepEqual(Object.keys(errors[0]?.detail ?? {}), [field], query)
  }
})

test('an upload that is too large is refused by its Content-Length or while it is read, and the sender gets the response', async () => {
  const request = http.request(`${base_url}${datasets}Large`, {
    method: 'POST',
    headers: {
      authorization: basic(server.operator_credentials),
      'content-type': 'text/csv',
      'content-length': '20000000001',
    },
  })
  request.write(GOOD)
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  assert.equal(response.statusCode, 413)
  assert.match(await text(response), /larger than 20000000000 bytes\. Send it compressed/)
  request.destroy()

  const much = new Blob([Buffer.alloc(BULK.bytes_max + 20_000_000, 'x')])
  for (const body of [much, much.stream()]) {
    const refused = await fetch(base_url + validations, {
      method: 'POST',
      headers: { authorization: basic(server.account.credentials), 'content-type': 'text/csv' },
      body,
      duplex: 'half',
    })
    assert.equal(refused.status, 413)
    assert.match(await refused.text(), /larger than 64000000 bytes\. Split it/)
  }
})

test('an interrupted upload leaves neither a row nor a file', async () => {
  for (const [to, credentials] of [
    [`${datasets}Broken`, server.operator_credentials],
    [validations, server.account.credentials],
  ] as const) {
    const { hostname, port } = new URL(base_url)
    const socket = net.connect({ host: hostname, port: Number(port) })
    const head = { authorization: basic(credentials), 'content-type': 'text/csv', 'content-length': '100000' }
    socket.write(requestBytes(`POST ${to}`, head, ''))
    socket.write('x'.repeat(50_000))
    await eventually(async () => (await drafts()).length > 0)
    socket.destroy()
    await eventually(async () => (await drafts()).length === 0)
  }
  const { data } = (await operator.listE911Datasets()).body
  assert.equal(
    data.some(({ attributes }) => attributes.name === 'Broken'),
    false,
  )
})

test('an upload with an Idempotency-Key takes effect once, and another body with that key is refused', async () => {
  const send = (body: string) =>
    asOperator('POST', `${datasets}Once&vintage=1`, body, {
      'content-type': 'text/csv',
      'idempotency-key': 'one-upload',
    })
  const [first, second] = [await send(GOOD), await send(GOOD)]
  assert.deepEqual([first.status, second.status], [202, 202])
  assert.equal(await second.text(), await first.text())
  assert.equal(second.headers.get('idempotency-replayed'), 'true')
  assert.equal((await send(`${GOOD}\n`)).status, 422)
})

test('concurrent uploads with one name and vintage make one dataset, and another file is refused', async () => {
  const query = { name: 'Twice', vintage: '1', format: 'openaddresses-csv' } as const
  const send = (body: string) => operator.importE911Dataset({ query, body, content_type: 'text/csv' })
  const responses = await Promise.all(Array.from({ length: 8 }, () => send(GOOD)))
  const ids = new Set(responses.map(({ body }) => body.data.id))
  assert.equal(ids.size, 1)
  const why = await sentence(send(`${GOOD},,16,Elm St,,Hertford,,NC,27944,,\n`), 409)
  assert.match(why, /Use another vintage, or delete that dataset first/)
  assert.equal((await settled([...ids][0] ?? '')).rows_read, 2)
})
