import { lookup } from 'node:dns/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { Readable } from 'node:stream'
import { createAddressPolicy } from './addresses.ts'
import type { AddressPolicy } from './addresses.ts'
import { cappedBody, readUpTo } from './body.ts'
import { startDeadline } from './deadline.ts'
import type { Deadline } from './deadline.ts'
import { exchange } from './exchange.ts'
import type { Exchange, HopRequest } from './exchange.ts'
import { codeOf, failed, failureOf, OutboundError } from './failures.ts'
import type { Failure, Refusal } from './failures.ts'
import { addressRefusal, hostOf, isStandardPort, portRefusal, readUrl } from './url.ts'

/** Every address of a host, IPv4 and IPv6. Asked once for each hop; what it answers is checked and pinned. */
export type Resolve = (host: string) => Promise<readonly string[]>

export interface OutboundOptions {
  /** Ranges that may be reached although they are not public, on any port. */
  allow_cidrs: readonly string[]
  user_agent: string
  /** Default: the system's own lookup, with /etc/hosts and all. */
  resolve?: Resolve
}

export interface RequestLimits {
  headers?: Readonly<Record<string, string>>
  /** One deadline over everything: lookup, connection, redirects and the last byte of the body. */
  timeout_ms: number
  signal?: AbortSignal
}

export interface PostRequest extends RequestLimits {
  body: string | Uint8Array
  /** How much of the answer's body is kept. More is not a failure: the answer's status stands, the rest is not read. */
  max_response_bytes: number
}

export interface GetRequest extends RequestLimits {
  /** A longer body is the failure `response_too_large`: at once when it is announced, within the stream when it is not. */
  max_bytes: number
}

export interface PostAnswer {
  ok: true
  /** Any status that is not a redirect, 4xx and 5xx included. */
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  /** The body was longer than `max_response_bytes`. */
  truncated: boolean
  /** With its query: not for logs (see `withoutQuery`). */
  final_url: string
}

export interface GetAnswer {
  ok: true
  status: number
  headers: IncomingHttpHeaders
  /**
   * The body as it comes, capped. Read it to the end or destroy it; the deadline destroys it otherwise. It fails with
   * OutboundError, whose `failure` says why.
   */
  body: Readable
  final_url: string
}

export interface Failed {
  ok: false
  failure: Failure
}

export interface Outbound {
  /** Sends a callback. Follows 307 and 308 with method and body; any other redirect is the failure `redirect_not_followed`. */
  post(url: string, request: PostRequest): Promise<PostAnswer | Failed>
  /** Fetches a document as a stream. Resolves when the headers of the last hop are in. */
  get(url: string, request: GetRequest): Promise<GetAnswer | Failed>
  /** What is wrong with a URL, as far as one can tell without DNS: for checking input. */
  checkUrl(url: string): Refusal | null
  /** The same, and the host is resolved and every address checked. */
  checkHost(url: string, limits: { timeout_ms: number; signal?: AbortSignal }): Promise<Failure | null>
}

export const MAX_REDIRECTS = 3
/** A host with more addresses than this is reached by the first of them; all are checked. */
const MAX_PINNED_ADDRESSES = 8

/**
 * Makes the one way out for requests to URLs that customers name. It reaches the public internet only (and what the
 * operator opened), resolves each host once, checks every address, and connects to what it checked. Throws at once when
 * `allow_cidrs` has a fault.
 */
export function createOutbound(options: OutboundOptions): Outbound {
  const policy = createAddressPolicy(options.allow_cidrs)
  const route: Route = { policy, resolve: options.resolve ?? systemResolve }
  const standing_headers = { 'user-agent': options.user_agent, 'accept-encoding': 'identity' }

  return {
    async post(url, { body, headers, max_response_bytes, ...limits }) {
      return withDeadline(limits, async (deadline) => {
        const request = {
          method: 'POST',
          headers: { ...lowerCased(headers), ...standing_headers },
          body: Buffer.from(body),
        } as const
        const { answer, final_url } = await follow(route, url, request, deadline)
        try {
          const read = await readUpTo(answer.body, max_response_bytes)
          return { ok: true, status: answer.status, headers: answer.headers, ...read, final_url }
        } finally {
          answer.release()
          deadline.clear()
        }
      })
    },
    async get(url, { headers, max_bytes, ...limits }) {
      return withDeadline(limits, async (deadline) => {
        const request = { method: 'GET', headers: { ...lowerCased(headers), ...standing_headers }, body: null } as const
        const { answer, final_url } = await follow(route, url, request, deadline)
        const body = cappedBody(answer, max_bytes, deadline)
        return { ok: true, status: answer.status, headers: answer.headers, body, final_url }
      })
    },
    checkUrl: (url) => readUrl(url, policy).refusal ?? null,
    async checkHost(url, limits) {
      const checked = await withDeadline(limits, async (deadline) => {
        await findHost(route, accepted(url, policy), deadline)
        deadline.clear()
        return { ok: true }
      })
      return checked.ok ? null : checked.failure
    },
  }
}

/** So that what must stand in every request cannot be doubled by another spelling of its name. */
function lowerCased(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

interface Route {
  policy: AddressPolicy
  resolve: Resolve
}

/** Turns what the work throws into a failure. The work clears the deadline itself when it succeeds: a body may outlive it. */
async function withDeadline<T extends { ok: true }>(
  limits: { timeout_ms: number; signal?: AbortSignal },
  work: (deadline: Deadline) => Promise<T>,
): Promise<T | Failed> {
  const deadline = startDeadline(limits.timeout_ms, limits.signal)
  try {
    return await work(deadline)
  } catch (error) {
    deadline.clear()
    return { ok: false, failure: failureOf(error) }
  }
}

/** Goes from hop to hop; each is checked like the first. */
async function follow(
  route: Route,
  first_url: string,
  request: HopRequest,
  deadline: Deadline,
): Promise<{ answer: Exchange; final_url: string }> {
  let url = accepted(first_url, route.policy)
  let hop = request
  for (let redirects = 0; ; redirects += 1) {
    const addresses = await findHost(route, url, deadline)
    const answer = await exchange(url, addresses, hop, deadline.signal)
    if (!REDIRECTS.has(answer.status)) return { answer, final_url: url.href }
    answer.release()
    if (redirects === MAX_REDIRECTS) {
      throw failed('too_many_redirects', `The server redirected more than ${MAX_REDIRECTS} times.`)
    }
    const next = redirectTarget(url, answer, hop.method, route.policy)
    if (next.origin !== url.origin) hop = { ...hop, headers: withoutCredentials(hop.headers) }
    url = next
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** RFC 9110, section 15.4: only these promise that a POST stays a POST. */
const KEEPING_METHOD = new Set([307, 308])

function redirectTarget(from: URL, answer: Exchange, method: 'GET' | 'POST', policy: AddressPolicy): URL {
  if (method === 'POST' && !KEEPING_METHOD.has(answer.status)) {
    throw failed(
      'redirect_not_followed',
      `The server answered ${answer.status}, which would turn the POST into a GET. Use 307 or 308, or the final URL.`,
    )
  }
  const { location } = answer.headers
  const target = typeof location === 'string' ? URL.parse(location, from.href) : null
  if (target === null) {
    throw failed('redirect_not_followed', `The server answered ${answer.status} without a valid Location.`)
  }
  if (from.protocol === 'https:' && target.protocol === 'http:') {
    throw failed(
      'redirect_not_followed',
      'The server redirected from https to http, which would give up the protection asked for.',
    )
  }
  return accepted(target.href, policy)
}

const CREDENTIALS = new Set(['authorization', 'cookie', 'proxy-authorization'])

function withoutCredentials(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !CREDENTIALS.has(name))
  return Object.fromEntries(kept)
}

function accepted(text: string, policy: AddressPolicy): URL {
  const { url, refusal } = readUrl(text, policy)
  if (refusal !== undefined) throw new OutboundError(refusal)
  return url
}

/** The addresses to pin. One that is refused refuses the host: it would be a matter of luck which one is met. */
async function findHost({ policy, resolve }: Route, url: URL, deadline: Deadline): Promise<readonly string[]> {
  const host = hostOf(url)
  const addresses = isIP(host) > 0 ? [host] : await resolveName(host, resolve, deadline)
  const verdicts = addresses.map((address) => policy.judge(address))
  for (const verdict of verdicts) if (!verdict.open) throw new OutboundError(addressRefusal(host, verdict.kind))
  const all_listed = verdicts.every((verdict) => verdict.open && verdict.listed)
  if (!all_listed && !isStandardPort(url)) throw new OutboundError(portRefusal(url))
  return addresses.slice(0, MAX_PINNED_ADDRESSES)
}

async function resolveName(host: string, resolve: Resolve, deadline: Deadline): Promise<readonly string[]> {
  const addresses = await deadline.race(async () => {
    try {
      return await resolve(host)
    } catch (error) {
      const code = codeOf(error)
      // A resolver's errors carry a code (ENOTFOUND, EAI_AGAIN…); anything without one is a fault of ours.
      if (code === '') throw error
      throw failed('dns_failed', `The host "${host}" could not be found${code === 'EAI_AGAIN' ? ' just now' : ''}.`)
    }
  })
  if (addresses.length === 0) throw failed('dns_failed', `The host "${host}" has no address.`)
  return addresses
}

async function systemResolve(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true })
  return found.map(({ address }) => address)
}
