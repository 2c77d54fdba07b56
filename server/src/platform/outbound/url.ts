import { isIP } from 'node:net'
import type { AddressPolicy } from './addresses.ts'
import type { Refusal } from './failures.ts'

/** The length that browsers and proxies support. */
export const MAX_URL_CHARACTERS = 2048
const MAX_HOST_CHARACTERS = 253

export type UrlReading = { url: URL; refusal?: never } | { url?: never; refusal: Refusal }

/**
 * Parses a URL and checks everything that needs no DNS. The WHATWG URL parser normalizes every notation of an IPv4 address
 * (2130706433, 0x7f.1, 0177.0.0.1, 127.1, full-width digits) to dotted decimal, so one check covers them all.
 */
export function readUrl(text: string, policy: AddressPolicy): UrlReading {
  const url = parse(text)
  if (typeof url === 'string') return { refusal: { code: 'bad_url', detail: url } }
  const host = hostOf(url)
  const literals = isIP(host) > 0 ? [host] : isLocalhost(host) ? ['127.0.0.1', '::1'] : null
  const refusal = literals === null ? refuseNamePort(url, policy) : refuseLiteral(url, literals, policy)
  return refusal === null ? { url } : { refusal }
}

/** The host to connect to: IPv6 without brackets, a name without its trailing dot. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

export function isStandardPort(url: URL): boolean {
  if (url.port === '') return true
  const port = Number(url.port)
  return port === 80 || port === 443 || (port >= 8000 && port <= 9999)
}

export function portRefusal(url: URL): Refusal {
  return {
    code: 'port_refused',
    detail: `Port ${url.port} is not allowed. Use 80, 443, or 8000 to 9999.`,
  }
}

/** The URL for logs, without credentials, query, and fragment, which may contain secrets. */
export function withoutQuery(url: URL | string): string {
  const parsed = URL.parse(String(url))
  return parsed === null ? '(not a URL)' : parsed.origin + parsed.pathname
}

/**
 * Returns the URL, or the error in it. Stricter than the parser, which removes tabs, converts backslashes, and accepts missing
 * slashes.
 */
function parse(text: string): URL | string {
  if (text.length > MAX_URL_CHARACTERS) return `The URL is longer than ${MAX_URL_CHARACTERS} characters.`
  if (/[\s\\\p{Cc}]/u.test(text)) return 'The URL contains a space, a backslash, or a control character.'
  if (!/^https?:\/\/[^/?#]/i.test(text)) return 'The URL must begin with http:// or https:// and a host.'
  if (/^[^/]+\/\/[^/?#]*@/.test(text)) return 'The URL must not contain a user name or password.'
  const url = URL.parse(text)
  if (url === null) return 'The URL is not valid.'
  if (url.port === '0') return 'The URL has no valid port.'
  const host = hostOf(url)
  if (host === '' || host.length > MAX_HOST_CHARACTERS) return 'The URL has no valid host.'
  return url
}

function isLocalhost(host: string): boolean {
  // RFC 6761, section 6.3: these names always mean loopback.
  return host === 'localhost' || host.endsWith('.localhost')
}

function refuseLiteral(url: URL, addresses: readonly string[], policy: AddressPolicy): Refusal | null {
  const assessments = addresses.map((address) => policy.assess(address))
  const open = assessments.find((each) => each.open)
  if (open !== undefined) return open.listed || isStandardPort(url) ? null : portRefusal(url)
  const closed = assessments.find((each) => !each.open)
  return addressRefusal(hostOf(url), closed?.kind ?? 'reserved')
}

/**
 * The operator's list allows any port. If it is not empty, only DNS can tell whether a name resolves into it, so the port is
 * checked later.
 */
function refuseNamePort(url: URL, policy: AddressPolicy): Refusal | null {
  return isStandardPort(url) || policy.has_listed ? null : portRefusal(url)
}

export function addressRefusal(host: string, kind: string): Refusal {
  return {
    code: 'address_refused',
    detail: `The host "${host}" has an address that is not on the public internet (${kind}).`,
  }
}
