import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { refusal } from '../../../test/support/refusals.ts'
import { startTestServer } from '../../../test/support/server.ts'
import { BULK } from './limits.ts'

// no worker, so every validation stays queued
const server = await startTestServer()
const { client } = server.account

const request = (text: string) => client.createE911Validation({ body: text, content_type: 'text/csv' })

test('concurrent requests are accepted up to the limit, and the others leave no file', async () => {
  const settled = await Promise.allSettled(
    Array.from({ length: BULK.processing_per_account + 5 }, (_, i) => request(`request ${i}\n`)),
  )
  const accepted = settled.filter(({ status }) => status === 'fulfilled')
  assert.equal(accepted.length, BULK.processing_per_account)
  for (const each of settled) if (each.status === 'rejected') await refusal(Promise.reject(each.reason), 409)
  const digests: string[] = []
  for await (const { digest } of server.runtime.deps.files.list()) digests.push(digest)
  assert.equal(digests.length, accepted.length)
  assert.deepEqual(await readdir(path.join(server.runtime.installation.files_dir, 'tmp')), [])
})

test('a request beyond the limit is refused before its file is read', async () => {
  const endless = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('street_number\n')) })
  const refused = client.createE911Validation({ body: endless, content_type: 'text/csv' })
  assert.match(String((await refusal(refused, 409)).detail), /are already in progress/)
})
