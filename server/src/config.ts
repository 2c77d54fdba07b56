import { resolve } from 'node:path'
import { z } from 'zod'
import { isZone } from '@demarc/client'
import { cidrError } from './platform/outbound/index.ts'

/**
 * Nothing else reads the environment. Settings are read once at start, all errors are reported together, and the result is
 * passed down.
 * `docs/operate/settings.md` describes each setting; a test keeps the two in sync.
 */

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be between ${min} and ${max}`)

const url = (...protocols: string[]) =>
  z
    .string()
    .refine(
      (v) => URL.canParse(v) && protocols.includes(new URL(v).protocol),
      `must be a URL with ${protocols.join(' or ')}`,
    )

const publicUrl = url('http:', 'https:').refine(
  (v) => !URL.canParse(v) || !/[?#@]/.test(v),
  'must not have a user name, query, or fragment: paths are appended to it',
)

const loopback = /^(127\.\d+\.\d+\.\d+|localhost|::1)$/

const issuer = url('https:', 'http:').refine(
  (v) =>
    !URL.canParse(v) || new URL(v).protocol === 'https:' || loopback.test(new URL(v).hostname.replace(/[[\]]/g, '')),
  'must use https, unless it is on this machine',
)

const cidrs = z
  .string()
  .transform((v) =>
    v
      .split(',')
      .map((s) => s.trim())
      .filter((s) => s !== ''),
  )
  .check((c) => {
    for (const message of c.value.map(cidrError))
      if (message !== null)
        c.issues.push({ code: 'custom', message: `must be a list of address ranges: ${message}`, input: c.value })
  })

const sealKeys = z
  .string()
  .transform((v) => v.split(',').map((entry) => entry.trim().split(':')))
  .refine(
    (entries) =>
      entries.every(
        ([id = '', key = '', ...rest]) => /^[a-z0-9_-]{1,32}$/.test(id) && key.length >= 32 && rest.length === 0,
      ),
    'must be `id:key` with a key of at least 32 characters; separate several with commas',
  )
  .refine((entries) => new Set(entries.map(([id]) => id)).size === entries.length, 'must not repeat an id')
  .transform((entries) => entries.map(([id = '', key = '']) => ({ id, key })))

const mailAddress = z.string().regex(/^[^\s@<>,;"]{1,64}@[^\s@<>,;"]{1,255}$/, 'must be an email address')

const onOrOff = z.enum(['on', 'off'], 'must be on or off').default('off')

const settings = z.object({
  DEMARC_DATA: z.string().min(1).default('./data'),
  DEMARC_HOST: z.string().min(1).default('127.0.0.1'),
  DEMARC_PORT: integer(0, 65_535).default(8911),
  DEMARC_PUBLIC_URL: publicUrl.optional(),
  DATABASE_URL: url('postgres:', 'postgresql:').optional(),
  CLICKHOUSE_URL: url('http:', 'https:').optional(),
  DEMARC_MODE: z.enum(['demo', 'production'], 'must be demo or production').optional(),
  DEMARC_ROLE: z.enum(['all', 'api', 'worker'], 'must be all, api, or worker').default('all'),
  DEMARC_EMBEDDED: z.enum(['allow', 'refuse'], 'must be allow or refuse').default('refuse'),
  DEMARC_OUTBOUND_ALLOW: cidrs.default([]),
  DEMARC_PEPPER: z.string().min(32, 'must have at least 32 characters').optional(),
  DEMARC_SEAL_KEYS: sealKeys.optional(),
  DEMARC_LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'], 'must be debug, info, warn, error, or silent')
    .default('info'),
  E911_MIN_LEVEL: z
    .enum(['auto', 'postal', 'street', 'range', 'address'], 'must be auto, postal, street, range, or address')
    .default('auto'),
  DEMARC_LOST_URL: url('http:', 'https:').optional(),
  DEMARC_CENSUS_URL: url('http:', 'https:').optional(),
  DEMARC_HELD_SERVER: onOrOff,
  DEMARC_LOST_SERVER: onOrOff,
  DEMARC_REQUESTS_PER_MINUTE: integer(1, 1_000_000_000).optional(),
  DEMARC_CONNECTIONS: integer(16, 1_000_000).default(10_000),
  DEMARC_CONNECTIONS_PER_ADDRESS: integer(4, 1_000_000).optional(),
  DEMARC_BODY_LIMIT_BYTES: integer(1024, 1_000_000_000).default(2_097_152),
  DEMARC_DATABASE_CONNECTIONS: integer(2, 500).default(10),
  DEMARC_QUEUE_MS: integer(10, 60_000).default(1_000),
  DEMARC_STORAGE_LIMIT_BYTES: integer(1_048_576, 100_000_000_000_000).default(21_474_836_480),
  DEMARC_EXPORT_LIFE_HOURS: integer(1, 8_760).default(72),
  DEMARC_EXPORTS_AT_ONCE: integer(1, 16).default(2),
  DEMARC_CARRIER_NAME: z.string().trim().min(1).max(100).default('Demarc Telephone'),
  DEMARC_PORT_PRICE: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,4})?$/, 'must be an amount in dollars such as 7.50')
    .default('7.50'),
  DEMARC_UNSIGNED_NUMBERS: integer(1, 1_000_000_000).default(250_000),
  DEMARC_OPENID_ISSUER: issuer.optional(),
  DEMARC_OPENID_CLIENT_ID: z.string().min(1).max(200).optional(),
  DEMARC_OPENID_CLIENT_SECRET: z.string().min(1).max(500).optional(),
  DEMARC_OPENID_NAME: z.string().trim().min(1).max(50).default('single sign-on'),
  SMTP_URL: url('smtp:', 'smtps:').optional(),
  DEMARC_MAIL_FROM: mailAddress.optional(),
  DEMARC_TRUST_PROXY: cidrs.default([]),
  DEMARC_TIME_ZONE: z
    .string()
    .refine(isZone, 'must be an IANA time zone such as America/Los_Angeles')
    .default('America/Los_Angeles'),
})

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
  clickhouse_url: string | null
  outbound_allow: string[]
  /** Null in demo mode, which may keep them in the data folder. */
  secrets: { pepper: string; seal_keys: { id: string; key: string }[] } | null
  /** The required validation level of emergency addresses, and the URLs of remote validators, if any. */
  e911: {
    min_level: 'auto' | 'postal' | 'street' | 'range' | 'address'
    lost_url: string | null
    census_url: string | null
  }
  /** The next-generation 911 protocols that this service answers. */
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
  /** The gaining carrier's name in Letters of Agency. */
  carrier_name: string
  /** Price of porting one number, in dollars. */
  port_price: string
  /** Limit for one account's numbers on unsigned port orders. */
  unsigned_numbers: number
  /** The identity provider that people sign in with, if any. */
  openid: { issuer: string; client_id: string; client_secret: string; name: string } | null
  trust_proxy: string[]
  /** The email relay and sender address; null if no email is sent. */
  mail: { smtp_url: string; from: string } | null
  /** The service's time zone, which defines "the morning of the completion day". */
  time_zone: string
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
  const given = Object.fromEntries(Object.entries(env).filter(([k, v]) => settingNames.has(k) && v !== ''))
  const parsed = settings.safeParse(given)
  const mode = modeOf(given['DEMARC_MODE']) ?? (options.demo ? 'demo' : 'production')
  const errors = [
    ...(parsed.error?.issues ?? []).map((i) => `${i.path[0]?.toString()} ${i.message}`),
    ...unknownSettings(env),
    ...unsupportedSettings(env),
    ...openIdErrors(given),
    ...mailErrors(given),
    ...(mode === 'demo' ? demoErrors(given) : productionErrors(given)),
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
    clickhouse_url: s.CLICKHOUSE_URL ?? null,
    // an integrator's webhook endpoint runs on the same machine
    outbound_allow: mode === 'demo' ? ['127.0.0.0/8', '::1/128', ...s.DEMARC_OUTBOUND_ALLOW] : s.DEMARC_OUTBOUND_ALLOW,
    secrets: s.DEMARC_PEPPER && s.DEMARC_SEAL_KEYS ? { pepper: s.DEMARC_PEPPER, seal_keys: s.DEMARC_SEAL_KEYS } : null,
    e911: {
      min_level: s.E911_MIN_LEVEL,
      lost_url: s.DEMARC_LOST_URL ?? null,
      census_url: s.DEMARC_CENSUS_URL ?? null,
    },
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
    carrier_name: s.DEMARC_CARRIER_NAME,
    port_price: s.DEMARC_PORT_PRICE,
    unsigned_numbers: s.DEMARC_UNSIGNED_NUMBERS,
    openid: openIdOf(s),
    trust_proxy: s.DEMARC_TRUST_PROXY,
    mail: s.SMTP_URL && s.DEMARC_MAIL_FROM ? { smtp_url: s.SMTP_URL, from: s.DEMARC_MAIL_FROM } : null,
    time_zone: s.DEMARC_TIME_ZONE,
  }
}

/** The settings from the environment, without empty ones. */
type Given = Record<string, string | undefined>

const modeOf = (given: string | undefined) => (given === 'demo' || given === 'production' ? given : undefined)

/** Rejects unknown settings, because an ignored typo would be noticed too late. */
function unknownSettings(env: Record<string, string | undefined>): string[] {
  const ours = Object.keys(env).filter(
    (k) => k.startsWith('DEMARC_') && !k.startsWith('DEMARC_TEST_') && !settingNames.has(k),
  )
  return ours.map((k) => `${k} is an unknown setting`)
}

function unsupportedSettings(env: Record<string, string | undefined>): string[] {
  return Object.keys(env).some((k) => k === 'S3_ENDPOINT' || k === 'S3_BUCKET')
    ? ['S3_ENDPOINT and S3_BUCKET are not supported: files are stored in DEMARC_DATA. Unset them']
    : []
}

const openIdSettings = ['DEMARC_OPENID_ISSUER', 'DEMARC_OPENID_CLIENT_ID', 'DEMARC_OPENID_CLIENT_SECRET'] as const

function openIdErrors(s: Given): string[] {
  const missing = openIdSettings.filter((name) => s[name] === undefined)
  if (missing.length === 0 || missing.length === openIdSettings.length) return []
  return [
    `${missing.join(' and ')} missing: an identity provider needs ${openIdSettings.join(', ')}. Set all three or none`,
  ]
}

function openIdOf(s: z.output<typeof settings>): Config['openid'] {
  const { DEMARC_OPENID_ISSUER: issuer_url, DEMARC_OPENID_CLIENT_ID: client_id } = s
  const { DEMARC_OPENID_CLIENT_SECRET: client_secret, DEMARC_OPENID_NAME: name } = s
  if (issuer_url === undefined || client_id === undefined || client_secret === undefined) return null
  return { issuer: issuer_url, client_id, client_secret, name }
}

const mailErrors = (s: Given): string[] =>
  (s['SMTP_URL'] === undefined) === (s['DEMARC_MAIL_FROM'] === undefined)
    ? []
    : ['Email needs both SMTP_URL (the relay) and DEMARC_MAIL_FROM (the sender address)']

function demoErrors(s: Given): string[] {
  const errors: string[] = []
  if (!loopback.test(s['DEMARC_HOST'] ?? '127.0.0.1'))
    errors.push(
      'DEMARC_HOST must be a loopback address in demo mode, because anyone on this machine can read the demo keys. To serve other machines, use `npm run serve`',
    )
  if ((s['DEMARC_PEPPER'] === undefined) !== (s['DEMARC_SEAL_KEYS'] === undefined))
    errors.push(
      'DEMARC_PEPPER and DEMARC_SEAL_KEYS go together: set both, or neither to generate them in the data folder',
    )
  return errors
}

function productionErrors(s: Given): string[] {
  const errors: string[] = []
  if (!s['DEMARC_PEPPER'])
    errors.push(
      'DEMARC_PEPPER is required in production: at least 32 random characters, the same in every process, never changed',
    )
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
