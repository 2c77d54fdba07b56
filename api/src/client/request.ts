import type { WireError } from '../error-body.ts'
import { mediaTypes } from '../operation.ts'
import type { Endpoint } from './endpoint.ts'
import { ConnectionError, ResponseTimeoutError, UnreadableResponseError, type FailedRequest } from './errors.ts'
import type { ClientOptions, LooseInput, RequestOptions } from './options.ts'
import { errorOf } from './problem-errors.ts'
import { withRetries } from './retries.ts'

/** A successful response: the status, the body as declared (the raw response for files), and the headers. */
export interface ClientResponse<B> {
  status: number
  body: B extends 'bytes' ? Response : B
  headers: Headers
}

const default_timeout_ms = 60_000

/** A prepared request, which can be sent repeatedly. */
interface Prepared {
  endpoint: Endpoint
  url: URL
  init: RequestInit
  failed: Omit<FailedRequest, 'attempts'>
  timeout_ms: number
  signal: AbortSignal | undefined
  fetch: typeof fetch
}

/**
 * Sends an operation, retries it if that is safe, and parses its response. Throws DemarcError, ConnectionError, or the signal's
 * reason.
 */
export async function send(
  endpoint: Endpoint,
  input: LooseInput,
  options: ClientOptions,
  request: RequestOptions,
): Promise<ClientResponse<unknown>> {
  const retry = request.retry ?? options.retry ?? {}
  const replayable = !isStream(input.body)
  const needs_key = retry !== false && replayable && endpoint.traits.has('keyed')
  const { idempotency_key = needs_key ? newKey() : null } = request
  const prepared = prepare(endpoint, input, options, request, idempotency_key)
  const { signal } = request
  const { on_retry } = options
  return withRetries({ endpoint, retry, has_key: idempotency_key !== null, replayable, signal, on_retry }, (attempts) =>
    attempt(prepared, { ...prepared.failed, attempts }),
  )
}

function prepare(
  endpoint: Endpoint,
  input: LooseInput,
  options: ClientOptions,
  request: RequestOptions,
  idempotency_key: string | null,
): Prepared {
  const url = urlOf(endpoint, input, options)
  const raw = input.content_type !== undefined
  return {
    endpoint,
    url,
    init: {
      method: endpoint.method,
      // rejects an invalid header value here, so it isn't reported as a network failure
      headers: new Headers({
        ...headersOf(endpoint, input, options),
        ...(idempotency_key === null ? {} : { 'idempotency-key': idempotency_key }),
        ...request.headers,
      }),
      // the type of `body` was checked against the operation by Client<Ops>
      ...(input.body === undefined ? {} : { body: raw ? input.body : JSON.stringify(input.body) }),
      ...(isStream(input.body) ? { duplex: 'half' } : {}),
      ...(options.session ? { credentials: 'same-origin' } : {}),
    } as RequestInit,
    failed: { operation: endpoint.id, method: endpoint.method, url: url.origin + url.pathname, idempotency_key },
    timeout_ms: request.timeout_ms ?? (raw ? 0 : (options.timeout_ms ?? default_timeout_ms)),
    signal: request.signal,
    fetch: options.fetch ?? fetch,
  }
}

/** A body that is read once: a stream of the platform, or of Node. */
const isStream = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && (body instanceof ReadableStream || Symbol.asyncIterator in body)

function urlOf(endpoint: Endpoint, input: LooseInput, { base_url }: ClientOptions): URL {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = input.params?.[name]
    // URLs resolve dot segments, so the request would reach another operation
    if (value === undefined || value === '.' || value === '..')
      throw new TypeError(`${endpoint.id}: params.${name} is ${value}, and must be an id.`)
    return encodeURIComponent(value)
  })
  const url = new URL(base_url.replace(/\/$/, '') + path)
  for (const [key, value] of Object.entries(input.query ?? {}))
    if (value !== undefined) url.searchParams.set(key, String(value))
  return url
}

function headersOf(endpoint: Endpoint, input: LooseInput, options: ClientOptions): Record<string, string> {
  const headers: Record<string, string> = { accept: `${mediaTypes[endpoint.media]}, */*;q=0.1` }
  if (options.credentials) {
    const { access_key, secret_key } = options.credentials
    headers['authorization'] = `Basic ${btoa(`${access_key}:${secret_key}`)}`
  }
  const account_id = options.session?.account_id?.() ?? options.account_id
  if (account_id) headers['demarc-account'] = account_id
  // also on reads: the header marks a script's request, and its 401 must not make the browser ask for a key
  if (options.session) headers['demarc-csrf'] = options.session.csrf_token() ?? ''
  if (input.body !== undefined) headers['content-type'] = input.content_type ?? mediaTypes[endpoint.media]
  if (input.content_encoding) headers['content-encoding'] = input.content_encoding
  return headers
}

/** 128 random bits. Pages loaded without TLS have no `crypto.randomUUID`. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

async function attempt(prepared: Prepared, failed: FailedRequest): Promise<ClientResponse<unknown>> {
  const { endpoint, url, init, signal, timeout_ms } = prepared
  const limit = limited(signal, timeout_ms)
  try {
    // by itself, because a browser's fetch refuses to be a method of anything else
    const { fetch: send } = prepared
    const response = await send(url, limit.signal ? { ...init, signal: limit.signal } : init)
    const { status, headers } = response
    if (!response.ok) throw errorOf({ ...failed, status, headers, errors: await errorsOf(response) })
    if (endpoint.traits.has('file')) return { status, headers, body: response }
    const text = await response.text()
    return { status, headers, body: text === '' ? undefined : parsed(text, failed) }
  } catch (error) {
    if (limit.timedOut()) throw new ResponseTimeoutError(failed, timeout_ms)
    if (isNetworkError(error)) throw new ConnectionError(failed, reasonOf(error), error)
    throw error
  } finally {
    limit.clear(endpoint.traits.has('file'))
  }
}

/** A signal that aborts with the given one, and after a time. */
function limited(signal: AbortSignal | undefined, timeout_ms: number) {
  if (timeout_ms === 0) return { signal, timedOut: () => false, clear: () => undefined }
  const controller = new AbortController()
  let timed_out = false
  const timer = setTimeout(() => {
    timed_out = true
    controller.abort()
  }, timeout_ms)
  const abort = () => controller.abort(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  return {
    signal: controller.signal,
    timedOut: () => timed_out,
    /** While a file is read, the given signal still has to end it. */
    clear(reading: boolean): void {
      clearTimeout(timer)
      if (!reading) signal?.removeEventListener('abort', abort)
    },
  }
}

/** fetch reports every failure of the network as a TypeError, which under some test runners is not the TypeError of this module. */
export const isNetworkError = (error: unknown): error is Error =>
  typeof error === 'object' && error !== null && 'name' in error && error.name === 'TypeError'

/** The cause of Node's "fetch failed", such as ECONNREFUSED. Browsers report no cause. */
function reasonOf(error: Error): string {
  const cause = error.cause as { message?: string; code?: string } | null | undefined
  return cause?.message || cause?.code || error.message
}

function parsed(text: string, failed: FailedRequest): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw new UnreadableResponseError(failed, error)
    throw error
  }
}

/** The errors in a response of the service whose body has not been read. */
export async function errorsOf(response: Response): Promise<readonly WireError[]> {
  const text = await response.text()
  try {
    const body: { errors?: readonly WireError[] } = JSON.parse(text)
    return body.errors ?? []
  } catch (error) {
    // a proxy between client and service responded in its own format
    if (error instanceof SyntaxError) return [{ status: response.status, detail: text.slice(0, 500) }]
    throw error
  }
}
