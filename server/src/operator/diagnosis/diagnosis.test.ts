import assert from 'node:assert/strict'
import { createServer as createTlsServer } from 'node:https'
import { after, test } from 'node:test'
import { inspect } from 'node:util'
import { createDemarcClient } from '@demarc/client'
import { invited } from '../../../test/support/people.ts'
import { startTestServer } from '../../../test/support/server.ts'
import { buildApp } from '../../app.ts'
import { openDatabase } from '../../platform/db.ts'
import { createLinks } from '../../platform/links.ts'
import { selfSigned } from '../../platform/outbound/testing/self-signed.ts'
import { createMetrics } from '../../platform/metrics.ts'
import { checks, limit_ms, reads_database, type CheckName } from './checks.ts'
import { diagnose } from './run.ts'
import * as web from './web.ts'
import { checksOf, closedPort, httpServer, portOf, relay, within } from './testing/checks.ts'

/** The operation, and what the checks of the web side find. The rules' other cases are in rules.test.ts. */

// without a call-record engine, for which nothing needs to wait
const server = await startTestServer({ overrides: { warehouse: { wait_ms: 1, failFast: true } } })
const { runtime } = server
const { deps, installation } = runtime
const { probesWith, finds, passes } = checksOf(runtime)

test('the operation returns every check with its page, and another caller gets the same run', async () => {
  const [one, other] = await Promise.all([server.operator.diagnose(), server.operator.diagnose()])
  assert.deepEqual(one.body, other.body)
  const found = one.body.data.checks
  assert.deepEqual(new Set(found.map(({ check }) => check)), new Set(Object.keys(checks)))
  for (const { check, docs } of found) assert.equal(docs, checks[check as CheckName].docs)
  // the tests have no call-record engine, and its check comes first because it failed
  assert.deepEqual([found[0]?.check, found[0]?.result], ['call_records', 'failed'])
})

test('a check without a response, and one that throws, fail on their own', async () => {
  const found = await diagnose(
    {
      ...probesWith({}),
      mail: () => new Promise(() => undefined),
      bucket: () => Promise.reject(Object.assign(new Error('password=hunter2'), { code: 'EHOSTUNREACH' })),
      call_records: () => ({ result: 'ok', details: 'fine', remedy: null }),
    },
    deps.log,
  )
  const by_name = Object.fromEntries(found.map(({ check, result, details }) => [check, `${result}: ${details}`]))
  assert.equal(by_name['mail'], `failed: No response within ${limit_ms / 1000} s.`)
  assert.equal(by_name['bucket'], 'failed: No connection (EHOSTUNREACH).')
  assert.match(by_name['alerts'] ?? '', /^ok/)
})

test('a database that cannot be used is one finding, and the checks that need it refer to it', async () => {
  const database = openDatabase({ connection: `postgres://u:p@${await closedPort()}/d`, log: deps.log })
  after(() => database.close())
  const found = await diagnose(probesWith({ deps: { db: database.db } }), deps.log)
  const failures = found.filter(({ result }) => result === 'failed')
  assert.deepEqual(
    failures.map(({ check, details }) => `${check}: ${details}`),
    ['database: No connection (ECONNREFUSED).'],
  )
  const referring = found.filter(({ remedy }) => remedy === 'See the check database.').map(({ check }) => check)
  // the tests have neither a replica nor a relay to check, nor settings of a server for the pooler
  const without = ['pooler', 'replicas', 'database']
  assert.deepEqual(referring.toSorted(), reads_database.filter((check) => !without.includes(check)).toSorted())
})

test('neither the results nor the log contain secrets', async () => {
  const secret = 'Xq7vTe2mW9'
  const at = await closedPort()
  const database = openDatabase({ connection: `postgres://u:${secret}@${at}/d`, log: deps.log })
  after(() => database.close())
  const url = `postgres://demarc:${secret}@${at}/demarc?sslmode=disable`
  const failing = probesWith({
    installation: { ...installation, database_url: url, warehouse: { url: `http://u:${secret}@${at}` } },
    deps: { db: database.db },
    config: {
      mode: 'production',
      database_url: url,
      database_replica_urls: [url.replace('127.0.0.1', 'db.internal')],
      clickhouse: { urls: [`http://u:${secret}@${at}`], mode: { name: 'server' }, ca_file: null },
      mail: { smtp_url: `smtp://u:${secret}@${at}`, from: 'demarc@carrier.example' },
      public_url: `https://${at}`,
    },
  })
  const logged: string[] = []
  const found = await diagnose(failing, {
    ...deps.log,
    warn: (fields) => void logged.push(inspect(fields, { depth: 9 })),
  })
  assert.ok(logged.length > 5)
  assert.ok(found.filter(({ result }) => result !== 'ok').length > 10)
  const written = JSON.stringify(found) + logged.join('\n')
  for (const each of [
    secret,
    installation.secrets.pepper,
    ...installation.secrets.seal_keys.map(({ key }) => `${key}`),
  ])
    assert.ok(!written.includes(each), written)
})

test('a public URL that reaches another server is told from this one', async () => {
  const { links } = deps
  const redirecting = await httpServer((_, response) => response.writeHead(301, { location: server.base_url }).end())
  const website = await httpServer((_, response) => response.end('<h1>Welcome</h1>'))
  const others = createLinks({ keys: ['the pepper of another installation'] })
  assert.deepEqual(await web.reach(server.base_url, links, within()), { kind: 'this' })
  assert.deepEqual(await web.reach(server.base_url, others, within()), { kind: 'other' })
  assert.deepEqual(await web.reach(website, links, within()), { kind: 'not-demarc', status: 200 })
  assert.deepEqual(await web.reach(redirecting, links, within()), { kind: 'redirect', to: server.base_url })
  const nothing = await web.reach(`https://${await closedPort()}`, links, within())
  assert.deepEqual(nothing, { kind: 'unreachable', code: 'ECONNREFUSED' })
  await finds('public_url', { config: { mode: 'production' } }, 'failed', /not set/, /Set DEMARC_PUBLIC_URL/)
})

test('a certificate that is expired or not trusted is found', async () => {
  const urlWith = async (years: number) =>
    `https://127.0.0.1:${await portOf(createTlsServer(selfSigned('x', { years })))}`
  const [untrusted, expired] = [await urlWith(5), await urlWith(-1)]
  const at = (public_url: string) => ({ config: { mode: 'production', public_url } }) as const
  await finds('certificate', at(untrusted), 'failed', /DEPTH_ZERO_SELF_SIGNED_CERT/, /NODE_EXTRA_CA_CERTS/)
  await finds('certificate', at(expired), 'failed', /expired on/, /Renew/)
  await finds('certificate', at(`https://${await closedPort()}`), 'warning', /No TLS connection/, /public_url/)
})

test('a proxy that lends its key to readers of the metrics is found', async () => {
  const lax = await httpServer((_, response) => response.end('demarc_jobs_due 0\n'))
  const at = (public_url: string) => ({ config: { mode: 'production', public_url } }) as const
  await finds('metrics', at(lax), 'failed', /Anyone/, /proxy/)
  await passes('metrics', at(await httpServer((_, response) => response.writeHead(401).end())))
})

test('requests through a proxy that is not trusted are counted', async () => {
  const app = await buildApp({ ...runtime, metrics: createMetrics() })
  after(() => app.close())
  const base_url = await app.listen({ host: '127.0.0.1', port: 0 })
  const headers = { 'x-forwarded-for': '198.51.100.1' }
  for (let i = 0; i < 5; i += 1) await (await fetch(`${base_url}/health/live`, { headers })).text()
  const client = createDemarcClient({ base_url, credentials: server.operator_credentials, retry: false })
  const { data } = (await client.diagnose()).body
  const seen = data.checks.find(({ check }) => check === 'proxy')
  assert.equal(seen?.result, 'failed')
  assert.match(seen.details, /^5 of 6 requests came through a proxy at 127.0.0.1/)
  assert.match(seen.remedy ?? '', /DEMARC_TRUST_PROXY=127.0.0.1\/32/)
})

test('a relay that is missing, unreachable, or refuses the password or the sender is found, without a message', async () => {
  const from = 'demarc@carrier.example'
  const through = (smtp_url: string) => ({ config: { mail: { smtp_url, from } } })
  const senders: string[] = []
  const refusing = (responseCode: number) => Object.assign(new Error('no'), { responseCode })
  const open = await relay({
    onMailFrom({ address }, _session, callback) {
      senders.push(address)
      callback()
    },
    onData: () => assert.fail('a message was sent'),
  })
  const strict = await relay({ onMailFrom: (_address, _session, callback) => callback(refusing(553)) })
  const guarded = await relay({
    allowInsecureAuth: true,
    onAuth: (_auth, _session, callback) => callback(refusing(535)),
  })
  await passes('mail', through(`smtp://${open}`))
  assert.deepEqual(new Set(senders), new Set([from]))
  await finds(
    'mail',
    through(`smtp://${strict}`),
    'failed',
    /demarc@carrier.example \(status 553\)/,
    /DEMARC_MAIL_FROM/,
  )
  await finds('mail', through(`smtp://u:p@${guarded}`), 'failed', /user or password \(status 535\)/, /SMTP_URL/)
  await finds('mail', through(`smtp://${await closedPort()}`), 'failed', /cannot be used/, /SMTP_URL/)
  await invited(server, 'new@harbor.example', { account_id: server.account.id, role: 'owner' })
  await finds('mail', {}, 'warning', /1 open invitation/, /SMTP_URL/)
})

test('a relay that offers, refuses, or needs TLS in the wrong way is found', async () => {
  const through = (smtp_url: string) => ({ config: { mail: { smtp_url, from: 'demarc@carrier.example' } } })
  const signed = selfSigned('relay.example', { years: 5 })
  const [plain, starttls, tls] = [await relay({}), await relay(signed), await relay({ ...signed, secure: true })]
  const untrusted = [/not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/, /NODE_EXTRA_CA_CERTS/] as const
  await finds('mail', through(`smtp://${starttls}`), 'failed', ...untrusted)
  await finds('mail', through(`smtps://${tls}`), 'failed', ...untrusted)
  const expired = await relay(selfSigned('relay.example', { years: -1 }))
  await finds('mail', through(`smtp://${expired}`), 'failed', /\(CERT_HAS_EXPIRED\)/, /valid certificate/)
  await finds('mail', through(`smtp://${plain}?requireTLS=true`), 'failed', /refused STARTTLS \(status 500\)/, /smtps:/)
  await finds(
    'mail',
    through(`smtps://${plain}`),
    'failed',
    /does not start TLS/,
    /smtp:\/\/… for a port with STARTTLS/,
  )
})
