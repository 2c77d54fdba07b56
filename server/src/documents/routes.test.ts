import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestServer } from '../../test/support/server.ts'
import { newOrder } from './testing/orders.ts'

const server = await startTestServer()
const { account } = server

test('an uploaded document is complete at once', async () => {
  const id = await newOrder(account)
  const { status, body } = await account.client.uploadPortOrderFile({
    params: { portorder_id: id, file: 'bill.pdf' },
    body: '%PDF-1.4\n',
    content_type: 'application/pdf',
  })
  assert.equal(status, 201)
  assert.equal(body.data.attributes.status, 'complete')
})
