import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRelay } from './relay.ts'

test('mail that nobody sends is not waited for forever, and is named', async () => {
  const relay = await startRelay()
  await assert.rejects(
    relay.arrived('the notice of the key', () => false, 1),
    /^Error: the notice of the key has not arrived within 0.001 s; what has: nothing$/,
  )
})
