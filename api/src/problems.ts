import * as z from 'zod'

/**
 * Every problem that a request may be refused with. `status` is the HTTP status, `title` the title of the error object
 * (null where the contract shows none), `meaning` its documentation.
 * Each type has a page under docs/problems; a test forbids orphans on either side.
 */
export const problems = {
  'malformed-request': {
    status: 400,
    title: 'Bad request',
    meaning: 'The request could not be read: bad JSON, a bad percent-encoding, or bytes that are not HTTP.',
  },
  'not-geocodable': { status: 400, title: 'Client Error', meaning: 'The emergency address could not be located.' },
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    meaning: 'The access key or its secret is missing, unknown, expired or revoked.',
  },
  'not-authorized': {
    status: 403,
    title: 'ActionNotAuthorizedError',
    meaning: 'The key is valid, but may not do this.',
  },
  'not-found': {
    status: 404,
    title: 'Resource not found',
    meaning: 'Nothing of that id belongs to the account, or there is no such path.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The path exists, but not with this method. `Allow` lists those it has.',
  },
  'not-acceptable': {
    status: 406,
    title: 'Not acceptable',
    meaning: 'The Accept header rules out the media type of the response.',
  },
  'request-timeout': { status: 408, title: 'Request timeout', meaning: 'The request did not arrive in time.' },
  conflict: {
    status: 409,
    title: 'Conflict',
    meaning: 'The state of the resource does not allow the action, or another request is changing it.',
  },
  gone: { status: 410, title: 'Gone', meaning: 'The file has expired, or its link has.' },
  'payload-too-large': {
    status: 413,
    title: 'Payload too large',
    meaning: 'The body is larger than the operation takes.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'The body is of a type that the operation does not read.',
  },
  'range-not-satisfiable': {
    status: 416,
    title: 'Range not satisfiable',
    meaning: 'The Range header asks for bytes past the end of the file. `Content-Range` says how long it is.',
  },
  'invalid-input': { status: 422, title: null, meaning: 'One or more fields are wrong. `detail` names each of them.' },
  'duplicate-address': {
    status: 422,
    title: 'Client Error',
    meaning: 'The emergency address is already on the account.',
  },
  'address-correction': {
    status: 422,
    title: 'Address Correction Required',
    meaning: 'The emergency address is nearly right. `detail` is the corrected address.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'Idempotency key reused',
    meaning: 'The Idempotency-Key was used before with another request.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    meaning: 'Too many requests, or too many failed sign-ins. `Retry-After` says when to try again.',
  },
  'headers-too-large': {
    status: 431,
    title: 'Request header fields too large',
    meaning: 'The headers are larger than the service takes.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    meaning: 'An error of the service. The request id finds it in the log.',
  },
  'not-ready': {
    status: 503,
    title: 'Not ready',
    meaning: 'A dependency that the request needs is unavailable. `Retry-After` says when to try again.',
  },
  'insufficient-storage': {
    status: 507,
    title: 'Insufficient storage',
    meaning:
      'The files of the account take up the storage that it may use. `Demarc-Storage-Used` and `Demarc-Storage-Limit` say how much that is, in bytes.',
  },
} as const satisfies Record<string, { status: number; title: string | null; meaning: string }>

export type ProblemType = keyof typeof problems

/** `detail` on the wire: a sentence, a corrected address, or field → messages. */
const detail = z.union([z.string(), z.record(z.string(), z.string()), z.record(z.string(), z.array(z.string()))])
export type ProblemDetail = z.infer<typeof detail>

/** One entry of `errors`. 403 has no id and an empty detail; 422 for bad input has no title. */
export const wireError = z.object({
  id: z.uuid().optional(),
  status: z.int(),
  title: z.string().optional(),
  detail,
  /** JSON pointer to the invalid field, where `detail` is a sentence about one field. */
  source: z.object({ pointer: z.string() }).optional(),
  /** Why, where `detail` has no room for it: of a corrected address whose street ends before the number. */
  meta: z.object({ reason: z.string() }).optional(),
})
export type WireError = z.infer<typeof wireError>

/** The body of every error response. */
export const wireErrors = z.object({ errors: z.array(wireError) }).meta({ id: 'Errors' })
