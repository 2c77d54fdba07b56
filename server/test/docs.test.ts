import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { cdrFilters, cdrs, operations, problems, type Operation } from '@demarc/client'
import { ConfigError, readConfig } from '../src/config.ts'
import { schedule_ms } from '../src/notifications/rules.ts'
import { checks } from '../src/operator/diagnosis/checks.ts'
import { FAILURE_CODES } from '../src/platform/outbound/failures.ts'

/** The documentation is consistent with the code, and with itself. */

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const pages = globSync('**/*.md', { cwd: root, exclude: ['**/node_modules/**', 'data/**'] })

/** The text without fenced blocks, which contain examples. */
const prose = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '')

/** A heading's anchor, as GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const anchorsOf = (file: string) =>
  new Set([...prose(read(file)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)))

/** First cells of a table's rows that are code: `| \`name\` | …`. */
const namesIn = (text: string) =>
  [...text.matchAll(/^\| ((?:`[^`]+`(?:, )?)+)[^|]*\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  )

const section = (file: string, heading: string) => read(file).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''

test('every link within the repository has a target', () => {
  const dead = pages.flatMap((file) =>
    [...prose(read(file)).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [to = '', anchor] = target.split('#', 2)
        const found = to === '' ? file : path.normalize(path.join(path.dirname(file), to))
        if (!existsSync(path.join(root, found))) return true
        return anchor !== undefined && !anchorsOf(found).has(anchor)
      })
      .map((target) => `${file}: ${target}`),
  )
  assert.deepEqual(dead, [])
})

test('every page in docs is reachable from its index', () => {
  const seen = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file) || !file.endsWith('.md')) return
    seen.add(file)
    for (const [, target = ''] of prose(read(file)).matchAll(/\]\(([^)\s#]+)/g))
      if (!/^[a-z]+:/.test(target)) visit(path.normalize(path.join(path.dirname(file), target)))
  }
  visit('docs/README.md')
  const unlinked = pages.filter((file) => file.startsWith('docs/') && !seen.has(file))
  assert.deepEqual(unlinked, [])
})

test('the checks of an installation are the ones of their page, and each links to a page', () => {
  assert.deepEqual(namesIn(section('docs/operate/doctor.md', 'The checks')).toSorted(), Object.keys(checks).toSorted())
  const dead = Object.values(checks).filter(({ docs }) => {
    const [file = '', anchor] = docs.split('#')
    return !pages.includes(file) || (anchor !== undefined && !anchorsOf(file).has(anchor))
  })
  assert.deepEqual(dead, [])
})

test('every path in a recipe’s list of touched files exists', () => {
  const touched = ['CONTRIBUTING.md', 'ARCHITECTURE.md'].flatMap((file) =>
    [...read(file).matchAll(/^\*Files touched\*: (.+)$/gm)].flatMap(([, line = '']) =>
      [...line.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    ),
  )
  assert.ok(touched.length > 20)
  const missing = touched.filter((name) => !existsSync(path.join(root, name)))
  assert.deepEqual(missing, [])
})

test('every path that a page names exists', () => {
  const files = globSync('**/*', { cwd: root, exclude: ['**/node_modules/**', 'data/**', 'portal/dist/**'] })
  const top = new Set(files.map((file) => file.split('/')[0] ?? ''))
  // created by npm, or while the service runs
  const made = /^(data|node_modules|portal\/dist)(\/|$)/
  const isPath = (text: string) =>
    /^[\w.@{},*-]+(\/[\w.@{},*-]+)+\/?$/.test(text) &&
    (top.has(text.split('/')[0] ?? '') || /\.(tsx?|sql|json|md)$/.test(text)) &&
    !made.test(text)
  const exists = (name: string, page: string) => {
    // from the root, from the page, or the end of a path
    const names = [name, path.join(path.dirname(page), name), `**/${name}`].map((each) =>
      path.normalize(each).replace(/\/$/, ''),
    )
    return files.some((file) => names.some((each) => file === each || path.matchesGlob(file, each)))
  }
  const missing = pages
    .filter((page) => page !== 'CHANGELOG.md')
    .flatMap((page) =>
      [...prose(read(page)).matchAll(/`([^`\s]+)`/g)]
        .map(([, name = '']) => name)
        .filter((name) => isPath(name) && !exists(name, page))
        .map((name) => `${page}: ${name}`),
    )
  assert.deepEqual(missing, [])
})

test('every problem type has a page, every page a type, and both agree', () => {
  const types = Object.keys(problems).toSorted()
  const documented = pages.filter((file) => file.startsWith('docs/problems/')).map((file) => path.basename(file, '.md'))
  assert.deepEqual(documented.toSorted(), types)
  for (const [type, { status, title }] of Object.entries(problems)) {
    const page = read(`docs/problems/${type}.md`)
    const head = `# \`${type}\`\n\n**HTTP status** ${status} · **Title** ${title === null ? 'none' : `\`${title}\``}\n`
    assert.ok(page.startsWith(head), `docs/problems/${type}.md begins with\n${head}`)
    const example = /^```json\n(.*)\n```$/m.exec(page)?.[1] ?? ''
    const { errors } = JSON.parse(example) as { errors: { status: number; title?: string }[] }
    const [first] = errors
    assert.equal(first?.title ?? null, title, type)
    assert.equal(first?.status, type === 'duplicate-address' ? 400 : status, type)
    const row = `| ${status} | ${title ?? 'none'} | [${type}](../problems/${type}.md) |`
    assert.ok(read('docs/guide/errors.md').includes(row), `docs/guide/errors.md has the row ${row}`)
  }
})

/** An invalid value for each setting that has one. */
const badValues: Record<string, string> = {
  DEMARC_MODE: 'test',
  DEMARC_ROLE: 'web',
  DEMARC_HOST: '0.0.0.0',
  DEMARC_PORT: '70000',
  DEMARC_PUBLIC_URL: 'ftp://x',
  DATABASE_URL: 'mysql://x',
  DATABASE_REPLICA_URL: 'mysql://x',
  DATABASE_DIRECT_URL: 'mysql://x',
  DEMARC_PREPARED_STATEMENTS: 'yes',
  CLICKHOUSE_URL: 'tcp://x',
  CLICKHOUSE_MODE: 'embedded',
  CLICKHOUSE_CLUSTER: 'a b',
  S3_BUCKET: 's3://files',
  S3_ENDPOINT: 's3.example',
  S3_REGION: 'us east',
  S3_PREFIX: '/files',
  S3_FORCE_PATH_STYLE: 'yes',
  S3_REQUEST_CHECKSUMS: 'never',
  S3_RESPONSE_CHECKSUMS: 'never',
  DEMARC_FILES: 'disk',
  DEMARC_EMBEDDED: 'yes',
  DEMARC_PEPPER: 'short',
  DEMARC_PEPPER_ACCEPTED: 'short',
  DEMARC_SEAL_KEYS: 'short',
  DEMARC_OPENID_ISSUER: 'ftp://x',
  DEMARC_TRUST_PROXY: 'everybody',
  DEMARC_OUTBOUND_ALLOW: 'everybody',
  SMTP_URL: 'mail.example',
  DEMARC_MAIL_FROM: 'nobody',
  DEMARC_OPERATOR_DOMAINS: 'carrier',
  DEMARC_REQUESTS_PER_MINUTE: '0',
  DEMARC_CONNECTIONS: '15',
  DEMARC_CONNECTIONS_PER_ADDRESS: '3',
  DEMARC_BODY_LIMIT_BYTES: '1',
  DEMARC_DATABASE_CONNECTIONS: '1',
  DEMARC_QUEUE_MS: '9',
  DEMARC_STORAGE_LIMIT_BYTES: '1000',
  DEMARC_EXPORT_LIFE_HOURS: '0',
  DEMARC_EXPORTS_AT_ONCE: '17',
  CDR_COLD_AFTER: '13',
  DEMARC_KEEP_CALL_RECORDS: '17 months',
  DEMARC_KEEP_EXPORTS: '13',
  DEMARC_KEEP_ORDER_DOCUMENTS: '900 days',
  DEMARC_KEEP_NOTIFICATIONS: 'never',
  DEMARC_KEEP_CLOSED_ACCOUNTS: '0 years',
  DEMARC_UNSIGNED_NUMBERS: '0',
  DEMARC_AGING_DAYS: '9999',
  DEMARC_AGING_TOLLFREE_DAYS: '9999',
  DEMARC_INVENTORY_LOW_BELOW: '1000001',
  DEMARC_PORT_PRICE: 'seven',
  E911_MIN_LEVEL: 'roof',
  DEMARC_LOST_URL: 'lost.example',
  DEMARC_CENSUS_URL: 'census.example',
  DEMARC_HELD_SERVER: 'yes',
  DEMARC_LOST_SERVER: 'maybe',
  DEMARC_TIME_ZONE: 'Mars/Olympus',
  DEMARC_LOG_LEVEL: 'loud',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization',
  OTEL_EXPORTER_OTLP_TIMEOUT: '0',
  OTEL_RESOURCE_ATTRIBUTES: 'production',
  OTEL_TRACES_SAMPLER: 'sometimes',
  OTEL_TRACES_SAMPLER_ARG: '2',
  OTEL_BSP_SCHEDULE_DELAY: '0',
  OTEL_BSP_EXPORT_TIMEOUT: '0',
  OTEL_BSP_MAX_QUEUE_SIZE: '0',
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '0',
  OTEL_SDK_DISABLED: 'yes',
}

function errorsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env, { demo: true })
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.errors
    throw error
  }
}

const settingRows = () =>
  new Map(
    [...read('docs/operate/settings.md').matchAll(/^\| `([A-Z0-9_]+)` \| (.+) \| (.+) \| (.+) \|$/gm)].map(
      ([, name = '', fallback = '', , error = '']) => [name, { fallback, error }],
    ),
  )

test('the settings page has exactly the settings of the code', () => {
  const inCode = [...read('server/src/settings.ts').matchAll(/^ {2}([A-Z][A-Z0-9]+_[A-Z_]+):/gm)]
  assert.deepEqual([...settingRows().keys()].toSorted(), inCode.map(([, name = '']) => name).toSorted())
})

test('the settings page has the service’s error for an invalid value', () => {
  for (const [name, { error }] of settingRows()) {
    const bad = badValues[name]
    if (bad === undefined) assert.equal(error, '—', `${name} accepts any value`)
    else {
      const messages = errorsOf({ [name]: bad }).filter((each) => each.startsWith(`${name} `))
      assert.ok(
        messages.some((each) => each.includes(error)),
        `${name}: the page has "${error}", the service ${JSON.stringify(messages)}`,
      )
    }
  }
})

test('the settings page has the defaults', () => {
  const config = readConfig({}, { demo: true })
  const defaults: Record<string, string | number> = {
    DEMARC_ROLE: config.role,
    DEMARC_HOST: config.host,
    DEMARC_PORT: config.port,
    DEMARC_REQUESTS_PER_MINUTE: config.requests_per_minute,
    DEMARC_CONNECTIONS: config.connections,
    DEMARC_CONNECTIONS_PER_ADDRESS: config.connections_per_address,
    DEMARC_BODY_LIMIT_BYTES: config.body_limit_bytes,
    DEMARC_DATABASE_CONNECTIONS: config.database_connections,
    DEMARC_QUEUE_MS: config.queue_ms,
    DEMARC_EXPORT_LIFE_HOURS: config.export_life_h,
    DEMARC_KEEP_CALL_RECORDS: config.periods.call_records ?? 'forever',
    DEMARC_KEEP_EXPORTS: config.periods.exports ?? '',
    DEMARC_KEEP_ORDER_DOCUMENTS: config.periods.order_documents ?? '',
    DEMARC_EXPORTS_AT_ONCE: config.exports_at_once,
    DEMARC_CARRIER_NAME: config.carrier_name,
    DEMARC_PORT_PRICE: config.port_price,
    DEMARC_UNSIGNED_NUMBERS: config.unsigned_numbers,
    DEMARC_AGING_DAYS: config.aging_days.longcode,
    DEMARC_AGING_TOLLFREE_DAYS: config.aging_days.tollfree,
    DEMARC_INVENTORY_LOW_BELOW: config.inventory_low_below,
    DEMARC_TIME_ZONE: config.time_zone,
    DEMARC_LOG_LEVEL: config.log_level,
  }
  for (const [name, value] of Object.entries(defaults)) {
    const documented = settingRows().get(name)?.fallback ?? ''
    assert.ok(documented.includes(`\`${value}\``), `${name}: the default is ${value}, the page has ${documented}`)
  }
})

test('the guide to exports has every filter and every column, in the order of the file', () => {
  const guide = 'docs/guide/call-record-exports.md'
  assert.deepEqual(namesIn(section(guide, 'Filters')).toSorted(), Object.keys(cdrFilters.shape).toSorted())
  assert.deepEqual(
    namesIn(section(guide, 'The file')).filter((name) => !['inbound', 'outbound'].includes(name)),
    [...cdrs.exportColumns],
  )
})

test('the migration page marks exactly the missing features as Not here', () => {
  const nameless = (method: string, path: string) => `${method} ${path.replace(/:\w+|\{\w+\}/g, ':')}`
  const known = new Set(
    Object.values<Operation>(operations).flatMap(({ method, path, aliases = [] }) =>
      [path, ...aliases].map((each) => nameless(method, each)),
    ),
  )
  const table = section('docs/guide/coming-from-another-carrier.md', 'Operation by operation')
  const rows = [...table.matchAll(/^\| (`.+?) \| (.+) \|$/gm)]
  assert.ok(rows.length > 30)
  for (const [, cell = '', here = ''] of rows)
    for (const [, method = '', path = ''] of cell.matchAll(/`([A-Z]+) ([^`]+)`/g))
      assert.equal(known.has(nameless(method, path)), !here.startsWith('Not here'), `${method} ${path}`)
})

test('the page on notifications has the schedule and every failure code', () => {
  const page = read('docs/operate/notifications.md')
  const attempts = [...section('docs/operate/notifications.md', 'The schedule').matchAll(/^\| (\d+) \| (.+?) \|/gm)]
  assert.deepEqual(
    attempts.map(([, , wait = '']) => wait),
    schedule_ms.map(inWords),
  )
  assert.deepEqual(
    FAILURE_CODES.filter((code) => !page.includes(`\`${code}\``)),
    [],
  )
})

function inWords(ms: number): string {
  if (ms === 0) return 'none'
  const [n, unit] =
    ms >= 3_600_000 ? [ms / 3_600_000, 'hours'] : ms >= 60_000 ? [ms / 60_000, 'minutes'] : [ms / 1000, 'seconds']
  return `${n} ${unit}`
}

test('the README gives the test command in its own block', () => {
  assert.match(read('README.md'), /^```sh\nnpm ci && npm test\n```$/m)
})
