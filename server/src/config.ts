import { resolve } from 'node:path'
import type { StoreMode } from './engines/call-records/index.ts'
import type { FileSettings } from './platform/files/index.ts'
import type { TraceSettings } from './platform/traces/settings.ts'
import { loopback, settings, type Settings } from './settings.ts'
import { traceSettingsOf } from './trace-settings.ts'

/**
 * Nothing else reads the environment. Settings are read once at start, all errors are reported together, and the result is
 * passed down.
 */

export interface Config {
  mode: 'demo' | 'production'
  role: 'all' | 'api' | 'worker'
  data_dir: string
  host: string
  port: number
  /** Null if links use the listen address. */
  public_url: string | null
  /** Null if the embedded server is used. */
  database_url: string | null
  /** Replicas for reads that may lag. */
  database_replica_urls: string[]
  /** Leads to the same database past a pooler in transaction mode. Null without such a pooler. */
  database_direct_url: string | null
  /** Whether repeated statements are prepared. */
  prepared_statements: boolean
  /** Null if the embedded engine is used. `ca_file`: certificates of private authorities. */
  clickhouse: { urls: string[]; mode: StoreMode; ca_file: string | null } | null
  files: FileSettings
  outbound_allow: string[]
  /** Null in demo mode, which may keep them in the data folder. */
  secrets: { pepper: string; accepted_pepper: string | null; seal_keys: { id: string; key: string }[] } | null
  /** The required validation level of emergency addresses, and the URLs of remote validators, if any. */
  e911: {
    min_level: 'auto' | 'postal' | 'street' | 'range' | 'address'
    lost_url: string | null
    census_url: string | null
  }
  /** The next-generation 911 protocols that this service supports. */
  location: { held: boolean; lost: boolean }
  log_level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  requests_per_minute: number
  connections: number
  connections_per_address: number
  body_limit_bytes: number
  database_connections: number
  /** New requests are rejected while one has waited longer than this for the database. */
  queue_ms: number
  /** Limit for all files of one account. */
  storage_limit_bytes: number
  export_life_h: number
  exports_at_once: number
  /** Call records older than this become files. Null: never. */
  cold_after_months: number | null
  /** How long data is kept, by class: PostgreSQL intervals. Null: forever. */
  periods: {
    call_records: string | null
    exports: string | null
    order_documents: string | null
    notifications: string | null
    closed_account_events: string | null
  }
  /** The gaining carrier's name on LOAs. */
  carrier_name: string
  /** Price of porting one number, in dollars. */
  port_price: string
  /** How long released numbers rest before they are for sale again. */
  aging_days: { longcode: number; tollfree: number }
  /** A rate center with fewer available numbers is low. */
  inventory_low_below: number
  /** Limit for one account's numbers on unsigned port orders. */
  unsigned_numbers: number
  /** The identity provider that people sign in with, if any. */
  openid: { issuer: string; client_id: string; client_secret: string; name: string } | null
  trust_proxy: string[]
  /** Domains of the operator's own addresses, lower-case. */
  operator_domains: string[]
  /** The email relay and sender address; null if no email is sent. */
  mail: { smtp_url: string; from: string } | null
  /** The service's time zone, which defines "the morning of the completion day". */
  time_zone: string
  /** The receiver of traces; null if none are recorded. */
  traces: TraceSettings | null
}

export class ConfigError extends Error {
  readonly errors: readonly string[]
  constructor(errors: readonly string[]) {
    super(
      `Invalid settings:\n${errors.map((each) => `  - ${each}`).join('\n')}\nSee docs/operate/settings.md for every setting.`,
    )
    this.name = 'ConfigError'
    this.errors = errors
  }
}

const settingNames = new Set(Object.keys(settings.shape))

/** Reads the settings. `npm start` sets `demo`; DEMARC_MODE overrides it. Throws ConfigError with every error. */
export function readConfig(env: Record<string, string | undefined>, options: { demo: boolean }): Config {
  const present = Object.fromEntries(Object.entries(env).filter(([k, v]) => settingNames.has(k) && v !== ''))
  const parsed = settings.safeParse(present)
  const mode = modeOf(present['DEMARC_MODE']) ?? (options.demo ? 'demo' : 'production')
  const errors = [
    ...issuesOf(parsed),
    ...unknownSettings(env),
    ...fileErrors(present),
    ...openIdErrors(present),
    ...databaseErrors(present),
    ...clickhouseErrors(present),
    ...mailErrors(present),
    ...(mode === 'demo' ? demoErrors(present) : productionErrors(present)),
  ]
  if (!parsed.success || errors.length > 0) throw new ConfigError(errors)
  const s = parsed.data
  return {
    mode,
    role: s.DEMARC_ROLE,
    data_dir: resolve(s.DEMARC_DATA),
    host: s.DEMARC_HOST,
    port: s.DEMARC_PORT,
    public_url: s.DEMARC_PUBLIC_URL?.replace(/\/+$/, '') ?? null,
    database_url: s.DATABASE_URL ?? null,
    database_replica_urls: s.DATABASE_REPLICA_URL,
    database_direct_url: s.DATABASE_DIRECT_URL ?? null,
    prepared_statements: s.DEMARC_PREPARED_STATEMENTS === 'on',
    clickhouse: clickhouseOf(s),
    files: fileSettingsOf(s),
    // an integrator's webhook endpoint runs on the same machine
    outbound_allow: mode === 'demo' ? ['127.0.0.0/8', '::1/128', ...s.DEMARC_OUTBOUND_ALLOW] : s.DEMARC_OUTBOUND_ALLOW,
    secrets: secretsOf(s),
    e911: e911Of(s),
    location: { held: s.DEMARC_HELD_SERVER === 'on', lost: s.DEMARC_LOST_SERVER === 'on' },
    log_level: s.DEMARC_LOG_LEVEL,
    requests_per_minute: s.DEMARC_REQUESTS_PER_MINUTE ?? (mode === 'demo' ? 10_000_000 : 6_000),
    connections: s.DEMARC_CONNECTIONS,
    // in demo mode every client is on this machine
    connections_per_address: s.DEMARC_CONNECTIONS_PER_ADDRESS ?? (mode === 'demo' ? 4_096 : 256),
    body_limit_bytes: s.DEMARC_BODY_LIMIT_BYTES,
    database_connections: s.DEMARC_DATABASE_CONNECTIONS,
    queue_ms: s.DEMARC_QUEUE_MS,
    storage_limit_bytes: s.DEMARC_STORAGE_LIMIT_BYTES,
    export_life_h: s.DEMARC_EXPORT_LIFE_HOURS,
    exports_at_once: s.DEMARC_EXPORTS_AT_ONCE,
    cold_after_months: s.CDR_COLD_AFTER ?? null,
    periods: periodsOf(s),
    carrier_name: s.DEMARC_CARRIER_NAME,
    port_price: s.DEMARC_PORT_PRICE,
    aging_days: { longcode: s.DEMARC_AGING_DAYS, tollfree: s.DEMARC_AGING_TOLLFREE_DAYS },
    inventory_low_below: s.DEMARC_INVENTORY_LOW_BELOW,
    unsigned_numbers: s.DEMARC_UNSIGNED_NUMBERS,
    openid: openIdOf(s),
    trust_proxy: s.DEMARC_TRUST_PROXY,
    operator_domains: s.DEMARC_OPERATOR_DOMAINS,
    mail: s.SMTP_URL && s.DEMARC_MAIL_FROM ? { smtp_url: s.SMTP_URL, from: s.DEMARC_MAIL_FROM } : null,
    time_zone: s.DEMARC_TIME_ZONE,
    traces: traceSettingsOf(s),
  }
}

const e911Of = (s: Settings): Config['e911'] => ({
  min_level: s.E911_MIN_LEVEL,
  lost_url: s.DEMARC_LOST_URL ?? null,
  census_url: s.DEMARC_CENSUS_URL ?? null,
})

const periodsOf = (s: Settings): Config['periods'] => ({
  call_records: s.DEMARC_KEEP_CALL_RECORDS,
  exports: s.DEMARC_KEEP_EXPORTS,
  order_documents: s.DEMARC_KEEP_ORDER_DOCUMENTS,
  notifications: s.DEMARC_KEEP_NOTIFICATIONS,
  closed_account_events: s.DEMARC_KEEP_CLOSED_ACCOUNTS,
})

/** Reads the settings of a call-record store alone: CLICKHOUSE_URL and those that go with it. Throws ConfigError with every error. */
export function readStore(s: Environment): NonNullable<Config['clickhouse']> {
  const parsed = settings.safeParse(s)
  const errors = [...issuesOf(parsed), ...clickhouseErrors(s)]
  const store = parsed.success && errors.length === 0 ? clickhouseOf(parsed.data) : null
  if (store === null) throw new ConfigError(errors)
  return store
}

/** The settings from the environment, without empty ones. */
type Environment = Record<string, string | undefined>

const issuesOf = ({ error }: Pick<ReturnType<typeof settings.safeParse>, 'error'>): string[] =>
  (error?.issues ?? []).map((i) => `${i.path[0]?.toString()} ${i.message}`)

const modeOf = (mode: string | undefined) => (mode === 'demo' || mode === 'production' ? mode : undefined)

/** Rejects unknown settings, because an ignored typo would be noticed too late. */
function unknownSettings(env: Record<string, string | undefined>): string[] {
  const ours = Object.keys(env).filter((k) => /^DEMARC_(?!TEST_)/.test(k) && !settingNames.has(k))
  return ours.map((k) => `${k} is an unknown setting`)
}

function fileErrors(s: Environment): string[] {
  if (s['S3_BUCKET'] !== undefined) return []
  const others = Object.keys(s).filter((name) => name.startsWith('S3_'))
  return [
    ...(others.length > 0 ? [`${others.join(', ')} set without S3_BUCKET: set it too, or unset them`] : []),
    ...(s['DEMARC_FILES'] === 's3' ? ['DEMARC_FILES is s3, which requires S3_BUCKET'] : []),
  ]
}

function fileSettingsOf(s: Settings): FileSettings {
  if (s.S3_BUCKET === undefined) return { store: 'local', s3: null }
  return {
    store: s.DEMARC_FILES ?? 's3',
    s3: {
      bucket: s.S3_BUCKET,
      endpoint: s.S3_ENDPOINT ?? null,
      region: s.S3_REGION,
      prefix: s.S3_PREFIX === '' ? '' : s.S3_PREFIX.replace(/\/?$/, '/'),
      path_style: s.S3_FORCE_PATH_STYLE === undefined ? s.S3_ENDPOINT !== undefined : s.S3_FORCE_PATH_STYLE === 'true',
      request_checksums: s.S3_REQUEST_CHECKSUMS,
      response_checksums: s.S3_RESPONSE_CHECKSUMS,
    },
  }
}

function secretsOf(s: Settings): Config['secrets'] {
  const { DEMARC_PEPPER: pepper, DEMARC_PEPPER_ACCEPTED: accepted_pepper = null, DEMARC_SEAL_KEYS: seal_keys } = s
  return pepper && seal_keys ? { pepper, accepted_pepper, seal_keys } : null
}

const openIdSettings = ['DEMARC_OPENID_ISSUER', 'DEMARC_OPENID_CLIENT_ID', 'DEMARC_OPENID_CLIENT_SECRET'] as const

function openIdErrors(s: Environment): string[] {
  const missing = openIdSettings.filter((name) => s[name] === undefined)
  if (missing.length === 0 || missing.length === openIdSettings.length) return []
  return [
    `${missing.join(' and ')} missing: an identity provider needs ${openIdSettings.join(', ')}. Set all three or none`,
  ]
}

function openIdOf(s: Settings): Config['openid'] {
  const { DEMARC_OPENID_ISSUER: issuer_url, DEMARC_OPENID_CLIENT_ID: client_id } = s
  const { DEMARC_OPENID_CLIENT_SECRET: client_secret, DEMARC_OPENID_NAME: name } = s
  if (issuer_url === undefined || client_id === undefined || client_secret === undefined) return null
  return { issuer: issuer_url, client_id, client_secret, name }
}

const databaseErrors = (s: Environment): string[] =>
  s['DATABASE_DIRECT_URL'] !== undefined && s['DATABASE_URL'] === undefined
    ? ['DATABASE_DIRECT_URL needs DATABASE_URL, which leads to the pooler']
    : []

/** Combinations that are not understood: nothing is guessed from the server. */
function clickhouseErrors(s: Environment): string[] {
  const { CLICKHOUSE_URL: url, CLICKHOUSE_MODE: mode, CLICKHOUSE_CLUSTER: cluster } = s
  if (url === undefined) {
    const others = Object.keys(s).filter((name) => name.startsWith('CLICKHOUSE_'))
    return others.length > 0 ? [`${others.join(', ')} set without CLICKHOUSE_URL: set it too, or unset them`] : []
  }
  const is_cluster = mode === 'cluster' || (mode === undefined && cluster !== undefined)
  return [
    ...(mode === 'cluster' && cluster === undefined
      ? ['CLICKHOUSE_MODE is cluster, which requires CLICKHOUSE_CLUSTER']
      : []),
    ...(!is_cluster && cluster !== undefined
      ? [`CLICKHOUSE_CLUSTER is set, but CLICKHOUSE_MODE is ${mode}: unset one`]
      : []),
    ...(!is_cluster && (mode ?? 'server') === 'server' && /,\s*https?:/.test(url)
      ? ['CLICKHOUSE_URL has several URLs, which one server cannot have: set CLICKHOUSE_CLUSTER or CLICKHOUSE_MODE']
      : []),
  ]
}

function clickhouseOf(s: Settings): Config['clickhouse'] {
  const { CLICKHOUSE_URL: urls, CLICKHOUSE_MODE: name, CLICKHOUSE_CLUSTER: cluster } = s
  if (urls === undefined) return null
  const mode: StoreMode =
    cluster !== undefined
      ? { name: 'cluster', cluster }
      : { name: name === undefined || name === 'cluster' ? 'server' : name }
  return { urls, mode, ca_file: s.CLICKHOUSE_CA_FILE ?? null }
}

const mailErrors = (s: Environment): string[] =>
  (s['SMTP_URL'] === undefined) === (s['DEMARC_MAIL_FROM'] === undefined)
    ? []
    : ['Email needs both SMTP_URL (the relay) and DEMARC_MAIL_FROM (the sender address)']

function demoErrors(s: Environment): string[] {
  const errors: string[] = []
  if (!loopback.test(s['DEMARC_HOST'] ?? '127.0.0.1'))
    errors.push(
      'DEMARC_HOST must be a loopback address in demo mode, because anyone on this machine can read the demo keys. To serve other machines, use `npm run serve`',
    )
  if ((s['DEMARC_PEPPER'] === undefined) !== (s['DEMARC_SEAL_KEYS'] === undefined))
    errors.push(
      'DEMARC_PEPPER and DEMARC_SEAL_KEYS go together: set both, or neither to generate them in the data folder',
    )
  if (s['DEMARC_PEPPER_ACCEPTED'] !== undefined && s['DEMARC_PEPPER'] === undefined)
    errors.push('DEMARC_PEPPER_ACCEPTED needs DEMARC_PEPPER')
  return errors
}

function productionErrors(s: Environment): string[] {
  const errors: string[] = []
  if (!s['DEMARC_PEPPER'])
    errors.push('DEMARC_PEPPER is required in production: at least 32 random characters, the same in every process')
  if (!s['DEMARC_SEAL_KEYS'])
    errors.push('DEMARC_SEAL_KEYS is required in production: `id:key` with a key of at least 32 random characters')
  if (s['DEMARC_EMBEDDED'] === 'allow') return errors
  if (!s['DATABASE_URL'])
    errors.push(
      'DATABASE_URL is required in production. To run on the embedded PostgreSQL instead, set DEMARC_EMBEDDED=allow',
    )
  if (!s['CLICKHOUSE_URL'])
    errors.push(
      'CLICKHOUSE_URL is required in production. To run on the embedded engine instead, set DEMARC_EMBEDDED=allow',
    )
  return errors
}
