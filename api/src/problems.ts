/**
 * Every problem that a request may be refused with. `status` is the HTTP status, `title` the title of the error object
 * (null where the contract shows none), `meaning` its documentation, `remedy` what can be done.
 * Each type has a page under docs/problems; a test forbids orphans on either side.
 */
export const problems = {
  'malformed-request': {
    status: 400,
    title: 'Bad request',
    meaning: 'The request could not be read: bad JSON, a bad percent-encoding, or bytes that are not HTTP.',
    remedy: 'Send well-formed JSON, and a path in which every percent sign is encoded.',
  },
  'not-geocodable': {
    status: 400,
    title: 'Client Error',
    meaning: 'The emergency address could not be located.',
    remedy: 'Correct the address: nothing near it was found.',
  },
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    meaning:
      'The access key or its secret is missing, unknown, expired or revoked; or, of a person, the session has ended or the sign-in is wrong.',
    remedy:
      'Check the access key and its secret; ask the operator for a new key if it was revoked or has expired. A person signs in again.',
  },
  'not-authorized': {
    status: 403,
    title: 'ActionNotAuthorizedError',
    meaning: 'The key or session is valid, but may not do this.',
    remedy:
      'Use a key whose scopes include this, or ask the operator for one. A person asks an owner of the account for another role.',
  },
  'csrf-token-required': {
    status: 403,
    title: 'CSRF token required',
    meaning: 'A request by session that changes something lacks the session’s CSRF token, or has another one.',
    remedy: 'Send the `csrf_token` of the session in the header Demarc-CSRF.',
  },
  'confirmation-required': {
    status: 403,
    title: 'Confirmation required',
    meaning:
      'Passwords and second factors are changed only by somebody who proved in the last ten minutes who they are.',
    remedy: 'Confirm with a password or a second factor, then send the request again.',
  },
  'not-found': {
    status: 404,
    title: 'Resource not found',
    meaning: 'Nothing of that id belongs to the account, or there is no such path.',
    remedy: 'Check the path and the id, and that it belongs to the account that you work with.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The path exists, but not with this method. `Allow` lists those it has.',
    remedy: 'Use one of the methods that `Allow` lists.',
  },
  'not-acceptable': {
    status: 406,
    title: 'Not acceptable',
    meaning: 'The Accept header rules out the media type of the response.',
    remedy: 'Accept the media type of the response, or leave the Accept header out.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request timeout',
    meaning: 'The request did not arrive in time.',
    remedy: 'Send the request again, faster or in smaller parts.',
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    meaning: 'The state of the resource does not allow the action, or another request is changing it.',
    remedy: 'Do what the detail asks for first, then send the request again.',
  },
  gone: {
    status: 410,
    title: 'Gone',
    meaning: 'The file has expired, or its link has.',
    remedy: 'Request the file anew.',
  },
  'payload-too-large': {
    status: 413,
    title: 'Payload too large',
    meaning: 'The body is larger than the operation takes.',
    remedy: 'Send less at once.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'The body is of a type that the operation does not read.',
    remedy: 'Send the body in a media type that the operation reads, and name it in Content-Type.',
  },
  'range-not-satisfiable': {
    status: 416,
    title: 'Range not satisfiable',
    meaning: 'The Range header asks for bytes past the end of the file. `Content-Range` says how long it is.',
    remedy: 'Ask for bytes within the length that `Content-Range` gives.',
  },
  'invalid-input': {
    status: 422,
    title: null,
    meaning: 'One or more fields are wrong. `detail` names each of them.',
    remedy: 'Correct each field that is named, then send the request again.',
  },
  'duplicate-address': {
    status: 422,
    title: 'Client Error',
    meaning: 'The emergency address is already on the account.',
    remedy: 'Use the address that is on the account.',
  },
  'address-correction': {
    status: 422,
    title: 'Address Correction Required',
    meaning: 'The emergency address is nearly right. `detail` is the corrected address.',
    remedy: 'Show the corrected address to somebody who knows the location, and send it if they agree.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'Idempotency key reused',
    meaning: 'The Idempotency-Key was used before with another request.',
    remedy: 'Use a new Idempotency-Key for a new request.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    meaning: 'Too many requests, or too many failed sign-ins. `Retry-After` says when to try again.',
    remedy: 'Wait, then send the request again.',
  },
  'headers-too-large': {
    status: 431,
    title: 'Request header fields too large',
    meaning: 'The headers are larger than the service takes.',
    remedy: 'Send fewer or shorter headers.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    meaning: 'An error of the service. The request id finds it in the log.',
    remedy: 'Send the request again once; if it fails again, give the operator the request id.',
  },
  'not-ready': {
    status: 503,
    title: 'Not ready',
    meaning: 'A dependency that the request needs is unavailable. `Retry-After` says when to try again.',
    remedy: 'Wait, then send the request again.',
  },
  'insufficient-storage': {
    status: 507,
    title: 'Insufficient storage',
    meaning:
      'The files of the account take up the storage that it may use. `Demarc-Storage-Used` and `Demarc-Storage-Limit` say how much that is, in bytes.',
    remedy: 'Wait until files expire, or ask the operator for more storage.',
  },
} as const satisfies Record<string, { status: number; title: string | null; meaning: string; remedy: string }>

/** Name of a type of problem. */
export type ProblemType = keyof typeof problems
