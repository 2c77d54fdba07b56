import type { DemarcClient } from './demarc.ts'
import type { CdrExport } from './waiting.ts'

/** Verifies the service's requests to callback and status URLs, signed according to Standard Webhooks. */

/** A port order, as returned by `getPortOrder`. */
export type PortOrder = Awaited<ReturnType<DemarcClient['getPortOrder']>>['body']['data']

/** The data of a test event. */
export interface NotificationTest {
  type: 'notification_test'
  /** The account's id. */
  id: string
  attributes: { message: string }
}

interface EventFacts {
  /** The same on every attempt. Store it, and skip events that you already have. */
  event_id: string
  occurred_at: string
  /** The event's number on the account; events may arrive out of order. */
  sequence: number
}

/** An event; `type` determines the type of `data`. */
export type WebhookEvent =
  | (EventFacts & { type: 'cdrexport.completed' | 'cdrexport.failed'; data: CdrExport })
  | (EventFacts & { type: `portorder.${string}`; data: PortOrder })
  | (EventFacts & { type: 'notification.tested'; data: NotificationTest })

/** Headers from `fetch`, Node, or a framework. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/** Options for the verification of a request. */
export interface VerifyOptions {
  /** Allowed difference of the timestamp, in seconds. Default 300. */
  tolerance_s?: number
  /** The current time, for tests. */
  now?: Date
}

/** Why a request was rejected. */
export type WebhookRefusal = 'parsed_body' | 'missing_header' | 'bad_timestamp' | 'bad_signature' | 'bad_payload'

/** The request isn't from the service. Respond with 400 or 401 and ignore its contents. */
export class WebhookVerificationError extends Error {
  readonly reason: WebhookRefusal

  constructor(reason: WebhookRefusal, message: string) {
    super(message)
    this.name = 'WebhookVerificationError'
    this.reason = reason
  }
}

const parsedBody =
  'verifyWebhook needs the raw body, byte for byte as it arrived, and was given an object that was parsed from it: the signature is that of the bytes. Express: express.raw({ type: "application/json" }) on this route. Fastify: addContentTypeParser("application/json", { parseAs: "buffer" }, …). Hono and everything with fetch: await request.text().'

/**
 * Verifies a request from the service and returns its event. `secrets` is the signing secret, or several during a rotation.
 * Throws WebhookVerificationError.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { tolerance_s = 300, now = new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const body = bytesOf(rawBody)
  const id = header(headers, 'webhook-id')
  const timestamp = header(headers, 'webhook-timestamp')
  const signatures = header(headers, 'webhook-signature')
  const off_s = Math.abs(Number(timestamp) - now.getTime() / 1000)
  if (!/^\d+$/.test(timestamp) || off_s > tolerance_s)
    throw new WebhookVerificationError(
      'bad_timestamp',
      `webhook-timestamp ${timestamp} is more than ${tolerance_s} s off: the request is old, or this machine's clock is wrong.`,
    )
  if (!(await isSigned(signedBytes(id, timestamp, body), signatures, secrets)))
    throw new WebhookVerificationError(
      'bad_signature',
      'webhook-signature has no signature made with this secret for this body. Check that the secret is that of GET /v2/notifications/signing_secret, and that the body is exactly as received, before parsing.',
    )
  return eventOf(new TextDecoder().decode(body))
}

/** A request as the service sends it. */
export interface SignedWebhook {
  headers: Record<'content-type' | 'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>
  body: string
}

/** An event for tests; `data` only needs the parts of the document that the receiver reads. */
export interface TestEvent {
  type: WebhookEvent['type']
  data: object
  /** Default 1. */
  event_id?: string
  /** Default now. */
  occurred_at?: string
  /** Default 1. */
  sequence?: number
}

/**
 * Signs an event like the service does, for tests of a receiver. Several secrets add several signatures, as during a rotation.
 */
export async function signWebhook(
  event: TestEvent,
  secrets: string | readonly string[],
  { now = new Date() }: Pick<VerifyOptions, 'now'> = {},
): Promise<SignedWebhook> {
  const { type, data, event_id = '1', occurred_at = now.toISOString(), sequence = 1 } = event
  const links = 'links' in data ? data.links : {}
  const body = JSON.stringify({ data, links, meta: { event_id, type, occurred_at, sequence } })
  const id = `evt_${event_id}`
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const text = signedBytes(id, timestamp, bytesOf(body))
  const signatures = await Promise.all(
    listOf(secrets).map(async (secret) => {
      const signature = await crypto.subtle.sign('HMAC', await keyOf(secret), text)
      return `v1,${btoa(String.fromCharCode(...new Uint8Array(signature)))}`
    }),
  )
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    },
  }
}

/** JavaScript code may pass what the types exclude, most often a body that its framework has already parsed. */
function bytesOf(rawBody: unknown): Uint8Array<ArrayBuffer> {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody)
  if (ArrayBuffer.isView(rawBody))
    return Uint8Array.from(new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength))
  // under some test runners it isn't this module's ArrayBuffer
  if (Object.prototype.toString.call(rawBody) === '[object ArrayBuffer]') return new Uint8Array(asBuffer(rawBody))
  throw new WebhookVerificationError('parsed_body', parsedBody)
}

/** Its tag was compared. */
const asBuffer = (tagged: unknown) => tagged as ArrayBuffer

function header(headers: WebhookHeaders, name: string): string {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  const text = typeof value === 'string' ? value : value?.join(' ')
  if (text) return text
  throw new WebhookVerificationError('missing_header', `The request has no header ${name}: it is not a notification.`)
}

function signedBytes(id: string, timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const bytes = new Uint8Array(head.length + body.length)
  bytes.set(head)
  bytes.set(body, head.length)
  return bytes
}

/** Whether one of the signatures is that of one of the secrets. `verify` takes as long for a wrong one as for a right one. */
async function isSigned(text: Uint8Array<ArrayBuffer>, header: string, secrets: string | readonly string[]) {
  const signatures = header
    .split(' ')
    .filter((each) => each.startsWith('v1,'))
    .map((each) => decoded(each.slice(3)))
  for (const secret of listOf(secrets)) {
    const key = await keyOf(secret)
    for (const signature of signatures)
      if (signature !== null && (await crypto.subtle.verify('HMAC', key, signature, text))) return true
  }
  return false
}

const listOf = (secrets: string | readonly string[]): readonly string[] =>
  typeof secrets === 'string' ? [secrets] : secrets

async function keyOf(secret: string) {
  const bytes = decoded(secret.replace(/^whsec_/, ''))
  // a mistake in the receiver's code, which no sender can cause
  if (bytes === null || bytes.length === 0)
    throw new TypeError(
      'The signing secret must be whsec_ and base64, as returned by GET /v2/notifications/signing_secret.',
    )
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
}

/** Decodes base64; null for any other text. */
function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.replace(/=+$/, '').length % 4 === 1) return null
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

function eventOf(text: string): WebhookEvent {
  try {
    const event: { data?: unknown; meta?: { type?: unknown } } | null = JSON.parse(text)
    // only the service can sign, and it signs events only
    if (typeof event?.data === 'object' && typeof event.meta?.type === 'string')
      return { ...event.meta, data: event.data } as WebhookEvent
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new WebhookVerificationError('bad_payload', 'The body is signed, but it is not an event.')
}
