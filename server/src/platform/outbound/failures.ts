import { errors } from 'undici'

/** Why a request did not come about or did not finish. Closed, so that a caller can decide by it and tests can walk it. */
export const FAILURE_CODES = [
  /** Not a URL we take: another scheme, credentials, too long, not a URL. */
  'bad_url',
  /** Not 80, 443 or 8000–9999. */
  'port_refused',
  /** The host is, or resolves to, an address that is not on the public internet. */
  'address_refused',
  'dns_failed',
  'connect_failed',
  'tls_failed',
  /** The one deadline of the whole request passed, wherever it was. */
  'timeout',
  /** The connection ended before the answer did. */
  'connection_lost',
  /** What came back is not HTTP, or breaks its limits. */
  'bad_response',
  'response_too_large',
  /** The body is compressed although we asked for it plain; unpacking it would lift the size limit. */
  'response_encoded',
  'too_many_redirects',
  /** A redirect that would change the method, leave HTTPS or leads nowhere. */
  'redirect_not_followed',
  /** The caller's own signal. */
  'aborted',
] as const

export type FailureCode = (typeof FAILURE_CODES)[number]

/** A failure as a value. `detail` is a plain sentence for people: it names the host at most, never path, query or address. */
export interface Failure {
  code: FailureCode
  detail: string
}

/** What can be said about a URL before anything is sent. */
export interface Refusal extends Failure {
  code: 'bad_url' | 'port_refused' | 'address_refused'
}

/** A failure on its way: thrown inside, and by a body stream that was already handed out. */
export class OutboundError extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.detail)
    this.name = 'OutboundError'
    this.failure = failure
  }
}

export function failed(code: FailureCode, detail: string): OutboundError {
  return new OutboundError({ code, detail })
}

/** The failure behind an error of a request under way. Rethrows what is none: a fault of ours must not pass for one of theirs. */
export function failureOf(error: unknown): Failure {
  const failure = asFailure(error)
  if (failure === null) throw error
  return failure
}

/** The same, with null for what is none. */
export function asFailure(error: unknown): Failure | null {
  if (error instanceof OutboundError) return error.failure
  const code = codeOf(error)
  if (LOST.has(code)) {
    return { code: 'connection_lost', detail: 'The server closed the connection before its answer was complete.' }
  }
  if (error instanceof errors.HTTPParserError || NOT_HTTP.has(code)) {
    return { code: 'bad_response', detail: 'The server answered with something that is not proper HTTP.' }
  }
  return null
}

// Codes of undici 8 and of Node's sockets once a connection stood.
const LOST = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'])
// ERR_ASSERTION: a status below 100 trips an assertion in undici's parser.
const NOT_HTTP = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'ERR_ASSERTION'])

/** The `code` of a Node error; '' for anything else. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
