import { randomUUID } from 'node:crypto'
import { problems, type Media, type ProblemDetail, type ProblemType, type WireError } from '@demarc/client'

export interface ProblemOptions {
  /** The underlying error, for the log; never part of the response. */
  cause?: unknown
  headers?: Record<string, string>
  /** Media type of the response, if not that of the matched operation. */
  media?: Media
  /** Several errors of this type, where one `detail` is not enough. */
  details?: readonly { detail: ProblemDetail; pointer?: string; reason?: string | undefined }[]
}

/** A refusal of a documented type. Any other thrown error becomes a 500 with the request id. */
export class Problem extends Error {
  readonly type: ProblemType
  readonly detail: ProblemDetail
  readonly options: ProblemOptions

  constructor(type: ProblemType, detail: ProblemDetail, options: ProblemOptions) {
    super(`${type}: ${typeof detail === 'string' ? detail : JSON.stringify(detail)}`, { cause: options.cause })
    this.name = 'Problem'
    this.type = type
    this.detail = detail
    this.options = options
  }
}

/** Creates a Problem to throw. */
export const problem = (
  type: ProblemType,
  detail: ProblemDetail = problems[type].meaning,
  options: ProblemOptions = {},
) => new Problem(type, detail, options)

/** 422 with every failing field: `{field: [messages]}`. */
export const invalid = (fields: Record<string, string[]>, options: ProblemOptions = {}) =>
  problem('invalid-input', fields, options)

/** Throws 422 with the fields that have messages; returns if there are none. */
export function throwIfInvalid(fields: Record<string, string[]>): void {
  const failed = Object.entries(fields).filter(([, messages]) => messages.length > 0)
  if (failed.length > 0) throw invalid(Object.fromEntries(failed))
}

/** 404. `what` is a noun with its article: "No number 12065550100". The operator searches all accounts. */
export const notFound = ({ account_id }: { account_id: string | null }, what: string) =>
  problem('not-found', account_id === null ? `${what} exists.` : `${what} is on this account.`)

export function problemResponse(p: Problem): { status: number; body: { errors: WireError[] } } {
  const { status, title } = problems[p.type]
  // the contract shows 403 without id and detail
  if (p.type === 'not-authorized') return { status, body: { errors: [{ status, title: title ?? '', detail: '' }] } }
  // for a duplicate address the contract shows HTTP 422 with an error object whose status is 400
  const shown = p.type === 'duplicate-address' ? 400 : status
  const details = p.options.details ?? [{ detail: p.detail }]
  return {
    status,
    body: {
      errors: details.map(({ detail, pointer, reason }) => ({
        id: randomUUID(),
        status: shown,
        ...(title === null ? {} : { title }),
        detail,
        ...(pointer === undefined ? {} : { source: { pointer } }),
        ...(reason === undefined ? {} : { meta: { reason } }),
      })),
    },
  }
}
