import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { findFiles } from '../../../cdrs/cold-store.ts'
import { freezeMonths } from '../../../cdrs/freeze.ts'
import { callRecord } from '../../../engines/call-records/testing/records.ts'
import { newOrder } from '../../../order-documents/testing/orders.ts'
import { pdf } from '../../../order-documents/testing/samples.ts'
import { testEngine } from '../../../../test/support/engine.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { askExport, completedExport, download, exportEnded } from '../../../../test/support/exports.ts'
import { startTestServer, type TestServer } from '../../../../test/support/server.ts'
import type { S3Fixture } from './s3-failures.ts'

/** The service with its files in S3, over HTTP. */
export async function testS3Service({
  admin,
  settings,
}: Pick<S3Fixture, 'settings'> & { admin: S3Client }): Promise<void> {
  const engine = await testEngine()
  const { bucket, endpoint, prefix, request_checksums, response_checksums } = settings()
  const server = await startTestServer({
    worker: true,
    engine_socket: engine.socket,
    overrides: { files: { removal_age_ms: -2_000 } },
    env: {
      S3_BUCKET: bucket,
      S3_ENDPOINT: endpoint ?? '',
      S3_PREFIX: prefix,
      S3_REQUEST_CHECKSUMS: request_checksums,
      S3_RESPONSE_CHECKSUMS: response_checksums,
    },
  })
  const { account } = server
  const { files } = server.runtime.deps

  test('S3: an export is built, downloaded in ranges, expired, and removed', async () => {
    await server.runtime.warehouse.insert([callRecord({ account_id: account.id })])
    const done = await completedExport(account)
    const { sha256, download_url } = done.attributes
    assert.ok(sha256 !== null && download_url !== null)
    const whole = await download(done)
    const range = await fetch(download_url, { headers: { range: 'bytes=10-19' } })
    assert.equal(range.status, 206)
    assert.deepEqual(Buffer.from(await range.arrayBuffer()), whole.subarray(10, 20))
    assert.deepEqual(
      (await Array.fromAsync(files.list())).map(({ digest }) => digest),
      [sha256],
    )
    await server.operator.moveClock({ body: { advance: '4 days' } })
    assert.equal((await fetch(download_url)).status, 410)
    await eventually(async () => (await files.stat(sha256)) === null)
  })
  testDocument(server, admin, bucket)
  testCallRecords(server, admin, bucket)
}

function testDocument(server: TestServer, admin: S3Client, bucket: string): void {
  const { account } = server
  const { files } = server.runtime.deps

  test('S3: a document is uploaded and read, and refused with an alert when its object is altered', async () => {
    const portorder_id = await newOrder(account)
    const { data } = (
      await account.client.uploadPortOrderFile({
        params: { portorder_id, file: 'loa.pdf' },
        body: pdf,
        content_type: 'application/octet-stream',
      })
    ).body
    const read = () =>
      fetch(`${server.base_url}/v2/portorders/${portorder_id}/files/${data.id}/content`, {
        headers: {
          authorization: `Basic ${btoa(`${account.credentials.access_key}:${account.credentials.secret_key}`)}`,
        },
      })
    assert.deepEqual(Buffer.from(await (await read()).arrayBuffer()), Buffer.from(pdf))
    const { sha256 } = data.attributes
    assert.ok(sha256)
    const url = files.locate(sha256)
    const altered = Buffer.alloc(pdf.length)
    await admin.send(new PutObjectCommand({ Bucket: bucket, Key: url.slice(`s3://${bucket}/`.length), Body: altered }))
    assert.equal((await read()).status, 410)
    const [alert] = (await server.operator.listAlerts()).body.data
    assert.match(alert?.attributes.message ?? '', new RegExp(`is altered\\. Restore ${url} from a backup`))
  })
}

function testCallRecords(server: TestServer, admin: S3Client, bucket: string): void {
  const { deps, warehouse } = server.runtime

  test('S3: a month of call records becomes objects, is exported the same, and is refused when an object is altered', async () => {
    const account = await server.newAccount('Cold')
    const key = { account_id: account.id, month: '2025-03' }
    await warehouse.insert(
      Array.from({ length: 2000 }, (_, n) =>
        callRecord({
          account_id: account.id,
          id: `c${n}`,
          start_time: new Date(Date.UTC(2025, 2, 1, 0, n)),
          cost_subtotal: `${n}.00000001`,
        }),
      ),
    )
    const { sha256, total_cost } = (await completedExport(account)).attributes
    const settled = { settled_us: 0 }
    assert.equal((await freezeMonths(deps, warehouse, [key], settled)).length, 1)
    const [file] = await findFiles(deps.db, key)
    assert.ok(file)
    assert.equal((await deps.files.stat(file.sha256))?.bytes, Number(file.bytes))
    const exported = (await completedExport(account)).attributes
    assert.deepEqual([exported.sha256, exported.total_cost], [sha256, total_cost])
    await eventually(async () => (await deps.files.stat(file.sha256)) === null)

    assert.equal((await freezeMonths(deps, warehouse, [key], settled)).length, 1)
    const [again] = await findFiles(deps.db, key)
    assert.ok(again)
    const url = deps.files.locate(again.sha256)
    const object = { Bucket: bucket, Key: url.slice(`s3://${bucket}/`.length) }
    const content = await (await admin.send(new GetObjectCommand(object))).Body?.transformToByteArray()
    assert.ok(content)
    await admin.send(new PutObjectCommand({ ...object, Body: Buffer.from(content).fill(7, 50, 51) }))
    const failed = await exportEnded(account, (await askExport(account)).id)
    assert.match(failed.attributes.failure_reason ?? '', /A file with call records of 2025-03 is altered/)
    const alerts = (await server.operator.listAlerts()).body.data.map(({ attributes }) => attributes.message)
    assert.ok(alerts.some((message) => message.includes(`is altered. Restore ${url} from a backup`)))
    await admin.send(new PutObjectCommand({ ...object, Body: content }))
    assert.equal((await completedExport(account)).attributes.sha256, sha256)
  })
}
