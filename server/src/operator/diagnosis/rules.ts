import { isIP } from 'node:net'
import { failed, ok, warning, type Finding, type RelayState } from './checks.ts'

/** What the checks of the web side conclude: URL, certificate, proxy, mail, clocks. */

/** What a request to the public URL reached. */
export type Reached =
  | { kind: 'this' }
  /** A Demarc that did not sign a link of this installation. */
  | { kind: 'other' }
  | { kind: 'not-demarc'; status: number }
  | { kind: 'redirect'; to: string }
  /** Node's or the TLS library's error code. */
  | { kind: 'unreachable'; code: string }

const isLocal = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')
/** An IPv6 address without its brackets. */
export const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '')

export function publicUrl(url: string | null, mode: 'demo' | 'production', reached: Reached | null): Finding {
  if (mode === 'demo' && (url === null || isLocal(hostOf(url)))) return ok('Demo mode serves this machine only.')
  const example = 'Set DEMARC_PUBLIC_URL to the https URL that customers open, and restart every process.'
  if (url === null) return failed('DEMARC_PUBLIC_URL is not set, so links lead to this machine’s own address.', example)
  if (isLocal(hostOf(url))) return failed(`Only this machine can open links to ${url}.`, example)
  if (new URL(url).protocol !== 'https:')
    return failed(`${url} has no TLS: others on the network can read passwords and keys.`, example)
  return reachedUrl(url, reached)
}

function reachedUrl(url: string, reached: Reached | null): Finding {
  const proxy = 'Point the name’s DNS record and the proxy to this installation, or correct DEMARC_PUBLIC_URL.'
  switch (reached?.kind) {
    case 'this':
      return ok(`${url} reaches this installation.`)
    case 'other':
      return failed(`${url} reaches another Demarc, or a process with another DEMARC_PEPPER.`, proxy)
    case 'not-demarc':
      return failed(`${url} reaches a server that is not Demarc (status ${reached.status}).`, proxy)
    case 'redirect':
      return failed(`${url} redirects to ${reached.to}.`, 'Set DEMARC_PUBLIC_URL to the URL without the redirect.')
    default:
      return unreachable(url, reached?.code ?? '')
  }
}

function unreachable(url: string, code: string): Finding {
  if (code === 'ENOTFOUND') return failed(`The host of ${url} is unknown.`, 'Create its DNS record.')
  if (isTlsError(code)) return failed(`A TLS connection to ${url} failed (${code}).`, 'See the check certificate.')
  if (code === 'ECONNREFUSED')
    return failed(`Nothing listens at ${url}.`, 'Start the proxy, and open its port in the firewall.')
  return warning(
    `This machine cannot reach ${url} (${code}). Customers may reach it nevertheless.`,
    `Open ${url}/health/live from outside. If it responds, map the name to the proxy’s inner address in /etc/hosts.`,
  )
}

const isCertificateError = (code: string): boolean => /CERT|SIGNATURE/.test(code)
const isTlsError = (code: string): boolean => isCertificateError(code) || /TLS|SSL|EPROTO/.test(code)

export interface Certificate {
  /** Why Node does not trust it; null if it does. */
  error: string | null
  expires_at: Date
}

const day_ms = 86_400_000
/** Certificates of 90 days are renewed a month before they expire. */
const expiry_warning_ms = 21 * day_ms

export function certificate(url: string | null, found: Certificate | null, now: Date): Finding {
  if (url === null || !url.startsWith('https:')) return ok('There is no https URL to check.')
  if (found === null) return warning('No TLS connection to the public URL was possible.', 'See the check public_url.')
  const { error, expires_at } = found
  const renew = 'Renew the certificate, and reload the proxy.'
  if (expires_at <= now) return failed(`The certificate expired on ${dayOf(expires_at)}.`, renew)
  if (error !== null)
    return failed(
      `The certificate is not trusted: ${error}.`,
      'Use a certificate of a public authority, with its intermediate certificates. For one of your own, set NODE_EXTRA_CA_CERTS.',
    )
  const left_ms = expires_at.getTime() - now.getTime()
  if (left_ms >= expiry_warning_ms) return ok(`The certificate is valid until ${dayOf(expires_at)}.`)
  const days = Math.ceil(left_ms / day_ms)
  return warning(
    `The certificate expires on ${dayOf(expires_at)}, within ${days === 1 ? 'a day' : `${days} days`}.`,
    renew,
  )
}

const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

/** Metrics without a key would show what customers do. */
export function metrics(without_key: 'public' | 'refused' | 'unreachable'): Finding {
  if (without_key === 'unreachable') return warning('The public URL cannot be reached.', 'See the check public_url.')
  return without_key === 'refused'
    ? ok('/metrics needs a key.')
    : failed(
        'Anyone can read /metrics at the public URL.',
        'Remove the key that the proxy adds to requests for /metrics.',
      )
}

/** Requests that this process received, and those with X-Forwarded-For from an address that is not trusted. */
export interface Forwarding {
  requests: number
  forwarded: number
  /** The address of the last of those. */
  peer: string | null
}

/** Counts a request. `peer`: its address if it is not trusted and sent the header. */
export function countForwarding(counts: Forwarding, peer: string | null): void {
  counts.requests += 1
  if (peer === null) return
  counts.forwarded += 1
  counts.peer = peer
}

/** A few clients may send the header themselves; behind a proxy nearly every request has it. */
export function proxy({ requests, forwarded, peer }: Forwarding): Finding {
  if (peer === null || forwarded * 2 < requests) return ok('No untrusted proxy was seen.')
  return failed(
    `${forwarded} of ${requests} requests came through a proxy at ${peer}, which is not trusted. All its clients count as one, and share its limits.`,
    `If ${peer} is your proxy, set DEMARC_TRUST_PROXY=${peer}${isIP(peer) === 6 ? '/128' : '/32'}, and restart.`,
  )
}

interface Mail {
  host: string
  from: string
}

/** `unmailed`: open invitations that nobody receives. */
export function mail(settings: Mail | null, state: RelayState | null, unmailed: number): Finding {
  if (settings === null)
    return unmailed === 0
      ? ok('No relay is configured, and no invitation waits for one.')
      : warning(
          `${unmailed} open ${unmailed === 1 ? 'invitation was' : 'invitations were'} not mailed, because no relay is configured.`,
          'Set SMTP_URL and DEMARC_MAIL_FROM, or give people their links yourself.',
        )
  const { host, from } = settings
  switch (state?.kind) {
    case 'accepted':
      return state.is_encrypted || isLocal(host)
        ? ok(`The relay accepts mail from ${from}.`)
        : (state.signs_in ? failed : warning)(
            `The relay offers no STARTTLS, so ${state.signs_in ? 'the password and ' : ''}messages are readable on the network.`,
            'Enable STARTTLS on the relay, or use its TLS port: SMTP_URL=smtps://….',
          )
    case 'sign-in-refused':
      return failed(`The relay refused the user or password${statusText(state.status)}.`, 'Correct SMTP_URL.')
    case 'sender-refused':
      return failed(
        `The relay does not accept mail from ${from}${statusText(state.status)}.`,
        'Set DEMARC_MAIL_FROM to an address that the relay accepts, or allow it there.',
      )
    case 'starttls-refused':
      return failed(
        `The relay refused STARTTLS${statusText(state.status)}, so no mail is sent.`,
        'Correct the TLS settings of the relay, or use its TLS port: SMTP_URL=smtps://….',
      )
    default:
      return unreachableRelay(state?.code ?? 'no response')
  }
}

function unreachableRelay(code: string): Finding {
  if (isCertificateError(code))
    return failed(
      `The relay’s certificate is not trusted (${code}), so no mail is sent.`,
      'Give the relay a valid certificate for the host in SMTP_URL. If your own authority signed it, set NODE_EXTRA_CA_CERTS.',
    )
  if (isTlsError(code))
    return failed(
      `The relay does not start TLS on this port (${code}).`,
      'Set SMTP_URL=smtp://… for a port with STARTTLS, such as 587, and smtps://… for a TLS port, such as 465.',
    )
  return failed(
    `The relay cannot be used (${code}).`,
    'Check SMTP_URL, and that a firewall lets this machine connect. Some networks block port 25: use 587 or 465.',
  )
}

const statusText = (status: number | null): string => (status === null ? '' : ` (status ${status})`)

/** Demarc's leases and S3's signatures depend on clocks that agree. */
const skew_warning_s = 2
const skew_failed_s = 60

/** When a clock was read: between these times of this machine, in milliseconds. `resolution_ms`: 1000 for a Date header. */
interface ClockReading {
  theirs: number
  sent: number
  arrived: number
  resolution_ms?: number
}

/** How far a clock is ahead of this machine's, in seconds; 0 if it may agree. */
function skewOf({ theirs, sent, arrived, resolution_ms = 0 }: ClockReading): number {
  if (theirs + resolution_ms < sent) return (theirs + resolution_ms - sent) / 1000
  return theirs > arrived ? (theirs - arrived) / 1000 : 0
}

export function clock(whose: string, reading: ClockReading): Finding {
  const skew_s = skewOf(reading)
  if (Math.abs(skew_s) <= skew_warning_s) return ok(`The clock of ${whose} agrees with this machine’s.`)
  const text = `The clock of ${whose} is ${Math.round(Math.abs(skew_s))} s ${skew_s > 0 ? 'ahead of' : 'behind'} this machine’s.`
  const remedy = 'Run `timedatectl set-ntp true` on both machines, and check `timedatectl`.'
  return Math.abs(skew_s) > skew_failed_s ? failed(text, remedy) : warning(text, remedy)
}

/** `code`: of the resolver's error. A server that knows no such name responds. */
export const dns = (code: string | null): Finding =>
  code === null || ['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EREFUSED', 'ENOTIMP'].includes(code)
    ? ok('A name server responds.')
    : failed(
        `No name server responds (${code}), so callbacks to customers fail.`,
        'Correct the name servers in /etc/resolv.conf, and allow port 53 in the firewall.',
      )

/** Besides connections of clients: of the database, files, and sockets. */
const other_files = 256

export function openFiles(limit: number | null, connections: number): Finding {
  if (limit === null) return ok('The limit of open files is unknown on this system.')
  const needed = connections + other_files
  const text = `This process may open ${limit} files, and needs up to ${needed}`
  return limit >= needed
    ? ok(`${text}.`)
    : failed(
        `${text}: it then refuses connections.`,
        `Set LimitNOFILE=${Math.max(65_536, needed)} in the systemd unit or \`ulimit -n\`, or lower DEMARC_CONNECTIONS to ${Math.max(16, limit - other_files)}.`,
      )
}

export const log = (level: string): Finding =>
  level === 'silent'
    ? warning('The log is off, so errors leave no trace.', 'Unset DEMARC_LOG_LEVEL, and restart.')
    : ok(`The log level is ${level}.`)
