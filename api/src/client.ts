import type { ResponseBody, RequestInput, Operation } from './operation.ts'
import { mediaTypes } from './operation.ts'
import type { WireError } from './problems.ts'

/** An error response of the service. `errors` is the body's list; `status` the HTTP status. */
export class DemarcError extends Error {
  readonly status: number
  readonly errors: readonly WireError[]
  readonly request_id: string | null
  readonly headers: Headers

  constructor(operation: string, response: Response, errors: readonly WireError[]) {
    const first = errors[0]
    const detail = typeof first?.detail === 'string' ? first.detail : JSON.stringify(first?.detail ?? '')
    super(`${operation}: ${response.status} ${first?.title ?? ''} ${detail}`.replace(/ +/g, ' ').trim())
    this.name = 'DemarcError'
    this.status = response.status
    this.errors = errors
    this.request_id = response.headers.get('x-request-id')
    this.headers = response.headers
  }
}

export interface ClientOptions {
  /** The service's URL, without the version: `http://127.0.0.1:8911`. */
  base_url: string
  /** Without them only operations that need no key can be used. */
  credentials?: { access_key: string; secret_key: string }
  /** Operator keys only: act within this account. */
  account_id?: string
  fetch?: typeof fetch
}

export interface RequestOptions {
  headers?: Record<string, string>
  /** Makes a POST or PATCH safe to send again; stored by the service for 24 hours. */
  idempotency_key?: string
  signal?: AbortSignal
}

/** A successful response: the status, the body as declared (or the raw response for files), and the headers. */
export interface ClientResponse<B> {
  status: number
  body: B extends 'bytes' ? Response : B
  headers: Headers
}

export type Client<Ops extends Record<string, Operation>> = {
  [K in keyof Ops]: (
    ...args: Record<string, never> extends RequestInput<Ops[K]>
      ? [input?: RequestInput<Ops[K]>, options?: RequestOptions]
      : [input: RequestInput<Ops[K]>, options?: RequestOptions]
  ) => Promise<ClientResponse<ResponseBody<Ops[K]>>>
}

/** The union of all inputs, which `Client` declares exactly for each method. */
interface LooseInput {
  params?: Record<string, string>
  query?: Record<string, string | number | boolean | undefined>
  body?: unknown
  content_type?: string
  content_encoding?: string
}

/** A client with one method per operation. Throws DemarcError for every response other than 2xx. */
export function createClient<Ops extends Record<string, Operation>>(
  operations: Ops,
  options: ClientOptions,
): Client<Ops> {
  const methods = Object.entries(operations).map(([name, operation]) => [
    name,
    (input: LooseInput = {}, request: RequestOptions = {}) => send(operation, input, options, request),
  ])
  // each entry was built from the operation of that name, which is what the mapped type says
  return Object.fromEntries(methods) as Client<Ops>
}

async function send(
  operation: Operation,
  input: LooseInput,
  options: ClientOptions,
  request: RequestOptions,
): Promise<ClientResponse<unknown>> {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(input.params?.[name] ?? ''))
  const url = new URL(options.base_url.replace(/\/$/, '') + path)
  for (const [key, value] of Object.entries(input.query ?? {}))
    if (value !== undefined) url.searchParams.set(key, String(value))
  const raw = input.content_type !== undefined
  const response = await (options.fetch ?? fetch)(url, {
    method: operation.method,
    headers: {
      ...headersOf(operation, input, options),
      ...(request.idempotency_key ? { 'idempotency-key': request.idempotency_key } : {}),
      ...request.headers,
    },
    // the type of `body` was checked against the operation by Client<Ops>
    ...(input.body === undefined ? {} : { body: raw ? input.body : JSON.stringify(input.body) }),
    ...(request.signal ? { signal: request.signal } : {}),
    ...(input.body instanceof ReadableStream ? { duplex: 'half' } : {}),
  } as RequestInit)
  if (!response.ok) throw new DemarcError(operation.id, response, await errorsOf(response))
  const bytes = Object.values(operation.responses).some((a) => a.body !== null && 'bytes' in a.body)
  const text = bytes ? null : await response.text()
  return {
    status: response.status,
    body: bytes ? response : text === '' ? undefined : JSON.parse(text ?? ''),
    headers: response.headers,
  }
}

function headersOf(operation: Operation, input: LooseInput, options: ClientOptions): Record<string, string> {
  const headers: Record<string, string> = { accept: `${mediaTypes[operation.media]}, */*;q=0.1` }
  if (options.credentials) {
    const { access_key, secret_key } = options.credentials
    headers['authorization'] = `Basic ${btoa(`${access_key}:${secret_key}`)}`
  }
  if (options.account_id) headers['demarc-account'] = options.account_id
  if (input.body !== undefined) headers['content-type'] = input.content_type ?? mediaTypes[operation.media]
  if (input.content_encoding) headers['content-encoding'] = input.content_encoding
  return headers
}

async function errorsOf(response: Response): Promise<readonly WireError[]> {
  const text = await response.text()
  try {
    const body: { errors?: readonly WireError[] } = JSON.parse(text)
    return body.errors ?? []
  } catch (error) {
    // a proxy between client and service responded in a format of its own
    if (error instanceof SyntaxError) return [{ status: response.status, detail: text.slice(0, 500) }]
    throw error
  }
}
