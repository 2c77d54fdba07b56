import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook, WebhookVerificationError, type DemarcClient } from '@demarc/client'
import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import type { Input } from '../../input.ts'
import { write } from '../../io.ts'
import { isObject } from '../../item.ts'
import type { Item } from '../../output.ts'
import { cells } from '../../table.ts'
import type { Verb } from '../../verb.ts'
import { oneLine, visible } from '../../visible.ts'

export const listenWebhooks: Verb = {
  name: 'listen',
  summary: 'Receive, verify, and print notifications on this machine',
  description:
    'Starts a receiver. The service can reach it if the service runs on this machine in demo mode, or if you forward a public address to it. Each notification is verified with your signing secret; invalid ones are shown and get a 401 response. Ctrl-C stops the receiver and prints the totals.',
  operations: ['getSigningSecret'],
  options: [
    { name: 'port', value: 'number', summary: 'Port to listen on (default 9000); 0 selects a free port' },
    { name: 'host', value: 'address', summary: 'Address to listen on (default 127.0.0.1)' },
    {
      name: 'forward-to',
      value: 'url',
      summary: 'Also forward each notification to this URL, with unchanged headers and body',
    },
    { name: 'count', value: 'number', summary: 'Stop after this many notifications' },
  ],
  examples: [
    'webhooks listen',
    'webhooks listen --port 9001 --forward-to http://127.0.0.1:3000/demarc',
    'webhooks listen --ndjson',
  ],
  async run(context, input) {
    const count = input.integer('count', 1)
    const client = await context.client()
    const receiver = new Receiver(context, client, input.text('forward-to'))
    const server = createServer((request, response) => void receiver.receive(request, response))
    await listening(server, input)
    // the server listens on TCP
    const { port } = server.address() as AddressInfo
    const host = input.text('host') ?? '127.0.0.1'
    // shown in every format: readers of the JSON lines must also see that it listens, and that it has stopped
    const say = (sentence: string) => write(context.io.stderr, `${visible(sentence)}\n`)
    await say(`Listening on http://${host}:${port} — use this URL as callback_url or status_url. Press Ctrl-C to stop.`)
    try {
      const items = receiver.received(count)
      if (context.output.format === 'table') for await (const item of items) await context.output.bytes(lineOf(item))
      else await context.output.list(items, columns)
    } finally {
      server.closeAllConnections()
      server.close()
      await say(receiver.ending())
    }
  },
}

const columns = ['received_at', 'result', 'event', 'subject', 'status', 'response']
/** A table would wait for more lines to know its widths. */
const lineOf = (item: Item): string =>
  `${visible(
    cells(item, columns)
      .filter((cell) => cell !== '')
      .map(oneLine)
      .join('  '),
  )}\n`

const default_port = 9000
const body_max = 10 * 1024 * 1024

async function listening(server: Server, input: Input): Promise<void> {
  const port = input.integer('port') ?? default_port
  const host = input.text('host') ?? '127.0.0.1'
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const in_use = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (!in_use) throw error
    throw new Failure({
      exit: 'conflict',
      status: 'in_use',
      lines: [{ field: '--port', message: `${host}:${port} is already in use.` }],
      remedy: 'Choose another port, or use --port 0 for any free port.',
      cause: error,
    })
  }
}

/** Receives notifications, and returns them in the order of arrival until there are enough or the person presses Ctrl-C. */
class Receiver {
  readonly #context: Context
  readonly #client: DemarcClient
  readonly #forward_to: string | undefined
  #secret: string | null = null
  #waiting: Item[] = []
  #wake: () => void = () => undefined
  #counts = { verified: 0, refused: 0 }

  constructor(context: Context, client: DemarcClient, forward_to: string | undefined) {
    this.#context = context
    this.#client = client
    this.#forward_to = forward_to
  }

  async *received(count = Number.POSITIVE_INFINITY): AsyncGenerator<Item> {
    const { signal } = this.#context
    for (let left = count; left > 0;) {
      if (signal.aborted) return
      const next = this.#waiting.shift()
      if (next) {
        yield next
        left--
        continue
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    }
  }

  ending(): string {
    const { verified, refused } = this.#counts
    return `Stopped listening: ${verified} verified, ${refused} refused.`
  }

  async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const item = await this.#process(request, response).catch((error: unknown) => ({
      received_at: new Date().toISOString(),
      result: `failed: ${error instanceof Error ? error.message : String(error)}`,
    }))
    // makes the service retry what could not be processed
    if (!response.headersSent) response.writeHead(500).end()
    this.#waiting.push(item)
    this.#wake()
  }

  async #process(request: IncomingMessage, response: ServerResponse): Promise<Item> {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size <= body_max) chunks.push(chunk)
    }
    const raw = Buffer.concat(chunks)
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const problem = size > body_max ? 'the body is too large' : await this.#problemOf(raw, headers)
    if (problem === null) this.#counts.verified++
    else this.#counts.refused++
    const forwarded = problem === null ? await this.#forward(raw, headers) : null
    const status = problem === null ? (forwarded ?? 204) : 401
    response.writeHead(status).end()
    return {
      received_at: new Date().toISOString(),
      result: problem === null ? 'verified' : `refused: ${problem.replaceAll('_', ' ')}`,
      ...eventOf(raw),
      response: status,
    }
  }

  /** Why a notification is not from the service; null if it is. Reads the secret again in case it was replaced. */
  async #problemOf(raw: Buffer, headers: Readonly<Record<string, string>>): Promise<string | null> {
    const first = await refusalOf(raw, headers, (this.#secret ??= await this.#readSecret()))
    if (first?.reason !== 'bad_signature') return first?.reason ?? null
    this.#secret = await this.#readSecret()
    return (await refusalOf(raw, headers, this.#secret))?.reason ?? null
  }

  async #readSecret(): Promise<string> {
    return (await this.#client.getSigningSecret()).body.data.attributes.secret
  }

  /** Forwards the notification and returns the status of the response. */
  async #forward(raw: Buffer, headers: Readonly<Record<string, string>>): Promise<number | null> {
    if (this.#forward_to === undefined) return null
    const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...kept } = headers
    const { signal } = this.#context
    const response = await fetch(this.#forward_to, { method: 'POST', headers: kept, body: new Uint8Array(raw), signal })
    await response.arrayBuffer()
    return response.status
  }
}

async function refusalOf(
  raw: Buffer,
  headers: Readonly<Record<string, string>>,
  secret: string,
): Promise<WebhookVerificationError | null> {
  try {
    await verifyWebhook(raw, headers, secret)
    return null
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error
    throw error
  }
}

/** The event in a body. A body of another kind is shown unchanged. */
function eventOf(raw: Buffer): Item {
  const text = raw.toString('utf8')
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { event: null, subject: null, status: null, body: text.slice(0, 1000) }
  }
  const { data, meta } = isObject(body) ? body : {}
  const { type, id, attributes } = isObject(data) ? data : {}
  return {
    event: isObject(meta) ? meta['type'] : null,
    subject: typeof type === 'string' ? `${type} ${String(id)}` : null,
    status: isObject(attributes) ? attributes['status'] : null,
    body,
  }
}
