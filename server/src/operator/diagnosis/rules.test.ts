import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as data from './data/rules.ts'
import type { Finding } from './checks.ts'
import * as rules from './rules.ts'

/** Each rule with its inputs, the result, and what the details and the remedy must contain. */
type Case = readonly [
  finding: Finding | readonly Finding[],
  result: Finding['result'],
  details?: RegExp,
  remedy?: RegExp,
]

function grid(name: string, cases: readonly Case[]): void {
  test(name, () => {
    for (const [found, result, details = /./, remedy] of cases) {
      const [finding, ...others] = [found].flat()
      const text = JSON.stringify(found)
      assert.deepEqual([finding?.result, others.length], [result, 0], text)
      assert.match(finding?.details ?? '', details)
      if (result === 'ok') assert.equal(finding?.remedy, null, text)
      else assert.match(finding?.remedy ?? '', remedy ?? /\w/)
    }
  })
}

const url = 'https://api.carrier.example'
const reached = (kind: rules.Reached) => rules.publicUrl(url, 'production', kind)
grid('the public URL must be https, and reach this installation', [
  [rules.publicUrl(null, 'demo', null), 'ok'],
  [rules.publicUrl('http://127.0.0.1:8911', 'demo', null), 'ok'],
  [rules.publicUrl(null, 'production', null), 'failed', /not set/, /Set DEMARC_PUBLIC_URL/],
  [rules.publicUrl('http://[::1]:8911', 'production', null), 'failed', /Only this machine/],
  [rules.publicUrl('http://api.carrier.example', 'production', null), 'failed', /no TLS/],
  [reached({ kind: 'this' }), 'ok'],
  [reached({ kind: 'other' }), 'failed', /another Demarc/, /DNS record/],
  [reached({ kind: 'not-demarc', status: 200 }), 'failed', /not Demarc \(status 200\)/],
  [reached({ kind: 'redirect', to: 'https://www.carrier.example' }), 'failed', /redirects to https:\/\/www/],
  [reached({ kind: 'unreachable', code: 'ENOTFOUND' }), 'failed', /unknown/, /DNS/],
  [reached({ kind: 'unreachable', code: 'ECONNREFUSED' }), 'failed', /Nothing listens/, /proxy/],
  [reached({ kind: 'unreachable', code: 'CERT_HAS_EXPIRED' }), 'failed', /TLS/, /certificate/],
  [reached({ kind: 'unreachable', code: 'ETIMEDOUT' }), 'warning', /Customers may/, /from outside/],
])

const now = new Date('2026-11-25T00:00:00Z')
const until = (day: string, error: string | null = null) =>
  rules.certificate(url, { error, expires_at: new Date(`${day}T00:00:00Z`) }, now)
grid('a certificate must be trusted, and valid for three weeks', [
  [rules.certificate(null, null, now), 'ok'],
  [rules.certificate('http://carrier.example', null, now), 'ok'],
  [rules.certificate(url, null, now), 'warning', /No TLS connection/],
  [until('2027-02-01'), 'ok', /2027-02-01/],
  [until('2026-12-16'), 'ok'],
  [until('2026-12-15'), 'warning', /expires on 2026-12-15, within 20 days/, /Renew/],
  [rules.certificate(url, { error: null, expires_at: new Date(now.getTime() + 1) }, now), 'warning', /within a day/],
  [until('2026-11-24'), 'failed', /expired on 2026-11-24/],
  [until('2027-02-01', 'DEPTH_ZERO_SELF_SIGNED_CERT'), 'failed', /SELF_SIGNED/, /NODE_EXTRA_CA_CERTS/],
])

grid('most requests through an unknown address are a proxy', [
  [rules.proxy({ requests: 10, forwarded: 0, peer: null }), 'ok'],
  [rules.proxy({ requests: 10, forwarded: 4, peer: '198.51.100.7' }), 'ok'],
  [
    rules.proxy({ requests: 10, forwarded: 5, peer: '10.0.0.5' }),
    'failed',
    /5 of 10/,
    /DEMARC_TRUST_PROXY=10.0.0.5\/32/,
  ],
  [rules.proxy({ requests: 1, forwarded: 1, peer: 'fd00::5' }), 'failed', /fd00::5/, /=fd00::5\/128/],
  [rules.metrics('refused'), 'ok'],
  [rules.metrics('public'), 'failed', /Anyone/, /proxy/],
  [rules.metrics('unreachable'), 'warning', /cannot be reached/, /public_url/],
])

const relay = (state: Parameters<typeof rules.mail>[1], host = 'relay.example') =>
  rules.mail({ host, from: 'demarc@carrier.example' }, state, 0)
const accepted = (is_encrypted: boolean, signs_in: boolean) => ({ kind: 'accepted', is_encrypted, signs_in }) as const
grid('the relay must accept the sender over an encrypted connection', [
  [rules.mail(null, null, 0), 'ok'],
  [rules.mail(null, null, 1), 'warning', /1 open invitation was/, /SMTP_URL/],
  [rules.mail(null, null, 2), 'warning', /2 open invitations were/],
  [relay(accepted(true, true)), 'ok'],
  [relay(accepted(false, false), 'localhost'), 'ok'],
  [relay(accepted(false, false)), 'warning', /STARTTLS/, /smtps/],
  [relay(accepted(false, true)), 'failed', /password/],
  [relay({ kind: 'sign-in-refused', status: 535 }), 'failed', /535/, /SMTP_URL/],
  [
    relay({ kind: 'sender-refused', status: 553 }),
    'failed',
    /demarc@carrier.example \(status 553\)/,
    /DEMARC_MAIL_FROM/,
  ],
  [relay({ kind: 'unreachable', code: 'ECONNREFUSED' }), 'failed', /ECONNREFUSED/, /firewall/],
  [
    relay({ kind: 'unreachable', code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
    'failed',
    /not trusted/,
    /NODE_EXTRA_CA_CERTS/,
  ],
  [relay({ kind: 'unreachable', code: 'ERR_SSL_WRONG_VERSION_NUMBER' }), 'failed', /does not start TLS/, /smtp:/],
  [relay({ kind: 'starttls-refused', status: 454 }), 'failed', /refused STARTTLS \(status 454\)/, /smtps:/],
  [relay({ kind: 'starttls-refused', status: null }), 'failed', /refused STARTTLS, so/],
])

const clock = (theirs: number, resolution_ms = 0) =>
  rules.clock('PostgreSQL', { theirs, sent: 1_000_000, arrived: 1_000_400, resolution_ms })
grid('clocks may differ by two seconds besides the time of the request', [
  [clock(1_000_200), 'ok'],
  [clock(998_000), 'ok'],
  [clock(997_900), 'warning', /2 s behind/, /timedatectl/],
  [clock(997_900, 1_000), 'ok'],
  [clock(1_002_401), 'warning', /2 s ahead/],
  [clock(1_061_000), 'failed', /61 s ahead/],
])

grid('a name server, open files, and the log', [
  [rules.dns(null), 'ok'],
  [rules.dns('ENOTFOUND'), 'ok'],
  [rules.dns('ECONNREFUSED'), 'failed', /ECONNREFUSED/, /resolv.conf/],
  [rules.dns('ETIMEOUT'), 'failed'],
  [rules.openFiles(null, 10_000), 'ok'],
  [rules.openFiles(Infinity, 10_000), 'ok'],
  [rules.openFiles(10_256, 10_000), 'ok'],
  [rules.openFiles(1_024, 10_000), 'failed', /1024 files/, /LimitNOFILE=65536.*DEMARC_CONNECTIONS to 768/],
  [rules.log('info'), 'ok'],
  [rules.log('silent'), 'warning', /log is off/, /DEMARC_LOG_LEVEL/],
])

const tls = (sslmode: string, ...hosts: string[]) => data.databaseTls([{ setting: 'DATABASE_URL', hosts, sslmode }])
grid('a connection to PostgreSQL over a network must verify the server', [
  [data.databaseTls([]), 'ok'],
  [tls('prefer', '/run/postgresql', 'localhost', '127.0.0.1', '::1'), 'ok'],
  [tls('verify-full', 'db.internal'), 'ok'],
  [tls('prefer', 'localhost', 'db.internal'), 'warning', /sslmode=prefer: passwords/, /sslmode=verify-full/],
  [tls('require', 'db.internal'), 'warning', /pose as PostgreSQL/],
])

const sessions = (over: Partial<data.Sessions> = {}, pool: { pool_size?: number; is_pooled?: boolean } = {}) =>
  data.connections(
    { max: 100, reserved: 3, role_limit: -1, processes: 2, others: 5, ...over },
    { pool_size: 10, is_pooled: false, ...pool },
  )
grid('the server must have room for the connections of every process', [
  [sessions(), 'ok', /36 connections are needed \(18 for each process\), and 92 are available/],
  [sessions({ processes: 0 }), 'ok', /18/],
  [sessions({ processes: 6 }), 'failed', /108/, /max_connections = 134/],
  [sessions({ processes: 6 }, { is_pooled: true }), 'ok', /12/],
  [sessions({ role_limit: 20 }), 'failed', /20 are available/, /CONNECTION LIMIT 36/],
  [sessions({}, { pool_size: 60 }), 'failed', /136/, /DEMARC_DATABASE_CONNECTIONS/],
])

grid('replicas, migrations, and the settings of sessions', [
  [data.replicas([]), 'ok'],
  [data.replicas([{ name: 'replica1', lag_s: 5 }]), 'ok'],
  [data.replicas([{ name: 'replica1', lag_s: 6 }]), 'warning', /6 s behind/, /pg_stat_replication/],
  [data.replicas([{ name: 'replica2', lag_s: Infinity }]), 'failed', /replica2/, /Start it/],
  [data.migrations({ pending: [], newer: [] }), 'ok'],
  [data.migrations({ pending: ['0020_x.sql'], newer: [] }), 'failed', /0020_x/, /Start/],
  [data.migrations({ pending: [], newer: ['0099_y.sql'] }), 'warning', /0099_y/, /Upgrade/],
  [data.databaseSettings({ unsafe: [], limits: [] }), 'ok'],
  [
    data.databaseSettings({ unsafe: ['ALTER A'], limits: ['ALTER B'] }),
    'failed',
    /incorrect data/,
    /run: ALTER A; ALTER B\./,
  ],
  [data.databaseSettings({ unsafe: [], limits: ['ALTER B'] }), 'warning', /limits/, /ALTER B/],
  [data.database({ read_only: false, is_listening: true }), 'ok'],
  [data.database({ read_only: true, is_listening: true }), 'failed', /read-only/, /target_session_attrs/],
  [data.database({ read_only: false, is_listening: false }), 'warning', /Notifications/, /DATABASE_DIRECT_URL/],
  [data.timeZone('America/Denver', true), 'ok'],
  [data.timeZone('America/Coyhaique', false), 'failed', /Coyhaique/, /tzdata/],
])

const probed = (step: 'put' | 'get' | 'list' | 'delete') =>
  data.bucket({ failed: { step, code: 'AccessDenied' }, aborts_uploads: 'unknown' })
const folder = (code: string | null, free_gib: number) =>
  data.dataFolder('/var/lib/demarc', { code, free_bytes: free_gib * 1024 ** 3 })
grid('the bucket and the data folder', [
  [data.bucket({ failed: null, aborts_uploads: true }), 'ok'],
  [data.bucket({ failed: null, aborts_uploads: 'unknown' }), 'ok'],
  [data.bucket({ failed: null, aborts_uploads: false }), 'warning', /multipart/, /AbortIncompleteMultipartUpload/],
  [probed('put'), 'failed', /put a file \(AccessDenied\)/, /s3:PutObject/],
  [probed('get'), 'failed', /get/, /s3:GetObject/],
  [probed('list'), 'failed', /list/, /s3:ListBucket/],
  [probed('delete'), 'failed', /delete/, /s3:DeleteObject/],
  [folder(null, 5), 'ok'],
  [folder(null, 4.9), 'warning', /4.9 GiB/, /S3_BUCKET/],
  [folder(null, 0.05), 'failed', /^51 MiB .*about to fail/],
  [folder('ENOSPC', 0), 'failed', /is full \(ENOSPC\)/, /^Free space.* `df -i`/],
  [folder('EROFS', 0), 'failed', /\/var\/lib\/demarc \(EROFS\)/, /chown -R/],
])

const keys = (over: Partial<data.SecretKeys>) =>
  data.secretKeys({ problem: null, weak: [], unused: [], ...over }, 'Restore the key.')
const dataset = (age_days: number) => ({ name: 'tiger', age_days })
const wisconsin = { state: 'WI', addresses: 12 }
grid('keys, street data, jobs, alerts, and demo data', [
  [keys({}), 'ok'],
  [keys({ problem: 'DEMARC_PEPPER is not the one. Restore it.' }), 'failed', /not the one/, /^Restore it\.$/],
  [keys({ weak: ['DEMARC_PEPPER'] }), 'failed', /not random/, /openssl rand/],
  [keys({ unused: [{ key: 'seal k1', setting: 'DEMARC_SEAL_KEYS' }] }), 'warning', /seal k1/, /from DEMARC_SEAL_KEYS/],
  [data.streetData({ remotes: 0, missing: [], datasets: [dataset(400)] }), 'ok'],
  [data.streetData({ remotes: 0, missing: [wisconsin], datasets: [] }), 'warning', /: 12 in WI\.$/, /import/],
  [data.streetData({ remotes: 1, missing: [wisconsin], datasets: [] }), 'ok'],
  [data.streetData({ remotes: 0, missing: [], datasets: [dataset(401)] }), 'warning', /tiger is 401 days/, /newest/],
  [data.jobs({ late_s: 59, running: false, dead: 0 }), 'ok'],
  [data.jobs({ late_s: 61, running: true, dead: 0 }), 'warning', /61 s/, /another worker/],
  [data.jobs({ late_s: 61, running: false, dead: 0 }), 'failed', /no worker/, /Start a worker/],
  [data.jobs({ late_s: 0, running: false, dead: 2 }), 'warning', /2 jobs have/, /demarc job retry/],
  [data.alerts(0), 'ok'],
  [data.alerts(1), 'failed', /1 alert is/, /demarc alert list/],
  [data.demoKeys('demo', true), 'ok'],
  [data.demoKeys('production', false), 'ok'],
  [data.demoKeys('production', true), 'failed', /public/, /DATABASE_URL/],
])

test('a guessable secret is weak, a random one is not', () => {
  for (const weak of [
    'a'.repeat(40),
    '0123'.repeat(10),
    'change-me-to-thirty-two-characters',
    'PasswordPasswordPassword12345',
  ])
    assert.equal(data.isWeak(weak), true, weak)
  for (const strong of ['pX3vT9zqLw0RrN5sUuYg7HkMdB2cJ8fE', '8f3a91c05d7e42b6a1f09c8d7e6b5a43'])
    assert.equal(data.isWeak(strong), false, strong)
})

test('a message that refuses a start is split into what is wrong and what to do', () => {
  const cases: readonly [message: string, details: string, remedy: string][] = [
    [
      'DATABASE_URL leads to a pooler in transaction mode. Set DATABASE_DIRECT_URL to the server. See docs/operate/postgresql.md.',
      'DATABASE_URL leads to a pooler in transaction mode.',
      'Set DATABASE_DIRECT_URL to the server.',
    ],
    [
      'The database in DATABASE_URL cannot be used. Its host is unknown.',
      'The database in DATABASE_URL cannot be used. Its host is unknown.',
      'otherwise',
    ],
    [
      'ClickHouse at http://a is version 23.8, but Demarc needs 24.8 or newer: upgrade it. See docs/operate/call-records.md.',
      'ClickHouse at http://a is version 23.8, but Demarc needs 24.8 or newer.',
      'Upgrade it.',
    ],
  ]
  for (const [message, details, remedy] of cases)
    assert.deepEqual(data.refusal(message, 'otherwise'), { result: 'failed', details, remedy })
})
