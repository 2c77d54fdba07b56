import { errors } from 'undici'

/** Why a request was not sent or not completed. A closed list, so that callers can switch on it and tests can iterate over it. */
export const FAILURE_CODES = [
  /** Not a URL we accept: another scheme, credentials, too long, not a URL. */
  'bad_url',
  /** Not 80, 443 or 8000–9999. */
  'port_refused',
  /** The host is an address that is not on the public internet. */
  'address_refused',
  /** The host is a name without an address, or with one that is not on the public internet. One code, or it would say which names exist inside. */
  'no_public_address',
  'connect_failed',
  'tls_failed',
  /** The deadline of the whole request passed. */
  'timeout',
  /** The connection closed before the response was complete. */
  'connection_lost',
  /** The response is not HTTP, or exceeds its limits. */
  'bad_response',
  'response_too_large',
  /** The body is compressed although we accept only identity; decompressing it would bypass the size limit. */
  'response_encoded',
  'too_many_redirects',
  /** A redirect that would change the method or leave HTTPS, or has no valid Location. */
  'redirect_not_followed',
  /** Aborted by the caller's signal. */
  'aborted',
] as const

export type FailureCode = (typeof FAILURE_CODES)[number]

/** A failure as a value. `detail` is a plain sentence for people: it contains the host at most, never path, query or address. */
export interface Failure {
  code: FailureCode
  detail: string
}

/** A failure that is known before anything is sent. */
export interface Refusal extends Failure {
  code: 'bad_url' | 'port_refused' | 'address_refused'
}

/** A failure as an error: thrown inside this folder, and by a body stream that was already returned. */
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

/** The failure for an error during a request. Rethrows any other error: a bug of ours must not be reported as a failure of the host. */
export function failureOf(error: unknown): Failure {
  const failure = asFailure(error)
  if (failure === null) throw error
  return failure
}

/** The same, with null for any other error. */
export function asFailure(error: unknown): Failure | null {
  if (error instanceof OutboundError) return error.failure
  const code = codeOf(error)
  if (LOST.has(code)) {
    return { code: 'connection_lost', detail: 'The server closed the connection before its response was complete.' }
  }
  if (error instanceof errors.HTTPParserError || NOT_HTTP.has(code)) {
    return { code: 'bad_response', detail: 'The response is not valid HTTP.' }
  }
  return null
}

// Codes of undici 8 and of Node's sockets after the connection was established.
const LOST = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'])
// ERR_ASSERTION: a status below 100 fails an assertion in undici's parser.
const NOT_HTTP = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'ERR_ASSERTION'])

/** The `code` of a Node error; '' for anything else. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
