import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRelay } from './relay.ts'

test('waiting for mail that never arrives ends with an error that names it', async () => {
  const relay = await startRelay()
  await assert.rejects(
    relay.arrived('the notice of the key', () => false, 1),
    /^Error: the notice of the key has not arrived within 0.001 s; what has: nothing$/,
  )
})
