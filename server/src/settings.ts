import { z } from 'zod'
import { isZone } from '@demarc/client'
import { cidrError } from './platform/outbound/index.ts'
import { databaseUrlError } from './platform/postgres/database-url.ts'
import { parsePairs, samplerNames } from './platform/traces/settings.ts'

/** The settings of the environment, each with its rule and default. `docs/operate/settings.md` describes them; a test keeps the two in sync. */

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

/** One or several hosts, which `URL` rejects. */
const databaseUrl = z.string().check((c) => {
  const message = databaseUrlError(c.value)
  // the value has a password
  if (message !== null) c.issues.push({ code: 'custom', message, input: undefined })
})

/** Separated by commas; a comma within a URL separates its hosts. */
const databaseUrls = z
  .string()
  .transform((v) => v.split(/,\s*(?=postgres(?:ql)?:)/))
  .check((c) => {
    for (const message of c.value.map(databaseUrlError))
      if (message !== null) c.issues.push({ code: 'custom', message, input: undefined })
  })

/** One or several URLs, separated by commas. A comma within a URL belongs to it. */
const storeUrls = z
  .string()
  .transform((v) => v.split(/,\s*(?=[a-z]+:\/\/)/))
  .check((c) => {
    const ok = c.value.every((each) => URL.canParse(each) && /^https?:$/.test(new URL(each).protocol))
    // the value has a password
    if (!ok) c.issues.push({ code: 'custom', message: 'must be a URL with http: or https:', input: undefined })
  })

const publicUrl = url('http:', 'https:').refine(
  (v) => !URL.canParse(v) || !/[?#@]/.test(v),
  'must not have a user name, query, or fragment: paths are appended to it',
)

export const loopback = /^(127\.\d+\.\d+\.\d+|localhost|::1)$/

const issuer = url('https:', 'http:').refine(
  (v) =>
    !URL.canParse(v) || new URL(v).protocol === 'https:' || loopback.test(new URL(v).hostname.replace(/[[\]]/g, '')),
  'must use https, unless it is on this machine',
)

const commaSeparated = z.string().transform((v) =>
  v
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== ''),
)

const cidrs = commaSeparated.check((c) => {
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

const domains = commaSeparated.refine(
  (list) => list.every((each) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(each)),
  'must be a list of lower-case domains such as carrier.example',
)

/** In months. */
const age = z
  .string()
  .regex(/^[1-9]\d{0,2} (months?|years?)$/, 'must be a number of months or years, such as 13 months')
  .transform((v) => Number.parseInt(v, 10) * (v.includes('year') ? 12 : 1))

/** How long something is kept; null: forever. `least_months`: what the law asks for. */
const kept = (fallback: string | null, least_months = 0) =>
  z
    .string()
    .regex(
      /^([1-9]\d{0,2} (days?|months?|years?)|forever)$/,
      'must be a period such as 90 days, 24 months, 7 years, or forever',
    )
    .refine(
      (v) => least_months === 0 || monthsOf(v) >= least_months,
      `must be at least ${least_months} months, in months or years, or forever`,
    )
    .transform((v) => (v === 'forever' ? null : v))
    .default(fallback)

const monthsOf = (period: string): number => {
  if (period === 'forever') return Number.POSITIVE_INFINITY
  return period.includes('day') ? 0 : Number.parseInt(period, 10) * (period.includes('year') ? 12 : 1)
}

const onOrOff = z.enum(['on', 'off'], 'must be on or off').default('off')

const checksums = z
  .enum(['when_supported', 'when_required'], 'must be when_supported or when_required')
  .default('when_supported')

/** `name=value` pairs, as the specification of OpenTelemetry has them. The values may be secret. */
const pairs = (value: RegExp) =>
  z.string().transform((text, c) => {
    const read = parsePairs(text)
    if (read !== null && Object.values(read).every((each) => value.test(each))) return read
    const message = 'must be name=value pairs separated by commas, with percent-encoded values'
    c.issues.push({ code: 'custom', message, input: undefined })
    return z.NEVER
  })

const milliseconds = integer(1, 3_600_000)

export const settings = z.object({
  DEMARC_DATA: z.string().min(1).default('./data'),
  DEMARC_HOST: z.string().min(1).default('127.0.0.1'),
  DEMARC_PORT: integer(0, 65_535).default(8911),
  DEMARC_PUBLIC_URL: publicUrl.optional(),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_REPLICA_URL: databaseUrls.default([]),
  DATABASE_DIRECT_URL: databaseUrl.optional(),
  DEMARC_PREPARED_STATEMENTS: z.enum(['on', 'off'], 'must be on or off').default('on'),
  CLICKHOUSE_URL: storeUrls.optional(),
  CLICKHOUSE_MODE: z
    .enum(
      ['server', 'cluster', 'replicated-database', 'cloud'],
      'must be server, cluster, replicated-database, or cloud',
    )
    .optional(),
  CLICKHOUSE_CLUSTER: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'must be the name of a cluster: letters, digits, dots, hyphens, and underscores')
    .optional(),
  CLICKHOUSE_CA_FILE: z.string().min(1).optional(),
  DEMARC_FILES: z.enum(['local', 's3'], 'must be local or s3').optional(),
  S3_BUCKET: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/, 'must be the name of a bucket, without a URL or path')
    .optional(),
  S3_ENDPOINT: publicUrl.optional(),
  S3_REGION: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be a region such as us-east-1')
    .default('us-east-1'),
  S3_PREFIX: z
    .string()
    .regex(/^([\w.-]+\/)*[\w.-]+\/?$/, 'must be a path such as demarc/ without a slash at its beginning')
    .max(500)
    .default(''),
  S3_FORCE_PATH_STYLE: z.enum(['true', 'false'], 'must be true or false').optional(),
  S3_REQUEST_CHECKSUMS: checksums,
  S3_RESPONSE_CHECKSUMS: checksums,
  DEMARC_MODE: z.enum(['demo', 'production'], 'must be demo or production').optional(),
  DEMARC_ROLE: z.enum(['all', 'api', 'worker'], 'must be all, api, or worker').default('all'),
  DEMARC_EMBEDDED: z.enum(['allow', 'refuse'], 'must be allow or refuse').default('refuse'),
  DEMARC_OUTBOUND_ALLOW: cidrs.default([]),
  DEMARC_PEPPER: z.string().min(32, 'must have at least 32 characters').optional(),
  DEMARC_PEPPER_ACCEPTED: z.string().min(32, 'must have at least 32 characters').optional(),
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
  CDR_COLD_AFTER: age.optional(),
  DEMARC_KEEP_CALL_RECORDS: kept(null, 18),
  DEMARC_KEEP_EXPORTS: kept('24 months'),
  DEMARC_KEEP_ORDER_DOCUMENTS: kept('36 months', 24),
  DEMARC_KEEP_NOTIFICATIONS: kept('13 months'),
  DEMARC_KEEP_CLOSED_ACCOUNTS: kept('7 years'),
  DEMARC_CARRIER_NAME: z.string().trim().min(1).max(100).default('Demarc Telephone'),
  DEMARC_PORT_PRICE: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,4})?$/, 'must be an amount in dollars such as 7.50')
    .default('7.50'),
  DEMARC_AGING_DAYS: integer(0, 3_650).default(45),
  DEMARC_AGING_TOLLFREE_DAYS: integer(0, 3_650).default(120),
  DEMARC_INVENTORY_LOW_BELOW: integer(0, 1_000_000).default(50),
  DEMARC_UNSIGNED_NUMBERS: integer(1, 1_000_000_000).default(250_000),
  DEMARC_OPENID_ISSUER: issuer.optional(),
  DEMARC_OPENID_CLIENT_ID: z.string().min(1).max(200).optional(),
  DEMARC_OPENID_CLIENT_SECRET: z.string().min(1).max(500).optional(),
  DEMARC_OPENID_NAME: z.string().trim().min(1).max(50).default('single sign-on'),
  SMTP_URL: url('smtp:', 'smtps:').optional(),
  DEMARC_MAIL_FROM: mailAddress.optional(),
  DEMARC_OPERATOR_DOMAINS: domains.default([]),
  DEMARC_TRUST_PROXY: cidrs.default([]),
  DEMARC_TIME_ZONE: z
    .string()
    .refine(isZone, 'must be an IANA time zone such as America/Los_Angeles')
    .default('America/Los_Angeles'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http:', 'https:').optional(),
  OTEL_EXPORTER_OTLP_HEADERS: pairs(/^[\x20-\x7e]*$/).default({}),
  OTEL_EXPORTER_OTLP_TIMEOUT: milliseconds.default(10_000),
  OTEL_SERVICE_NAME: z.string().min(1).optional(),
  OTEL_RESOURCE_ATTRIBUTES: pairs(/^/).default({}),
  OTEL_TRACES_SAMPLER: z
    .enum(samplerNames, `must be one of ${samplerNames.join(', ')}`)
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .transform(Number)
    .refine((n) => n >= 0 && n <= 1, 'must be a number from 0 to 1')
    .default(1),
  OTEL_BSP_SCHEDULE_DELAY: milliseconds.default(5_000),
  OTEL_BSP_EXPORT_TIMEOUT: milliseconds.default(30_000),
  OTEL_BSP_MAX_QUEUE_SIZE: integer(1, 1_000_000).default(2_048),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: integer(1, 1_000_000).default(512),
  OTEL_SDK_DISABLED: z.enum(['true', 'false'], 'must be true or false').default('false'),
})

export type Settings = z.output<typeof settings>
