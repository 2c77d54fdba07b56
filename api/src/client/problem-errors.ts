import type { ProblemType } from '../problems.ts'
import { problems } from '../problems.ts'
import { DemarcError, type ErrorResponse } from './errors.ts'

/** A class for each type of problem. */

/** 400: the request could not be read. */
export class MalformedRequestError extends DemarcError {}
/** 400: the emergency address could not be located. */
export class NotGeocodableError extends DemarcError {}
/** 401: the access key or its secret is missing, unknown, expired or revoked; or a person’s session has ended. */
export class UnauthorizedError extends DemarcError {}
/** 403: the key or session is valid, but may not do this. */
export class NotAuthorizedError extends DemarcError {}
/** 403: a request by session lacks the CSRF token of the session. */
export class CsrfTokenRequiredError extends DemarcError {}
/** 403: changing a password or second factor requires confirming one's identity. */
export class ConfirmationRequiredError extends DemarcError {}
/** 404: nothing of that id belongs to the account. */
export class NotFoundError extends DemarcError {}
/** 405: the path does not take this method. */
export class MethodNotAllowedError extends DemarcError {}
/** 406: the Accept header rules out the media type of the response. */
export class NotAcceptableError extends DemarcError {}
/** 408: the request did not arrive in time. */
export class RequestTimeoutError extends DemarcError {}
/** 409: the state of the resource does not allow the action. */
export class ConflictError extends DemarcError {}
/** 410: the file has expired, or its link has. */
export class GoneError extends DemarcError {}
/** 413: the body is larger than the operation takes. */
export class PayloadTooLargeError extends DemarcError {}
/** 415: the body is of a type that the operation does not read. */
export class UnsupportedMediaTypeError extends DemarcError {}
/** 416: the Range header asks for bytes past the end of the file. */
export class RangeNotSatisfiableError extends DemarcError {}

/** 422: one or more fields are wrong. */
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

/** An emergency address as it should be. */
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

/** An address that may have been meant. */
export interface AddressCorrection {
  address: CorrectedAddress
  /** Why, where it is more than a matter of spelling; otherwise null. */
  reason: string | null
}

/** 422: the emergency address is nearly right. Ask a person who knows the location to choose a correction. */
export class AddressCorrectionError extends DemarcError {
  /** The most likely first. */
  get corrections(): readonly AddressCorrection[] {
    return this.errors.flatMap(({ detail, meta }) =>
      typeof detail === 'string' ? [] : [{ address: asAddress(detail), reason: meta?.reason ?? null }],
    )
  }
}

/** `detail` of this problem has exactly these members, as the contract says. */
const asAddress = (detail: object) => detail as CorrectedAddress

/** 422: the Idempotency-Key was used before with another request. */
export class IdempotencyKeyReusedError extends DemarcError {}
/** 429: too many requests, or too many failed sign-ins. `retry_after_s` says how long to wait. */
export class RateLimitedError extends DemarcError {}
/** 431: the headers are larger than the service takes. */
export class HeadersTooLargeError extends DemarcError {}
/** 500: an error of the service. */
export class InternalError extends DemarcError {}
/** 503: a dependency is unavailable, or the service has more requests than it can work on. */
export class NotReadyError extends DemarcError {}

/** 507: the files of the account take up the storage that it may use. */
export class InsufficientStorageError extends DemarcError {
  /** Bytes that are occupied; null when the service does not say. */
  get storage_used(): number | null {
    return bytesOf(this.headers, 'demarc-storage-used')
  }

  /** Bytes that may be; null when the service does not say. */
  get storage_limit(): number | null {
    return bytesOf(this.headers, 'demarc-storage-limit')
  }
}

function bytesOf(headers: Headers, name: string): number | null {
  const text = headers.get(name)
  return text === null ? null : Number(text)
}

/** The class of each type of problem. */
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
  'insufficient-storage': InsufficientStorageError,
} as const satisfies Record<ProblemType, new (response: ErrorResponse) => DemarcError>

/** The error of a response, by its status and title. */
export function errorOf(response: Omit<ErrorResponse, 'type'>): DemarcError {
  const type = typeOf(response.status, response.errors[0]?.title ?? null)
  return type === null ? new DemarcError({ ...response, type }) : new problemErrors[type]({ ...response, type })
}

/** Without a title that is known, as from a proxy, the status says it, where only one type has it. */
function typeOf(status: number, title: string | null): ProblemType | null {
  const types = Object.entries(problems).flatMap(([type, problem]) =>
    problem.status === status ? [{ type: type as ProblemType, title: problem.title }] : [],
  )
  const exact = types.find((each) => each.title === title)
  return (exact ?? (types.length === 1 ? types[0] : undefined))?.type ?? null
}
