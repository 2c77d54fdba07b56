import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { cdrs } from '@demarc/client'
import type { Links } from '../../platform/links.ts'
import { linkSubject } from '../../cdrs/index.ts'
import type { Certificate, Reached } from './rules.ts'
import { codeOf } from './run.ts'

/** Requests to the public URL and the name servers, as others send them. */

/**
 * What a request to the URL reaches. It sends a link that this installation signed and that has expired: only a process with the same
 * pepper says so.
 */
export async function reach(url: string, links: Links, signal: AbortSignal): Promise<Reached> {
  const expired = links.signLink({ account_id: '0', subject: linkSubject, id: '1', expires_at: new Date(0) })
  const path = cdrs.getCdrExportFile.path.replace('{export_id}', '1')
  try {
    const response = await fetch(`${url}${path}?${new URLSearchParams({ ...expired }).toString()}`, {
      redirect: 'manual',
      signal,
    })
    const { status } = response
    const to = response.headers.get('location')
    if (status >= 300 && status < 400 && to !== null) return { kind: 'redirect', to: new URL(to, url).origin }
    const text = await response.text()
    if (!text.includes('"errors"')) return { kind: 'not-demarc', status }
    return { kind: status === 401 ? 'other' : 'this' }
  } catch (error) {
    signal.throwIfAborted()
    return { kind: 'unreachable', code: codeOf(error) }
  }
}

/** What /metrics does without a key. */
export async function readMetrics(url: string, signal: AbortSignal): Promise<'public' | 'refused' | 'unreachable'> {
  try {
    const response = await fetch(`${url}/metrics`, { redirect: 'manual', signal })
    return response.ok && (await response.text()).includes('demarc_') ? 'public' : 'refused'
  } catch (error) {
    // fetch's error for every failure of the network
    if (error instanceof TypeError) return 'unreachable'
    throw error
  }
}

/** The certificate at a URL; null if no TLS connection is possible. */
export async function readCertificate(url: string, signal: AbortSignal): Promise<Certificate | null> {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const found = Promise.withResolvers<Certificate | null>()
  const socket = connect({
    host,
    port: Number(port) || 443,
    ...(isIP(host) === 0 && { servername: host }),
    // an untrusted certificate is a result
    rejectUnauthorized: false,
  })
  socket.on('secureConnect', () => {
    const { valid_to } = socket.getPeerCertificate()
    // declared as an Error, but Node sets the code of a certificate's error
    const { authorizationError: error }: { authorizationError?: unknown } = socket
    found.resolve({
      error: error instanceof Error ? codeOf(error) : typeof error === 'string' ? error : null,
      expires_at: new Date(valid_to),
    })
  })
  socket.on('error', () => found.resolve(null))
  signal.addEventListener('abort', () => socket.destroy())
  try {
    return await found.promise
  } finally {
    socket.destroy()
  }
}

/** Queries the name servers for the root zone, which always exists. Returns the error's code; null if they respond. */
export async function queryNameServers(servers?: readonly string[]): Promise<string | null> {
  const resolver = new Resolver({ timeout: 1_000, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  try {
    await resolver.resolveNs('.')
    return null
  } catch (error) {
    return codeOf(error)
  }
}

/** How many files this process may open; null where the system does not say. */
export async function readOpenFileLimit(): Promise<number | null> {
  try {
    const limits = await readFile('/proc/self/limits', 'utf8')
    const [, limit] = /^Max open files\s+(\S+)/m.exec(limits) ?? []
    return limit === undefined ? null : limit === 'unlimited' ? Infinity : Number(limit)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}
