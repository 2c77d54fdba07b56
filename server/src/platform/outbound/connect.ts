import { connect as connectTcp, isIP } from 'node:net'
import type { LookupFunction, Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { buildConnector } from 'undici'
import { codeOf, failed, OutboundError } from './failures.ts'

/** How long to wait for one address before trying the next in parallel (RFC 8305 allows up to 2 s). */
const NEXT_ADDRESS_AFTER_MS = 1000

/**
 * A connector to these addresses only: the name is not resolved again between the check and the connection. TLS still sends and
 * verifies the name. Errors are OutboundErrors.
 */
export function pinnedConnector(
  host: string,
  addresses: readonly string[],
  signal: AbortSignal,
): buildConnector.connector {
  return (options, callback) => {
    const secure = options.protocol === 'https:'
    const socket = openSocket(host, addresses, secure, Number(options.port) || (secure ? 443 : 80))
    let connected = false
    const abort = (): void => {
      socket.destroy(signal.reason)
    }
    const settle = (error: Error | null): void => {
      signal.removeEventListener('abort', abort)
      if (error === null) callback(null, socket)
      else callback(connectError(host, error, connected), null)
    }
    signal.addEventListener('abort', abort, { once: true })
    socket.once('connect', () => (connected = true))
    socket.once('error', settle)
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      socket.removeListener('error', settle)
      settle(null)
    })
    if (signal.aborted) abort()
  }
}

function openSocket(host: string, addresses: readonly string[], secure: boolean, port: number): Socket {
  const literal = isIP(host) > 0
  const target = {
    host,
    port,
    // Not called for an IP literal, which is already the checked address.
    lookup: pinnedLookup(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    noDelay: true,
  }
  if (!secure) return connectTcp(target)
  // An IP literal has no server name indication (RFC 6066, section 3); the certificate is verified against the address instead.
  return connectTls({ ...target, servername: literal ? '' : host, ALPNProtocols: ['http/1.1'] })
}

function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const records = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, options, callback) => {
    const [first] = records
    if (first === undefined) callback(new Error('No address was pinned.'), [])
    else if (options.all === true) callback(null, records)
    else callback(null, first.address, first.family)
  }
}

function connectError(host: string, error: Error, connected: boolean): OutboundError {
  if (error instanceof OutboundError) return error
  if (connected)
    return failed('tls_failed', `Could not establish a secure connection to "${host}"${reason(TLS_REASONS, error)}.`)
  return failed('connect_failed', `Could not connect to "${host}"${reason(TCP_REASONS, error)}.`)
}

const TCP_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refused the connection',
  ETIMEDOUT: 'it did not respond',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the host',
}

const TLS_REASONS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not signed by a trusted authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not signed by a trusted authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate chain is incomplete',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate chain is incomplete',
}

function reason(reasons: Readonly<Record<string, string>>, error: Error): string {
  const text = reasons[codeOf(error)]
  return text === undefined ? '' : `: ${text}`
}
