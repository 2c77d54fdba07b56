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

/** Resolves a host to all its IPv4 and IPv6 addresses. Called once per hop; the result is checked and pinned. */
export type Resolve = (host: string) => Promise<readonly string[]>

export interface OutboundOptions {
  /** Non-public ranges that are allowed, on any port. */
  allow_cidrs: readonly string[]
  user_agent: string
  /** Default: the system's lookup, including /etc/hosts. */
  resolve?: Resolve
}

export interface RequestLimits {
  headers?: Readonly<Record<string, string>>
  /** One deadline for lookup, connection, redirects, and the whole body. */
  timeout_ms: number
  signal?: AbortSignal
}

export interface PostRequest extends RequestLimits {
  body: string | Uint8Array
  /** How much of the response body to read. A longer body is not a failure; the rest is discarded. */
  max_response_bytes: number
}

export interface GetRequest extends RequestLimits {
  /** A longer body fails with `response_too_large`: immediately if the Content-Length exceeds it, otherwise in the stream. */
  max_bytes: number
}

export interface PostResponse {
  ok: true
  /** Any status except a redirect, including 4xx and 5xx. */
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  /** The body was longer than `max_response_bytes`. */
  truncated: boolean
  /** Includes the query, so don't log it (see `withoutQuery`). */
  final_url: string
}

export interface GetResponse {
  ok: true
  status: number
  headers: IncomingHttpHeaders
  /**
   * The body as a stream of limited size. Read it to the end or destroy it; otherwise the deadline destroys it. Its errors are
   * OutboundErrors with the reason in `failure`.
   */
  body: Readable
  final_url: string
}

export interface Failed {
  ok: false
  failure: Failure
}

export interface Outbound {
  /**
   * Sends a callback. Follows 307 and 308 with the same method and body; any other redirect fails with `redirect_not_followed`.
   */
  post(url: string, request: PostRequest): Promise<PostResponse | Failed>
  /** Fetches a document as a stream. Resolves when the final response's headers arrive. */
  get(url: string, request: GetRequest): Promise<GetResponse | Failed>
  /** Checks a URL without DNS, for input validation. Returns the refusal, or null. */
  checkUrl(url: string): Refusal | null
  /** Like `checkUrl`, and also resolves the host and checks every address. */
  checkHost(url: string, limits: { timeout_ms: number; signal?: AbortSignal }): Promise<Failure | null>
}

export const MAX_REDIRECTS = 3
/** A host may have more addresses; all are checked, but only this many are tried. */
const MAX_PINNED_ADDRESSES = 8

/**
 * Creates the egress client for customer-supplied URLs. It connects only to the public internet and to ranges the operator
 * allowed. It resolves each host once, checks every address, and connects only to checked ones. Throws if `allow_cidrs` has an
 * error.
 */
export function createOutbound(options: OutboundOptions): Outbound {
  const policy = createAddressPolicy(options.allow_cidrs)
  const access: Access = { policy, resolve: options.resolve ?? systemResolve }
  const fixed_headers = { 'user-agent': options.user_agent, 'accept-encoding': 'identity' }

  return {
    async post(url, { body, headers, max_response_bytes, ...limits }) {
      return withDeadline(limits, async (deadline) => {
        const request = {
          method: 'POST',
          headers: { ...lowerCased(headers), ...fixed_headers },
          body: Buffer.from(body),
        } as const
        const { response, final_url } = await follow(access, url, request, deadline)
        try {
          const read = await readUpTo(response.body, max_response_bytes)
          return { ok: true, status: response.status, headers: response.headers, ...read, final_url }
        } finally {
          response.release()
          deadline.clear()
        }
      })
    },
    async get(url, { headers, max_bytes, ...limits }) {
      return withDeadline(limits, async (deadline) => {
        const request = { method: 'GET', headers: { ...lowerCased(headers), ...fixed_headers }, body: null } as const
        const { response, final_url } = await follow(access, url, request, deadline)
        const body = cappedBody(response, max_bytes, deadline)
        return { ok: true, status: response.status, headers: response.headers, body, final_url }
      })
    },
    checkUrl: (url) => readUrl(url, policy).refusal ?? null,
    async checkHost(url, limits) {
      const checked = await withDeadline(limits, async (deadline) => {
        await findHost(access, accepted(url, policy), deadline)
        deadline.clear()
        return { ok: true }
      })
      return checked.ok ? null : checked.failure
    },
  }
}

/** Lower-cases header names, to prevent sending a fixed header twice in different case. */
function lowerCased(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

interface Access {
  policy: AddressPolicy
  resolve: Resolve
}

/** Converts an error into a failure. On success, `work` clears the deadline itself, because a body may still be read. */
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

/** Follows redirects, checking each hop like the first. */
async function follow(
  access: Access,
  first_url: string,
  request: HopRequest,
  deadline: Deadline,
): Promise<{ response: Exchange; final_url: string }> {
  let url = accepted(first_url, access.policy)
  let hop = request
  for (let redirects = 0; ; redirects += 1) {
    const addresses = await findHost(access, url, deadline)
    const response = await exchange(url, addresses, hop, deadline.signal)
    if (!REDIRECTS.has(response.status)) return { response, final_url: url.href }
    response.release()
    if (redirects === MAX_REDIRECTS) {
      throw failed('too_many_redirects', `The server redirected more than ${MAX_REDIRECTS} times.`)
    }
    const next = redirectTarget(url, response, hop.method, access.policy)
    if (next.origin !== url.origin) hop = { ...hop, headers: withoutCredentials(hop.headers) }
    url = next
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** RFC 9110, section 15.4: only these statuses keep the method POST. */
const KEEPING_METHOD = new Set([307, 308])

function redirectTarget(from: URL, response: Exchange, method: 'GET' | 'POST', policy: AddressPolicy): URL {
  if (method === 'POST' && !KEEPING_METHOD.has(response.status)) {
    throw failed(
      'redirect_not_followed',
      `The server responded with ${response.status}, which would turn the POST into a GET. Use 307 or 308, or the final URL.`,
    )
  }
  const { location } = response.headers
  const target = typeof location === 'string' ? URL.parse(location, from.href) : null
  if (target === null) {
    throw failed('redirect_not_followed', `The server responded with ${response.status} without a valid Location.`)
  }
  if (from.protocol === 'https:' && target.protocol === 'http:') {
    throw failed('redirect_not_followed', 'The server redirected from https to http. Redirects must stay on https.')
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

/** The addresses to pin. One refused address refuses the host, because any of its addresses might be used. */
async function findHost({ policy, resolve }: Access, url: URL, deadline: Deadline): Promise<readonly string[]> {
  const host = hostOf(url)
  const is_address = isIP(host) > 0
  const addresses = is_address ? [host] : await resolveName(host, resolve, deadline)
  const assessments = addresses.map((address) => policy.assess(address))
  for (const each of assessments)
    if (!each.open) throw is_address ? new OutboundError(addressRefusal(host, each.kind)) : noPublicAddress(host)
  const all_listed = assessments.every((each) => each.open && each.listed)
  if (!all_listed && !isStandardPort(url)) throw new OutboundError(portRefusal(url))
  return addresses.slice(0, MAX_PINNED_ADDRESSES)
}

async function resolveName(host: string, resolve: Resolve, deadline: Deadline): Promise<readonly string[]> {
  const addresses = await deadline.race(async () => {
    try {
      return await resolve(host)
    } catch (error) {
      const code = codeOf(error)
      // Resolver errors have a code (ENOTFOUND, EAI_AGAIN…); an error without one is a bug.
      if (code === '') throw error
      throw noPublicAddress(host)
    }
  })
  if (addresses.length === 0) throw noPublicAddress(host)
  return addresses
}

const noPublicAddress = (host: string) =>
  failed('no_public_address', `The host "${host}" could not be found, or is not on the public internet.`)

async function systemResolve(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true })
  return found.map(({ address }) => address)
}
