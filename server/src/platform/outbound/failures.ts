import { errors } from 'undici'

/** Why a request was not sent or not completed. The list is closed: callers switch on it and tests iterate over it. */
export const FAILURE_CODES = [
  /** Not a valid URL, or one with another scheme, credentials, or too many characters. */
  'bad_url',
  /** Not 80, 443 or 8000–9999. */
  'port_refused',
  /** The host is an address outside the public internet. */
  'address_refused',
  /**
   * The host name has no address, or one outside the public internet. One code for both, to avoid revealing which names exist
   * inside the network.
   */
  'no_public_address',
  'connect_failed',
  'tls_failed',
  /** The deadline for the whole request passed. */
  'timeout',
  /** The connection closed before the response was complete. */
  'connection_lost',
  /** The response is not HTTP or exceeds the header limits. */
  'bad_response',
  'response_too_large',
  /** The body is compressed although the request accepts only identity. Decompressing it would bypass the size limit. */
  'response_encoded',
  'too_many_redirects',
  /** The redirect would change the method or leave HTTPS, or has no valid Location. */
  'redirect_not_followed',
  /** The caller's signal aborted the request. */
  'aborted',
] as const

export type FailureCode = (typeof FAILURE_CODES)[number]

/** A failure as a value. `detail` is a plain sentence for people. It may name the host, but never the path, query, or address. */
export interface Failure {
  code: FailureCode
  detail: string
}

/** A failure known before anything is sent. */
export interface Refusal extends Failure {
  code: 'bad_url' | 'port_refused' | 'address_refused'
}

/** A failure as an error: thrown inside this folder, and by a body stream after it was returned. */
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

/** The failure for an error during a request. Rethrows any other error: a bug must not be reported as the host's failure. */
export function failureOf(error: unknown): Failure {
  const failure = asFailure(error)
  if (failure === null) throw error
  return failure
}

/** The failure for an error during a request; null for any other error. */
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

// Codes from undici 8 and Node's sockets after the connection was established.
const LOST = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'])
// ERR_ASSERTION: a status below 100 fails an assertion in undici's parser.
const NOT_HTTP = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'ERR_ASSERTION'])

/** The `code` of a Node error; '' if there is none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
