import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'

/**
 * Reads PostgreSQL URLs the way libpq does (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS).
 * The driver's parser knows only one host, and treats `sslmode=require` as `verify-full`.
 */

export const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
export const targetSessionAttributes = [
  'any',
  'read-write',
  'read-only',
  'primary',
  'standby',
  'prefer-standby',
] as const

export type SslMode = (typeof sslModes)[number]
export type TargetSessionAttributes = (typeof targetSessionAttributes)[number]

export interface DatabaseServer {
  /** A name, an address, or the folder of a Unix socket, which starts with `/`. */
  host: string
  port: number
}

/** What a URL says. Contains the password: never log it. */
export interface DatabaseAddress {
  /** At least one, in the order of the URL. */
  servers: readonly DatabaseServer[]
  user: string | undefined
  password: string | undefined
  /** The server's default is a database with the user's name. */
  database: string | undefined
  target_session_attrs: TargetSessionAttributes
  /** libpq's default is `prefer`. */
  sslmode: SslMode
  /** Path of a file with certificate authorities in PEM form, or `system` for the ones that Node trusts. */
  sslrootcert: string | undefined
  /** Paths of the client's own certificate and key. */
  sslcert: string | undefined
  sslkey: string | undefined
  /** Start-up options such as `-c search_path=demarc`. */
  options: string | undefined
  application_name: string | undefined
}

/** Says what is wrong with a URL, after its name: `must have …`. Never contains a part of the URL other than a parameter's name. */
export class DatabaseUrlError extends Error {
  override name = 'DatabaseUrlError'
}

const shape = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/
const parameters = new Set([
  'host',
  'port',
  'user',
  'password',
  'dbname',
  'target_session_attrs',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'options',
  'application_name',
])
const MAX_SERVERS = 16
const DEFAULT_PORT = 5432

/** The parts of a URL. Throws DatabaseUrlError. */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const parts = shape.exec(url)
  if (!parts) throw new DatabaseUrlError('must be a URL with postgres: or postgresql:')
  const [, credentials = '', hosts = '', path = '', query = ''] = parts
  const [user = '', ...password] = credentials.split(':')
  const given = queryOf(query)
  const text = (name: string, otherwise = ''): string | undefined => given.get(name) || decoded(otherwise) || undefined
  const address: DatabaseAddress = {
    servers: serversOf(hosts, given.get('host'), given.get('port')),
    user: text('user', user),
    password: text('password', password.join(':')),
    database: text('dbname', path),
    target_session_attrs: oneOf(given, 'target_session_attrs', targetSessionAttributes) ?? 'any',
    sslmode: oneOf(given, 'sslmode', sslModes) ?? 'prefer',
    sslrootcert: text('sslrootcert'),
    sslcert: text('sslcert'),
    sslkey: text('sslkey'),
    options: text('options'),
    application_name: text('application_name'),
  }
  checkCertificates(address)
  return address
}

/** What is wrong with a URL, or null. */
export function databaseUrlError(url: string): string | null {
  try {
    parseDatabaseUrl(url)
    return null
  } catch (error) {
    if (error instanceof DatabaseUrlError) return error.message
    throw error
  }
}

function queryOf(query: string): Map<string, string> {
  const given = new Map<string, string>()
  for (const each of query.split('&').filter((part) => part !== '')) {
    const [name = '', ...value] = each.split('=').map(decoded)
    if (!parameters.has(name)) throw new DatabaseUrlError(`must not have the parameter ${printable(name)}`)
    given.set(name, value.join('='))
  }
  return given
}

/** The name of a parameter, shortened in case a password was pasted there. */
const printable = (name: string): string => (/^[a-z_]{1,40}$/.test(name) ? name : 'with this name')

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) throw new DatabaseUrlError('must have % only as part of an escape such as %40')
    throw error
  }
}

/** Pairs hosts with ports. Like in libpq, a single port in the query counts for all hosts. */
function serversOf(authority: string, host: string | undefined, port: string | undefined): DatabaseServer[] {
  const listed = authority.split(',').map((each) => {
    const found = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d*))?$/.exec(each)
    if (!found) throw new DatabaseUrlError('must have hosts of the form name:port, separated by commas')
    return { host: decoded(found[1] ?? found[2] ?? ''), port: found[3] ?? '' }
  })
  const hosts = host === undefined || host === '' ? listed.map((each) => each.host) : host.split(',')
  const ports = port === undefined || port === '' ? listed.map((each) => each.port) : port.split(',')
  if (ports.length !== hosts.length && ports.length !== 1)
    throw new DatabaseUrlError('must have one port, or as many ports as hosts')
  if (hosts.length > MAX_SERVERS) throw new DatabaseUrlError(`must have at most ${MAX_SERVERS} hosts`)
  return hosts.map((each, i) => ({ host: each || 'localhost', port: portOf(ports[i] ?? ports[0] ?? '') }))
}

function portOf(text: string): number {
  if (text === '') return DEFAULT_PORT
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535)
    throw new DatabaseUrlError('must have ports between 1 and 65535')
  return port
}

function oneOf<T extends string>(given: Map<string, string>, name: string, values: readonly T[]): T | undefined {
  const value = given.get(name)
  if (value === undefined || value === '') return undefined
  const known = values.find((each) => each === value)
  if (known === undefined) throw new DatabaseUrlError(`must have ${name} ${values.join(', ')}`)
  return known
}

function checkCertificates({ sslmode, sslrootcert, sslcert, sslkey }: DatabaseAddress): void {
  if (sslmode === 'verify-ca' && sslrootcert === undefined)
    throw new DatabaseUrlError('must have sslrootcert with sslmode=verify-ca')
  // any public authority signs for any host, so only the host's name tells the server apart
  if (sslrootcert === 'system' && sslmode !== 'verify-full')
    throw new DatabaseUrlError('must have sslmode=verify-full with sslrootcert=system')
  if ((sslcert === undefined) !== (sslkey === undefined))
    throw new DatabaseUrlError('must have sslcert and sslkey together')
}

/** TLS settings of the driver, or false for none. */
export type Tls = ConnectionOptions | false

/**
 * What to try with a server, in order, as libpq documents for each sslmode
 * (https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-PROTECTION): `allow` prefers no TLS, `prefer` prefers TLS, and
 * `require` with a root certificate verifies like `verify-ca`. A Unix socket never uses TLS. Reads the certificate files, and
 * throws their system errors.
 */
export function tlsAttempts(address: DatabaseAddress, { host }: DatabaseServer): readonly Tls[] {
  const { sslmode } = address
  if (sslmode === 'disable' || host.startsWith('/')) return [false]
  const tls = tlsOptions(address)
  if (sslmode === 'allow') return [false, tls]
  return sslmode === 'prefer' ? [tls, false] : [tls]
}

function tlsOptions({ sslmode, sslrootcert, sslcert, sslkey }: DatabaseAddress): ConnectionOptions {
  const ca = sslrootcert === undefined || sslrootcert === 'system' ? undefined : readFileSync(sslrootcert, 'utf8')
  return {
    ...(ca !== undefined && { ca }),
    ...(sslcert !== undefined && sslkey !== undefined && { cert: readFileSync(sslcert), key: readFileSync(sslkey) }),
    rejectUnauthorized: ca !== undefined || sslmode === 'verify-full',
    ...(sslmode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  }
}
