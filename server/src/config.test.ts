import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { test } from 'node:test'
import { startTestServer } from '../test/support/server.ts'
import { createOperatorKey } from './accounts/index.ts'
import { ConfigError, readConfig } from './config.ts'
import { systemActor } from './platform/actor.ts'
import { inTransaction } from './platform/db.ts'
import { assertNoDemoKeys } from './start/demo.ts'

type Env = Record<string, string>

const secret = 'a-secret-of-thirty-two-characters'
/** The settings that production requires. */
const production: Env = {
  DEMARC_MODE: 'production',
  DEMARC_PEPPER: `pepper-${secret}`,
  DEMARC_SEAL_KEYS: `k1:${secret}`,
  DATABASE_URL: 'postgres://demarc:hunter2@db.example/demarc',
  CLICKHOUSE_URL: 'https://ch.example:8443',
}

/** The validation errors of these settings. */
function errorsOf(env: Env, demo = true): readonly string[] {
  try {
    readConfig(env, { demo })
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.errors
    throw error
  }
}

test('without settings, demo mode listens on this machine only', () => {
  const config = readConfig({}, { demo: true })
  assert.deepEqual(
    [config.mode, config.role, config.host, config.port, config.public_url, config.secrets, config.database_url],
    ['demo', 'all', '127.0.0.1', 8911, null, null, null],
  )
  assert.equal(config.data_dir, path.resolve('data'))
  assert.deepEqual(config.outbound_allow, ['127.0.0.0/8', '::1/128'])
})

test('production uses its settings and allows no private address by default', () => {
  const config = readConfig(
    {
      ...production,
      DEMARC_HOST: '0.0.0.0',
      DEMARC_SEAL_KEYS: `k2:${secret}2, k1:${secret}`,
      DEMARC_PUBLIC_URL: 'https://x.example/demarc/',
    },
    { demo: false },
  )
  assert.deepEqual(
    [config.mode, config.host, config.outbound_allow, config.requests_per_minute],
    ['production', '0.0.0.0', [], 6000],
  )
  assert.deepEqual(config.secrets, {
    pepper: `pepper-${secret}`,
    accepted_pepper: null,
    seal_keys: [
      { id: 'k2', key: `${secret}2` },
      { id: 'k1', key: secret },
    ],
  })
  assert.equal(config.public_url, 'https://x.example/demarc')
})

test('DEMARC_MODE overrides the start command, and an empty setting counts as unset', () => {
  assert.equal(readConfig(production, { demo: true }).mode, 'production')
  assert.equal(readConfig({ DEMARC_MODE: 'demo' }, { demo: false }).mode, 'demo')
  assert.equal(readConfig({ DEMARC_PORT: '', DEMARC_HOST: '', DEMARC_MODE: '' }, { demo: true }).port, 8911)
})

test('the age of call records that become files is a number of months or years', () => {
  const monthsOf = (CDR_COLD_AFTER: string) => readConfig({ CDR_COLD_AFTER }, { demo: true }).cold_after_months
  assert.deepEqual(['', '1 month', '13 months', '2 years'].map(monthsOf), [null, 1, 13, 24])
  for (const wrong of ['13', '0 months', '-1 months', '13months', '400 days', '1.5 years', 'months'])
    assert.throws(() => monthsOf(wrong), /CDR_COLD_AFTER must be a number of months or years, such as 13 months/, wrong)
})

test('the error for an invalid value names the setting', () => {
  const long = 'x'.repeat(32)
  const grid: [string, string[]][] = [
    ['DEMARC_PORT', ['-1', '65536', '80.5', '0x50', 'http', ' 80', '1e3']],
    [
      'DEMARC_PUBLIC_URL',
      ['x.example', 'ftp://x.example', 'http://', 'https://x/?a=b', 'https://x/#a', 'https://u:p@x.example'],
    ],
    ['DATABASE_URL', ['db.example', 'mysql://db.example/x', 'http://db.example']],
    ['CLICKHOUSE_URL', ['ch.example', 'tcp://ch.example', 'clickhouse://ch.example']],
    ['CLICKHOUSE_MODE', ['embedded', 'Cluster', 'replicated']],
    ['CLICKHOUSE_CLUSTER', ["it's", 'a b', '{cluster}']],
    ['DEMARC_MODE', ['test', 'Demo', 'prod']],
    ['DEMARC_ROLE', ['web', 'ALL']],
    ['DEMARC_EMBEDDED', ['yes', 'true']],
    [
      'DEMARC_OUTBOUND_ALLOW',
      ['everybody', '10.0.0.0/33', '10.0.0/8', 'fd00::/129', '10.0.0.0/8,,x', '::ffff:10.0.0.0/104'],
    ],
    ['DEMARC_TRUST_PROXY', ['loopback', '10.0.0.0-10.0.0.9', '10.0.0.0/8/8', 'fe80::1%eth0']],
    ['DEMARC_PEPPER', ['short', 'x'.repeat(31)]],
    [
      'DEMARC_SEAL_KEYS',
      [
        'short',
        long,
        `K1:${long}`,
        `k1:${long},k2:short`,
        `k1:${long},k1:${long}y`,
        `k1:${long}:more`,
        `:${long}`,
        `k1:${long},`,
      ],
    ],
    ['DEMARC_LOG_LEVEL', ['loud', 'INFO', 'trace']],
    ['DEMARC_REQUESTS_PER_MINUTE', ['0', '-1', 'many', '1000000001']],
    ['DEMARC_CONNECTIONS', ['15', '0', '1000001']],
    ['DEMARC_CONNECTIONS_PER_ADDRESS', ['3', '1000001']],
    ['DEMARC_BODY_LIMIT_BYTES', ['1023', '2MB', '1000000001']],
    ['DEMARC_DATABASE_CONNECTIONS', ['1', '501']],
    ['DEMARC_EXPORT_LIFE_HOURS', ['0', '8761', '1.5']],
    ['DEMARC_EXPORTS_AT_ONCE', ['0', '17']],
    ['DEMARC_PORT_PRICE', ['seven', '-1', '7,50', '1.23456', '1e3']],
    ['DEMARC_TIME_ZONE', ['Mars/Olympus', 'local', '+25:00']],
    ['DEMARC_HOST', ['0.0.0.0', '::', '192.0.2.1', '127.0.0.1.evil.example', 'localhost.example']],
  ]
  for (const [name, values] of grid)
    for (const value of values) {
      const messages = errorsOf({ [name]: value }).filter((error) => error.startsWith(`${name} `))
      assert.equal(messages.length >= 1, true, `${name}=${value} is rejected`)
    }
})

test('boundary values are accepted', () => {
  const grid: [string, string][] = [
    ['DEMARC_PORT', '0'],
    ['DEMARC_PORT', '65535'],
    ['DEMARC_HOST', '::1'],
    ['DEMARC_HOST', 'localhost'],
    ['DEMARC_HOST', '127.9.9.9'],
    ['DEMARC_OUTBOUND_ALLOW', ' 10.0.0.0/8 , fd00::/8,192.0.2.7, '],
    ['DEMARC_TRUST_PROXY', '10.0.0.1,fd00::1'],
    ['DEMARC_TIME_ZONE', 'UTC'],
    ['DATABASE_URL', 'postgresql://demarc@%2Frun%2Fpostgresql/demarc'],
    ['DEMARC_BODY_LIMIT_BYTES', '1024'],
  ]
  for (const [name, value] of grid) assert.deepEqual(errorsOf({ [name]: value }), [], `${name}=${value}`)
  assert.deepEqual(
    readConfig({ DEMARC_OUTBOUND_ALLOW: ' 10.0.0.0/8 , fd00::/8, ' }, { demo: true }).outbound_allow.slice(2),
    ['10.0.0.0/8', 'fd00::/8'],
  )
})

test('all errors are listed together: invalid values, unknown names, and settings that the mode requires', () => {
  const env = { DEMARC_PORT: 'x', DEMARC_ROLE: 'y', DEMARC_PROT: '1', DEMARC_TRUST_PROXY: 'a,b', S3_REGION: 'z' }
  assert.deepEqual(
    errorsOf(env, false).map((error) => error.split(' ')[0]),
    [
      'DEMARC_PORT',
      'DEMARC_ROLE',
      'DEMARC_TRUST_PROXY',
      'DEMARC_TRUST_PROXY',
      'DEMARC_PROT',
      'S3_REGION',
      'DEMARC_PEPPER',
      'DEMARC_SEAL_KEYS',
      'DATABASE_URL',
      'CLICKHOUSE_URL',
    ],
  )
})

test('production requires its secrets, and external engines unless embedded ones are allowed', () => {
  for (const name of ['DEMARC_PEPPER', 'DEMARC_SEAL_KEYS', 'DATABASE_URL', 'CLICKHOUSE_URL']) {
    const { [name]: _, ...rest } = production
    assert.match(errorsOf(rest, false).join('\n'), new RegExp(`^${name} is required in production[^\\n]*$`), name)
  }
  const { DATABASE_URL: _d, CLICKHOUSE_URL: _c, ...embedded } = production
  assert.equal(errorsOf(embedded, false).length, 2)
  assert.deepEqual(errorsOf({ ...embedded, DEMARC_EMBEDDED: 'allow' }, false), [])
  assert.deepEqual(errorsOf({ ...production, DEMARC_HOST: '0.0.0.0' }, false), [])
})

test('the mode of the call-record store is what the settings say, and contradictions are errors', () => {
  const url = 'https://u:hunter2@a.example:8443'
  const urls = `${url}, https://u:hunter2@b.example:8443`
  const modeOf = (env: Record<string, string>) => readConfig(env, { demo: true }).clickhouse
  assert.equal(modeOf({}), null)
  assert.deepEqual(modeOf({ CLICKHOUSE_URL: url }), { urls: [url], mode: { name: 'server' }, ca_file: null })
  const cluster = { urls: urls.split(', '), mode: { name: 'cluster', cluster: 'main' }, ca_file: '/ca.pem' }
  const env = { CLICKHOUSE_URL: urls, CLICKHOUSE_CLUSTER: 'main', CLICKHOUSE_CA_FILE: '/ca.pem' }
  assert.deepEqual(modeOf(env), cluster)
  assert.deepEqual(modeOf({ ...env, CLICKHOUSE_MODE: 'cluster' }), cluster)
  for (const name of ['replicated-database', 'cloud'] as const)
    assert.deepEqual(modeOf({ CLICKHOUSE_URL: url, CLICKHOUSE_MODE: name })?.mode, { name })
  for (const wrong of [
    { CLICKHOUSE_CLUSTER: 'main' },
    { CLICKHOUSE_MODE: 'cloud' },
    { CLICKHOUSE_CA_FILE: '/ca.pem' },
    { CLICKHOUSE_URL: url, CLICKHOUSE_MODE: 'cluster' },
    { CLICKHOUSE_URL: url, CLICKHOUSE_MODE: 'cloud', CLICKHOUSE_CLUSTER: 'main' },
    { CLICKHOUSE_URL: url, CLICKHOUSE_MODE: 'server', CLICKHOUSE_CLUSTER: 'main' },
    { CLICKHOUSE_URL: urls },
    { CLICKHOUSE_URL: urls, CLICKHOUSE_MODE: 'server' },
  ]) {
    const errors = errorsOf(wrong)
    assert.equal(errors.length, 1, JSON.stringify(wrong))
    assert.doesNotMatch(errors.join(), /hunter2/)
  }
})

test('demo mode takes both secrets or neither', () => {
  assert.equal(errorsOf({ DEMARC_PEPPER: `pepper-${secret}` }).length, 1)
  assert.equal(errorsOf({ DEMARC_SEAL_KEYS: `k1:${secret}` }).length, 1)
  const both = { DEMARC_PEPPER: `pepper-${secret}`, DEMARC_SEAL_KEYS: `k1:${secret}` }
  assert.ok(readConfig(both, { demo: true }).secrets)
})

test('an identity provider needs an issuer, client, secret, and TLS unless it is on this machine', () => {
  const complete = {
    DEMARC_OPENID_ISSUER: 'https://id.example',
    DEMARC_OPENID_CLIENT_ID: 'demarc',
    DEMARC_OPENID_CLIENT_SECRET: secret,
  }
  assert.deepEqual(readConfig(complete, { demo: true }).openid, {
    issuer: 'https://id.example',
    client_id: 'demarc',
    client_secret: secret,
    name: 'single sign-on',
  })
  for (const name of Object.keys(complete)) {
    const errors = errorsOf({ ...complete, [name]: '' })
    assert.ok(
      errors.some((each) => each.startsWith(`${name} missing`)),
      name,
    )
  }
  for (const [url, errors] of [
    ['http://127.0.0.1:8080', 0],
    ['http://localhost:8080', 0],
    ['http://[::1]:8080', 0],
    ['http://id.example', 1],
  ] as const)
    assert.equal(errorsOf({ ...complete, DEMARC_OPENID_ISSUER: url }).length, errors, url)
})

test('no error contains a secret', () => {
  const env = {
    DEMARC_PEPPER: 'hunter2',
    DEMARC_SEAL_KEYS: 'k1:hunter2',
    DATABASE_URL: 'mysql://u:hunter2@db.example/x',
    CLICKHOUSE_URL: 'tcp://u:hunter2@ch.example',
    DEMARC_PUBLIC_URL: 'https://u:hunter2@x.example',
  }
  const errors = errorsOf(env, false)
  assert.ok(errors.length >= 5)
  assert.doesNotMatch(errors.join('\n'), /hunter2/)
})

test('the process prints every error and exits with status 1', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(import.meta.dirname, 'main.ts')], {
    env: { PATH: process.env['PATH'], DEMARC_PORT: 'x', DEMARC_DATE: '/tmp' },
    encoding: 'utf8',
    timeout: 30_000,
  })
  assert.deepEqual([status, stdout], [1, ''])
  const [head, ...lines] = stderr.trimEnd().split('\n')
  assert.equal(head, 'Invalid settings:')
  assert.deepEqual(
    lines.slice(0, -1).map((line) => line.split(' ').slice(0, 4).join(' ')),
    [
      '  - DEMARC_PORT',
      '  - DEMARC_DATE',
      '  - DEMARC_PEPPER',
      '  - DEMARC_SEAL_KEYS',
      '  - DATABASE_URL',
      '  - CLICKHOUSE_URL',
    ],
  )
  assert.equal(lines.at(-1), 'See docs/operate/settings.md for every setting.')
})

test('production refuses to start on a demo database', async () => {
  const { runtime } = await startTestServer()
  await assertNoDemoKeys(runtime)
  await inTransaction(runtime.deps.db, (tx) =>
    createOperatorKey({ ...runtime.deps, tx, actor: systemActor('test', null) }, 'demo operator'),
  )
  await assert.rejects(assertNoDemoKeys(runtime), /demo data, and its keys are public/)
})

test('email needs both a relay and a sender', () => {
  const both = { SMTP_URL: 'smtps://user:password@mail.example', DEMARC_MAIL_FROM: 'notices@carrier.example' }
  assert.deepEqual(readConfig(both, { demo: true }).mail, { smtp_url: both.SMTP_URL, from: both.DEMARC_MAIL_FROM })
  assert.equal(readConfig({}, { demo: true }).mail, null)
  for (const [name, value] of Object.entries(both))
    assert.match(errorsOf({ [name]: value }).join(), /needs both SMTP_URL/)
})
