import { setTimeout as sleep } from 'node:timers/promises'
import { operations } from '@demarc/client'
import type { Random } from '../fuzz/random.ts'
import type { Keys } from '../support/service.ts'
import { hang_ms } from '../support/until.ts'
import type { Findings } from './findings.ts'

/** Requests and their outcomes: the journal that the count compares with. */

export type OperationName = keyof typeof operations

/** A person signed in by cookie, like a browser. */
export interface SignedIn {
  cookie: string
  csrf_token: string
  /** The account to act for, if the person has several. */
  account_id?: string
}

export interface Sending {
  operation: OperationName
  /** Null: unauthenticated. */
  by: Keys | SignedIn | null
  params?: Record<string, string>
  query?: Record<string, string | number>
  /** Sent as JSON. */
  json?: unknown
  /** Sent unchanged, in the media type. */
  bytes?: { type: string; body: string | Buffer }
  /** An Idempotency-Key: the request is retried with it until its outcome is known. */
  key?: string | undefined
  /** Expected refusals; any other refusal is a finding. If set, success is a finding too. */
  refused_with?: readonly number[]
  timeout_ms?: number
}

/** `refused`: the service says it did nothing. `unknown`: it may or may not have been done, at most once. */
export type Outcome =
  | { kind: 'done'; status: number; body: unknown; cookie: string | null; repeated: boolean }
  | { kind: 'refused'; status: number; text: string }
  | { kind: 'unknown'; why: string }

export interface Tally {
  sent: number
  done: number
  refused: number
  unknown: number
  repeated: number
}

/** Request timeout: the outcome of a request that hangs is unknown. */
const timeout_ms = 30_000
const pause_ms = 200
/** How often this side drops the connection soon after sending; the service usually processes the request anyway. */
const lost_share = 0.05
const lost_within_ms = 60
/** Refusals of the moment, which change nothing: a slow machine may not send a body in time, and a service may be busy. */
const for_now = [408, 429, 503]
/** The one 503 that doesn't promise that nothing was done. */
const not_known = /whether it was stored is not known/

export interface HttpOptions {
  /** A reverse proxy responds with 502 or 504 if the service doesn't; what the service did is then unknown. */
  proxied?: boolean
  /** Called with the status of each response, or the reason why there was none, and what was requested. */
  observe?: (outcome: number | string, request: string) => void
}

export class Http {
  readonly tallies = new Map<OperationName, Tally>()
  readonly #options: HttpOptions
  readonly #base_url: () => string
  readonly #findings: Findings
  readonly #random: Random
  #closed = false

  constructor(base_url: () => string, findings: Findings, random: Random, options: HttpOptions = {}) {
    this.#options = options
    this.#base_url = base_url
    this.#findings = findings
    this.#random = random
  }

  /** Pending requests fail with an error. */
  close(): void {
    this.#closed = true
  }

  /** Sends a request until it reaches the service, and a request with a key until its outcome is known. */
  async send(sending: Sending): Promise<Outcome> {
    const tally = this.#tally(sending.operation)
    tally.sent++
    const may_be_lost = sending.timeout_ms === undefined && sending.refused_with === undefined
    const lost = may_be_lost && this.#random.chance(lost_share)
    const outcome = await this.#settled(sending, lost ? 1 + this.#random.below(lost_within_ms) : undefined)
    tally[outcome.kind]++
    if (outcome.kind === 'done' && outcome.repeated) tally.repeated++
    const expected = sending.refused_with
    if (outcome.kind === 'refused' && ![...(expected ?? [409]), ...for_now].includes(outcome.status))
      this.#findings.wrong(`${sending.operation} was refused with ${outcome.status}: ${outcome.text.slice(0, 300)}`)
    if (outcome.kind === 'done' && expected)
      this.#findings.wrong(`${sending.operation} was accepted and should have been refused: ${JSON.stringify(sending)}`)
    return outcome
  }

  /** The body of a GET; retries while the service is not ready. Null if the response is empty. */
  async read(sending: Pick<Sending, 'operation' | 'by' | 'params' | 'query'>): Promise<unknown> {
    const deadline = performance.now() + hang_ms
    for (;;) {
      const outcome = await this.#once(sending)
      if (outcome !== 'unsent' && outcome.kind === 'done') return outcome.body
      if (outcome !== 'unsent' && outcome.kind === 'refused' && outcome.status === 404) return null
      if (this.#closed || performance.now() > deadline)
        throw new Error(`${sending.operation}: ${JSON.stringify(outcome)}`)
      await sleep(pause_ms)
    }
  }

  async #settled(sending: Sending, lost_after_ms: number | undefined): Promise<Outcome> {
    const deadline = performance.now() + hang_ms
    for (let repeated = false; ;) {
      const limit_ms = (repeated ? undefined : lost_after_ms) ?? sending.timeout_ms ?? timeout_ms
      const outcome = await this.#once({ ...sending, timeout_ms: limit_ms })
      const known = outcome !== 'unsent' && isSettled(outcome, sending.key !== undefined)
      if (known) return outcome.kind === 'done' ? { ...outcome, repeated } : outcome
      if (this.#closed) throw new Error('The loop has ended.')
      if (performance.now() > deadline) {
        this.#findings.wrong(`${sending.operation}: no definite answer in ${hang_ms / 1000} s`)
        return { kind: 'unknown', why: 'given up' }
      }
      repeated ||= outcome !== 'unsent'
      await sleep(pause_ms)
    }
  }

  async #once(sending: Sending): Promise<Outcome | 'unsent'> {
    let request = `${sending.operation} of ${new Date().toISOString()}`
    try {
      const response = await fetch(this.#url(sending), requestOf(sending))
      const text = await response.text()
      const id = response.headers.get('x-request-id')
      if (id !== null) request += `, request ${id}`
      this.#options.observe?.(response.status, request)
      if (response.ok) return done(response, text)
      if (response.status === 503 && not_known.test(text)) return { kind: 'unknown', why: 'it said so' }
      if (this.#options.proxied && [502, 504].includes(response.status))
        return { kind: 'unknown', why: `status ${response.status}` }
      if (response.status >= 500 && response.status !== 503) {
        this.#findings.wrong(`${request} was answered with ${response.status}: ${text.slice(0, 300)}`)
        return { kind: 'unknown', why: `status ${response.status}` }
      }
      return { kind: 'refused', status: response.status, text }
    } catch (error) {
      const outcome = failure(error)
      this.#options.observe?.(outcome === 'unsent' || outcome.kind !== 'unknown' ? 'unsent' : outcome.why, request)
      return outcome
    }
  }

  #url({ operation, params = {}, query = {} }: Sending): URL {
    const path = operations[operation].path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? ''),
    )
    const url = new URL(this.#base_url() + path)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    return url
  }

  #tally(operation: OperationName): Tally {
    const tally = this.tallies.get(operation) ?? { sent: 0, done: 0, refused: 0, unknown: 0, repeated: 0 }
    this.tallies.set(operation, tally)
    return tally
  }
}

function requestOf({ operation, by, json, bytes, key, timeout_ms: limit_ms = timeout_ms }: Sending): RequestInit {
  const { method } = operations[operation]
  const type = bytes?.type ?? (json === undefined ? undefined : 'application/json')
  const body = bytes?.body ?? (json === undefined ? undefined : JSON.stringify(json))
  return {
    method,
    headers: {
      ...credentialsOf(by),
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    signal: AbortSignal.timeout(limit_ms),
  }
}

function credentialsOf(by: Sending['by']): Record<string, string> {
  if (by === null) return {}
  if ('access_key' in by) return { authorization: `Basic ${btoa(`${by.access_key}:${by.secret_key}`)}` }
  const { cookie, csrf_token, account_id } = by
  return { cookie, 'demarc-csrf': csrf_token, ...(account_id === undefined ? {} : { 'demarc-account': account_id }) }
}

function done({ status, headers }: Response, text: string): Outcome {
  const [cookie = null] = headers.getSetCookie().map((header) => header.split(';', 1)[0] ?? null)
  return { kind: 'done', status, body: parsed(text), cookie, repeated: false }
}

/** A request without a key is sent once, and its response is its outcome. */
function isSettled(outcome: Outcome, keyed: boolean): boolean {
  if (outcome.kind === 'done') return true
  if (outcome.kind === 'unknown') return !keyed
  if (outcome.status === 429) return false
  return !keyed || ![...for_now, 409].includes(outcome.status)
}

/** A request that was never sent because nothing was listening has no effect. */
function failure(error: unknown): Outcome | 'unsent' {
  if (!(error instanceof Error)) throw error
  const cause: unknown = error.cause
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'ECONNREFUSED') return 'unsent'
  const lost = error.name === 'TimeoutError' || (error instanceof TypeError && cause instanceof Error)
  if (!lost) throw error
  return { kind: 'unknown', why: typeof code === 'string' ? code : error.name }
}

function parsed(text: string): unknown {
  return text === '' ? null : JSON.parse(text)
}
