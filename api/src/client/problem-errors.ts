import type { ProblemType } from '../problems.ts'
import { problems } from '../problems.ts'
import { DemarcError, type ErrorResponse } from './errors.ts'

/** One class per problem type. */

/** 400: the request could not be parsed. */
export class MalformedRequestError extends DemarcError {}
/** 400: the emergency address could not be located. */
export class NotGeocodableError extends DemarcError {}
/** 401: the access key or its secret is missing, unknown, expired, or revoked; or a person’s session has ended. */
export class UnauthorizedError extends DemarcError {}
/** 403: the key or session is valid, but may not do this. */
export class NotAuthorizedError extends DemarcError {}
/** 403: a request by session lacks the CSRF token of the session. */
export class CsrfTokenRequiredError extends DemarcError {}
/** 403: changing a password or second factor requires confirming one's identity. */
export class ConfirmationRequiredError extends DemarcError {}
/** 404: the account has nothing with that id. */
export class NotFoundError extends DemarcError {}
/** 405: the path doesn't support this method. */
export class MethodNotAllowedError extends DemarcError {}
/** 406: the Accept header rules out the media type of the response. */
export class NotAcceptableError extends DemarcError {}
/** 408: the request did not arrive in time. */
export class RequestTimeoutError extends DemarcError {}
/** 409: the state of the resource does not allow the action. */
export class ConflictError extends DemarcError {}
/** 410: the file has expired, or its link has. */
export class GoneError extends DemarcError {}
/** 410: the stored file is missing or was altered. */
export class FileDamagedError extends DemarcError {}
/** 413: the body is larger than the operation accepts. */
export class PayloadTooLargeError extends DemarcError {}
/** 415: the operation doesn't accept the body's media type. */
export class UnsupportedMediaTypeError extends DemarcError {}
/** 416: the Range header begins past the end of the file. */
export class RangeNotSatisfiableError extends DemarcError {}

/** 422: one or more fields are invalid. */
export class InvalidInputError extends DemarcError {
  /** Messages by field, for forms: `{value: ['At most 15 characters; this has 21.']}`. */
  get fields(): Readonly<Record<string, readonly string[]>> {
    const fields: Record<string, string[]> = {}
    for (const { field, message } of this.findings) (fields[field ?? ''] ??= []).push(message)
    return fields
  }
}

/** 422: the emergency address is already on the account. */
export class DuplicateAddressError extends DemarcError {}

/** A corrected emergency address. */
export interface CorrectedAddress {
  label: string
  first_name: string
  last_name: string
  street_number: string
  street_name: string
  city: string
  state: string
  country: string
  zip: string
}

/** A possible correction. */
export interface AddressCorrection {
  address: CorrectedAddress
  /** The reason, if it is more than spelling; otherwise null. */
  reason: string | null
}

/** 422: the emergency address needs a correction. Ask a person who knows the location to choose one. */
export class AddressCorrectionError extends DemarcError {
  /** Most likely first. */
  get corrections(): readonly AddressCorrection[] {
    return this.errors.flatMap(({ detail, meta }) =>
      typeof detail === 'string' ? [] : [{ address: asAddress(detail), reason: meta?.reason ?? null }],
    )
  }
}

/** This problem's `detail` has exactly these members, as the contract says. */
const asAddress = (detail: object) => detail as CorrectedAddress

/** 422: the Idempotency-Key was used with a different request. */
export class IdempotencyKeyReusedError extends DemarcError {}
/** 429: too many requests or failed sign-ins. `retry_after_s` is the time to wait. */
export class RateLimitedError extends DemarcError {}
/** 431: the headers exceed the service's limit. */
export class HeadersTooLargeError extends DemarcError {}
/** 500: the service failed unexpectedly. */
export class InternalError extends DemarcError {}
/** 503: a dependency is unavailable, or the service is overloaded. */
export class NotReadyError extends DemarcError {}

/** 503: call records of the requested period are missing from the store. */
export class CallRecordsMissingError extends DemarcError {}

/** 507: the account has used its storage for files. */
export class InsufficientStorageError extends DemarcError {
  /** Bytes in use; null if the response doesn't say. */
  get storage_used(): number | null {
    return bytesOf(this.headers, 'demarc-storage-used')
  }

  /** Bytes allowed; null if the response doesn't say. */
  get storage_limit(): number | null {
    return bytesOf(this.headers, 'demarc-storage-limit')
  }
}

function bytesOf(headers: Headers, name: string): number | null {
  const text = headers.get(name)
  return text === null ? null : Number(text)
}

/** The class for each problem type. */
export const problemErrors = {
  'malformed-request': MalformedRequestError,
  'not-geocodable': NotGeocodableError,
  unauthorized: UnauthorizedError,
  'not-authorized': NotAuthorizedError,
  'csrf-token-required': CsrfTokenRequiredError,
  'confirmation-required': ConfirmationRequiredError,
  'not-found': NotFoundError,
  'method-not-allowed': MethodNotAllowedError,
  'not-acceptable': NotAcceptableError,
  'request-timeout': RequestTimeoutError,
  conflict: ConflictError,
  gone: GoneError,
  'file-damaged': FileDamagedError,
  'payload-too-large': PayloadTooLargeError,
  'unsupported-media-type': UnsupportedMediaTypeError,
  'range-not-satisfiable': RangeNotSatisfiableError,
  'invalid-input': InvalidInputError,
  'duplicate-address': DuplicateAddressError,
  'address-correction': AddressCorrectionError,
  'idempotency-key-reused': IdempotencyKeyReusedError,
  'rate-limited': RateLimitedError,
  'headers-too-large': HeadersTooLargeError,
  internal: InternalError,
  'not-ready': NotReadyError,
  'call-records-missing': CallRecordsMissingError,
  'insufficient-storage': InsufficientStorageError,
} as const satisfies Record<ProblemType, new (response: ErrorResponse) => DemarcError>

/** The error for a response, by its status and title. */
export function errorOf(response: Omit<ErrorResponse, 'type'>): DemarcError {
  const type = typeOf(response.status, response.errors[0]?.title ?? null)
  return type === null ? new DemarcError({ ...response, type }) : new problemErrors[type]({ ...response, type })
}

/** The general type of a status that also has a special one. */
const general: Readonly<Record<number, ProblemType>> = { 410: 'gone', 503: 'not-ready' }

/** A response without a known title, such as a proxy's, is matched by status if that has only one type, or a general one. */
function typeOf(status: number, title: string | null): ProblemType | null {
  const types = Object.entries(problems).flatMap(([type, problem]) =>
    problem.status === status ? [{ type: type as ProblemType, title: problem.title }] : [],
  )
  const exact = types.find((each) => each.title === title)
  if (exact) return exact.type
  return (types.length === 1 ? types[0]?.type : general[status]) ?? null
}
