import { randomUUID } from 'node:crypto'
import { problems, type ProblemDetail, type ProblemType, type WireError } from '@demarc/client'

export interface ProblemOptions {
  /** What went wrong inside; for the log, never answered. */
  cause?: unknown
  headers?: Record<string, string>
  /** Several errors of this type at once, where one `detail` is not enough. */
  details?: readonly { detail: ProblemDetail; pointer?: string }[]
}

/** A refusal with a name. Everything thrown that is not one of these is answered with 500 and the request id. */
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

/** Makes a Problem; throw it. */
export const problem = (
  type: ProblemType,
  detail: ProblemDetail = problems[type].meaning,
  options: ProblemOptions = {},
) => new Problem(type, detail, options)

/** 422 with every failing field: `{field: [messages]}`. */
export const invalid = (fields: Record<string, string[]>, options: ProblemOptions = {}) =>
  problem('invalid-input', fields, options)

/** Throws 422 with the fields that have messages. None: passes. */
export function refuseFaults(fields: Record<string, string[]>): void {
  const faulty = Object.entries(fields).filter(([, messages]) => messages.length > 0)
  if (faulty.length > 0) throw invalid(Object.fromEntries(faulty))
}

/** 404. `what` is a noun with its article: "No number +12065550100". */
export const notFound = (what: string) => problem('not-found', `${what} is on this account.`)

/** Status and body of the answer to a problem. */
export function wireAnswer(p: Problem): { status: number; body: { errors: WireError[] } } {
  const { status, title } = problems[p.type]
  // the contract shows 403 with neither id nor detail
  if (p.type === 'not-authorized') return { status, body: { errors: [{ status, title: title ?? '', detail: '' }] } }
  // the contract shows HTTP 422 whose error object reads 400 for an address that is already there
  const shown = p.type === 'duplicate-address' ? 400 : status
  const details = p.options.details ?? [{ detail: p.detail }]
  return {
    status,
    body: {
      errors: details.map(({ detail, pointer }) => ({
        id: randomUUID(),
        status: shown,
        ...(title === null ? {} : { title }),
        detail,
        ...(pointer === undefined ? {} : { source: { pointer } }),
      })),
    },
  }
}
