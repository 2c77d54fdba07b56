import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changed, documentClient, readOnly } from '../../test/support/documents.ts'
import { startTestServer } from '../../test/support/server.ts'
import { newOrder } from '../order-documents/testing/orders.ts'

const server = await startTestServer()
const { written, fieldErrors } = documentClient(server.base_url, server.account.credentials)
const operator = documentClient(server.base_url, server.operator_credentials)

test('a comment can be sent flat with its type, or as the document of another comment', async () => {
  const line = `POST /v2/portorders/${await newOrder(server.account)}/comments`
  const first = await written(line, { type: 'portorder_comment', text: 'When?', private: null }, 201)
  assert.equal(first.data.attributes['private'], false)
  const second = await written(line, changed(first, { text: 'And where?' }), 201)
  assert.notEqual(second.data.id, first.data.id)
  assert.equal(second.data.attributes['text'], 'And where?')
})

test('a comment is refused with every invalid field, including one that only the operator can set', async () => {
  const line = `POST /v2/portorders/${await newOrder(server.account)}/comments`
  const hidden = await operator.written(line, { text: 'Slow carrier.', private: true }, 201)
  const first = await written(line, { text: 'When?' }, 201)
  const forged = { author: 'carrier', text: ' ', private: true, color: 'red' }
  assert.deepEqual(await fieldErrors(line, changed(first, forged)), {
    text: ['Must not be empty.'],
    color: ['Is not a known field.'],
    author: [readOnly],
    private: ['Only the operator can make a comment private.'],
  })
  assert.deepEqual(await fieldErrors(line, changed(hidden, { private: false })), {
    author: [readOnly],
    created_at: [readOnly],
  })
})
