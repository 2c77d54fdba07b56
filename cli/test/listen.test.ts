import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { signWebhook, type WebhookEvent } from '@demarc/client'
import type { Sink } from '../src/io.ts'
import { runLine } from './support/run.ts'

/** `webhooks listen` with responses made by the test. */

const secrets = ['first', 'second'].map((text) => `whsec_${Buffer.from(`the ${text} secret`).toString('base64')}`)
const env = { DEMARC_URL: 'http://127.0.0.1:9', DEMARC_ACCESS_KEY: 'ak', DEMARC_SECRET_KEY: 'sk' }

/** The service's signing secret, which is rotated after the first read. */
function serviceWithSecrets(): typeof fetch {
  let read = 0
  return async () => {
    const secret = secrets[Math.min(read++, secrets.length - 1)]
    const data = { type: 'signing_secret', attributes: { secret, previous_valid_until: null } }
    return await Promise.resolve(Response.json({ data }))
  }
}

async function signed(id: string, secret: string) {
  const data = { type: 'portorder', id, attributes: { status: 'Accepted' }, links: { self: '' } }
  // the receiver shows these parts of the document
  const event = {
    type: 'portorder.accepted',
    data,
    event_id: id,
    occurred_at: '',
    sequence: 1,
  } as unknown as WebhookEvent
  return await signWebhook(event, secret)
}

const portOf = (server: Server) => (server.address() as AddressInfo).port // it listens on TCP

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return portOf(server)
}

/** Runs the command, and resolves with the URL that it says it listens on. */
function listen(options: string, signal?: AbortSignal) {
  const lines: string[] = []
  let listensAt: (url: string) => void
  const url = new Promise<string>((resolve) => (listensAt = resolve))
  const stdout: Sink = {
    write(chunk, done) {
      lines.push(
        ...String(chunk)
          .trimEnd()
          .split('\n')
          .filter((line) => line !== ''),
      )
      done()
    },
  }
  const stderr: Sink = {
    write(chunk, done) {
      const found = /Listening on (\S+)/.exec(String(chunk))?.[1]
      if (found !== undefined) listensAt(found)
      done()
    },
  }
  const ended = runLine(`webhooks listen --port 0 ${options}`, {
    env,
    fetch: serviceWithSecrets(),
    stdout,
    stderr,
    ...(signal ? { signal } : {}),
  })
  return { url, ended, lines }
}

const post = async (url: string, { headers, body }: { headers: Record<string, string>; body: string }) => {
  const response = await fetch(url, { method: 'POST', headers, body })
  await response.arrayBuffer()
  return response.status
}

test('signed events are shown and forwarded unchanged, others are refused, and a rotated secret is read again', async (t) => {
  const passed: { body: string; id: string | undefined }[] = []
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      passed.push({ body: Buffer.concat(chunks).toString(), id: request.headers['webhook-id']?.toString() })
      response.writeHead(202).end()
    })
  })
  const port = await listening(receiver)
  t.after(() => receiver.close())
  const { url, ended, lines } = listen(`--count 4 --ndjson --forward-to http://127.0.0.1:${port}/`)
  const first = await signed('1', secrets[0] ?? '')
  const second = await signed('2', secrets[1] ?? '')
  const at = await url
  assert.equal(await post(at, first), 202, 'the response is that of the receiver')
  assert.equal(await post(at, { ...first, body: `${first.body} ` }), 401)
  assert.equal(await post(at, second), 202)
  assert.equal(await post(at, { headers: {}, body: 'hello' }), 401)
  assert.equal((await ended).status, 0)
  assert.deepEqual(passed, [
    { body: first.body, id: 'evt_1' },
    { body: second.body, id: 'evt_2' },
  ])
  const items = lines.map((line) => JSON.parse(line))
  assert.deepEqual(
    items.map(({ result, event, subject, response }) => [result, event, subject, response]),
    [
      ['verified', 'portorder.accepted', 'portorder 1', 202],
      ['refused: bad signature', 'portorder.accepted', 'portorder 1', 401],
      ['verified', 'portorder.accepted', 'portorder 2', 202],
      ['refused: missing header', null, null, 401],
    ],
  )
})

test('Ctrl-C stops it without an error', async () => {
  const interrupted = new AbortController()
  const { url, ended, lines } = listen('', interrupted.signal)
  assert.equal(await post(await url, await signed('1', secrets[0] ?? '')), 204)
  interrupted.abort(new DOMException('Interrupted.', 'AbortError'))
  assert.equal((await ended).status, 0)
  assert.equal(lines.length, 1)
})

test('a port in use is a conflict, with the remedy', async (t) => {
  const other = createServer()
  const port = await listening(other)
  t.after(() => other.close())
  const { status, stderr } = await runLine(`webhooks listen --port ${port}`, { env, fetch: serviceWithSecrets() })
  assert.equal(status, 4)
  assert.match(stderr, /error\[in_use\] --port: 127\.0\.0\.1:\d+ is already in use\.\n {2}remedy: Choose another port/)
})
