/**
 * Every problem type in an error response. `status` is the HTTP status, `title` the title of the error object
 * (null where the contract shows none), `meaning` the cause, and `remedy` the fix.
 * Each type has a page under docs/problems; a test keeps the two lists equal.
 */
export const problems = {
  'malformed-request': {
    status: 400,
    title: 'Bad request',
    meaning: 'The request could not be parsed: invalid JSON, invalid percent-encoding, or bytes that are not HTTP.',
    remedy: 'Send valid JSON, and percent-encode every percent sign in the path.',
  },
  'not-geocodable': {
    status: 400,
    title: 'Client Error',
    meaning: 'The emergency address could not be located.',
    remedy: 'Correct the address. No similar address was found.',
  },
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    meaning:
      'The access key or its secret is missing, unknown, expired, or revoked. For a person, the session has ended or the sign-in is incorrect.',
    remedy:
      'Check the access key and its secret. If the key was revoked or has expired, ask the operator for a new one. In the portal, sign in again.',
  },
  'not-authorized': {
    status: 403,
    title: 'ActionNotAuthorizedError',
    meaning: 'The key or session is valid but does not have permission for this operation.',
    remedy:
      'Use a key with the required scope, or ask the operator for one. In the portal, ask an owner of the account for a different role.',
  },
  'csrf-token-required': {
    status: 403,
    title: 'CSRF token required',
    meaning: 'A request that changes data with a session has no CSRF token, or one from another session.',
    remedy: 'Send the session’s `csrf_token` in the Demarc-CSRF header.',
  },
  'confirmation-required': {
    status: 403,
    title: 'Confirmation required',
    meaning:
      'Changing a password or a second factor requires that you confirmed your identity in the last ten minutes.',
    remedy: 'Confirm with a password or a second factor, then send the request again.',
  },
  'not-found': {
    status: 404,
    title: 'Resource not found',
    meaning: 'The path does not exist, or the account has no resource with that ID.',
    remedy: 'Check the path and the ID, and check that the resource belongs to the account you are using.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The path does not support this method. `Allow` lists the methods it supports.',
    remedy: 'Use one of the methods that `Allow` lists.',
  },
  'not-acceptable': {
    status: 406,
    title: 'Not acceptable',
    meaning: 'The Accept header rules out the media type of the response.',
    remedy: 'Accept the media type of the response, or omit the Accept header.',
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
    meaning: 'The resource’s state does not allow the action, or another request is changing the resource.',
    remedy: 'Follow the instructions in `detail`, then send the request again.',
  },
  gone: {
    status: 410,
    title: 'Gone',
    meaning: 'The file or its link has expired.',
    remedy: 'Request the file again.',
  },
  'file-damaged': {
    status: 410,
    title: 'File damaged',
    meaning: 'The stored file is missing or was altered, so it was not sent. The operator has been alerted.',
    remedy: 'Request or upload the file again, or wait until the operator restores it.',
  },
  'payload-too-large': {
    status: 413,
    title: 'Payload too large',
    meaning: 'The body exceeds the operation’s size limit.',
    remedy: 'Send less data per request.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'The operation does not support the body’s media type.',
    remedy: 'Send the body in a supported media type, and set Content-Type to it.',
  },
  'range-not-satisfiable': {
    status: 416,
    title: 'Range not satisfiable',
    meaning: 'The Range header requests bytes past the end of the file. `Content-Range` has the file’s length.',
    remedy: 'Request bytes within the length in `Content-Range`.',
  },
  'invalid-input': {
    status: 422,
    title: null,
    meaning: 'One or more fields are invalid. `detail` lists each of them.',
    remedy: 'Correct each listed field, then send the request again.',
  },
  'duplicate-address': {
    status: 422,
    title: 'Client Error',
    meaning: 'The emergency address is already on the account.',
    remedy: 'Use the existing address.',
  },
  'address-correction': {
    status: 422,
    title: 'Address Correction Required',
    meaning: 'The emergency address needs a correction. `detail` is the corrected address.',
    remedy: 'Have someone who knows the location confirm the corrected address, then send it.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'Idempotency key reused',
    meaning: 'The Idempotency-Key was already used for a different request.',
    remedy: 'Use a new Idempotency-Key for a new request.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    meaning: 'Too many requests, or too many failed sign-ins. Retry after the time in `Retry-After`.',
    remedy: 'Wait, then send the request again.',
  },
  'headers-too-large': {
    status: 431,
    title: 'Request header fields too large',
    meaning: 'The headers exceed the size limit.',
    remedy: 'Send fewer or shorter headers.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    meaning: 'An error occurred in the service. The log has the details under the request ID.',
    remedy: 'Retry once. If the request fails again, give the operator the request ID.',
  },
  'not-ready': {
    status: 503,
    title: 'Not ready',
    meaning: 'A dependency that the request needs is unavailable. Retry after the time in `Retry-After`.',
    remedy: 'Wait, then send the request again.',
  },
  'call-records-missing': {
    status: 503,
    title: 'Call records missing',
    meaning:
      'The call-record store has lost or altered call records of a month in the requested period, so the result would be wrong. The operator has been alerted.',
    remedy: 'Wait until the operator restores the call records, or request a period without that month.',
  },
  'insufficient-storage': {
    status: 507,
    title: 'Insufficient storage',
    meaning:
      'The account’s files have reached its storage limit. `Demarc-Storage-Used` and `Demarc-Storage-Limit` give both values in bytes.',
    remedy: 'Wait for files to expire, or ask the operator for more storage.',
  },
} as const satisfies Record<string, { status: number; title: string | null; meaning: string; remedy: string }>

/** A problem type. */
export type ProblemType = keyof typeof problems
