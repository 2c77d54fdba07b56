import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { signWebhook, type WebhookEvent } from '@demarc/client'
import { freePort } from '../../acceptance/support/free-port.ts'

/** The receivers of docs/guide/recipes/webhooks.md. Of the frameworks, only Fastify is installed here. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const secret = `whsec_${Buffer.from('a secret of the tests').toString('base64')}`

test('the Fastify receiver accepts only signed requests', async (t) => {
  const page = await readFile(path.join(root, 'docs/guide/recipes/webhooks.md'), 'utf8')
  const code = /^```js fastify\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? assert.fail('the page has a receiver')
  const port = await freePort()
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: root,
    env: { PATH: process.env['PATH'], PORT: String(port), DEMARC_SIGNING_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill())
  let written = ''
  child.stdout.on('data', (chunk) => (written += String(chunk)))
  const url = `http://127.0.0.1:${port}/demarc`
  const data = { type: 'cdrexport', id: '12', attributes: {}, links: { self: '' } }
  // the receiver reads of the document what is here
  const event = {
    type: 'cdrexport.completed',
    data,
    event_id: '7',
    occurred_at: '',
    sequence: 1,
  } as unknown as WebhookEvent
  const { body, headers } = await signWebhook(event, secret)
  const send = async (sent: string) => {
    for (;;) {
      try {
        const response = await fetch(url, { method: 'POST', headers, body: sent })
        return { status: response.status, text: await response.text() }
      } catch (error) {
        if (child.exitCode !== null) throw error
        await sleep(50)
      }
    }
  }
  assert.deepEqual(await send(body), { status: 204, text: '' })
  assert.equal(written, 'cdrexport.completed 12\n')
  const changed = await send(body.replace('"12"', '"13"'))
  assert.equal(changed.status, 401)
  assert.match(changed.text, /no signature made with this secret/)
})
