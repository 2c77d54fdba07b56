import type { WireError } from '../error-body.ts'
import { problems, type ProblemType } from '../problems.ts'

/** The request that failed. Contains no query, which may include a signature, and no key. */
export interface FailedRequest {
  /** ID of the operation. */
  readonly operation: string
  readonly method: string
  readonly url: string
  /** How many times it was sent. */
  readonly attempts: number
  /** Its Idempotency-Key, for sending the same request again. */
  readonly idempotency_key: string | null
}

/** An error of one field, or of the whole request if `field` is null. */
export interface FieldFinding {
  /** Field names joined by dots: `numbers.3`. */
  readonly field: string | null
  readonly message: string
}

/** The contents of an error response. */
export interface ErrorResponse extends FailedRequest {
  readonly type: ProblemType | null
  readonly status: number
  readonly errors: readonly WireError[]
  readonly headers: Headers
}

/**
 * An error response. Each problem type has its own subclass, such as `NotFoundError`. Other responses, for example from a
 * proxy, are instances of this class.
 */
export class DemarcError extends Error implements FailedRequest {
  /** The problem type, as in the name of its page; null if unknown. */
  readonly type: ProblemType | null
  /** HTTP status. */
  readonly status: number
  /** `errors` of the body. */
  readonly errors: readonly WireError[]
  /** The request id, which is in the service's log. */
  readonly request_id: string | null
  readonly headers: Headers
  readonly operation: string
  readonly method: string
  readonly url: string
  readonly attempts: number
  readonly idempotency_key: string | null

  constructor(response: ErrorResponse) {
    const { operation, status, errors, headers, type } = response
    const first = errors[0]
    const detail = typeof first?.detail === 'string' ? first.detail : JSON.stringify(first?.detail ?? '')
    super(`${operation}: ${status} ${first?.title ?? ''} ${detail}`.replace(/ +/g, ' ').trim())
    // from the problem type, because bundlers shorten class names
    this.name = type === null ? 'DemarcError' : className(type)
    this.type = type
    this.status = status
    this.errors = errors
    this.request_id = headers.get('x-request-id')
    this.headers = headers
    this.operation = operation
    this.method = response.method
    this.url = response.url
    this.attempts = response.attempts
    this.idempotency_key = response.idempotency_key
  }

  /** What can be done about it, in a sentence. */
  get remedy(): string {
    if (this.retry_after_s !== null) return `Send the request again in ${this.retry_after_s} s.`
    return this.type === null ? 'Check that the URL is that of the service.' : problems[this.type].remedy
  }

  /** When to try again, seconds from now, as the service says; null when it does not. */
  get retry_after_s(): number | null {
    return retryAfter(this.headers)
  }

  /** Everything that is wrong, field by field. */
  get findings(): readonly FieldFinding[] {
    // a 403 says nothing more than its title
    return this.errors.flatMap(findingsOf).filter(({ message }) => message !== '')
  }
}

const className = (type: ProblemType): string =>
  `${type
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}Error`

function findingsOf({ detail, source }: WireError): FieldFinding[] {
  if (typeof detail === 'string') return [{ field: source ? fieldOf(source.pointer) : null, message: detail }]
  return Object.entries<string | string[]>(detail).flatMap(([field, messages]) =>
    // a text is a field of a corrected address and not an error
    typeof messages === 'string' ? [] : messages.map((message) => ({ field, message })),
  )
}

/** The field that a JSON pointer leads to, in the notation of error bodies without pointers. */
const fieldOf = (pointer: string): string =>
  pointer
    .replace(/^\/(data\/attributes\/)?/, '')
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')

/** Retry-After in seconds from now; RFC 9110 allows a date too, which proxies send. */
function retryAfter(headers: Headers): number | null {
  const text = headers.get('retry-after')
  if (text === null) return null
  if (/^\d+$/.test(text)) return Number(text)
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}

/** No response: nobody listens at the URL, or the connection was lost. `cause` is the platform's error. */
export class ConnectionError extends Error implements FailedRequest {
  readonly operation: string
  readonly method: string
  readonly url: string
  readonly attempts: number
  readonly idempotency_key: string | null

  constructor(request: FailedRequest, reason: string, cause?: unknown) {
    const tried = request.attempts > 1 ? `, tried ${request.attempts} times` : ''
    super(`${request.operation}: no response from ${request.url}${tried}: ${reason}`, { cause })
    this.name = 'ConnectionError'
    this.operation = request.operation
    this.method = request.method
    this.url = request.url
    this.attempts = request.attempts
    this.idempotency_key = request.idempotency_key
  }

  /** What can be done about it, in a sentence. */
  get remedy(): string {
    return `Check that the service runs and can be reached at ${new URL(this.url).origin}.`
  }
}

/** Something responded that is not the service, such as a page of a proxy in place of JSON. */
export class UnreadableResponseError extends ConnectionError {
  constructor(request: FailedRequest, cause: SyntaxError) {
    super(request, 'the response is not from the service, because it is not JSON', cause)
    this.name = 'UnreadableResponseError'
  }

  override get remedy(): string {
    return `Check that the service is at ${new URL(this.url).origin}, and that no proxy responds in its place.`
  }
}

/** The request timed out before its response was complete. */
export class ResponseTimeoutError extends ConnectionError {
  readonly timeout_ms: number

  constructor(request: FailedRequest, timeout_ms: number) {
    super(request, `it took longer than ${timeout_ms / 1000} s`)
    this.name = 'ResponseTimeoutError'
    this.timeout_ms = timeout_ms
  }

  override get remedy(): string {
    return 'Allow more time with timeout_ms, or check what the service is busy with.'
  }
}
