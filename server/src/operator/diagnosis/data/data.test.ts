import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { startTestServer } from '../../../../test/support/server.ts'
import { no_mount, resizeDisk, smallDisk } from '../../../../test/support/small-disk.ts'
import { createOperatorKey, demoOperatorName } from '../../../accounts/index.ts'
import { systemActor } from '../../../platform/actor.ts'
import { raiseAlert } from '../../../platform/alerts.ts'
import { inTransaction, openDatabase } from '../../../platform/db.ts'
import { probeBucket } from '../../../platform/files/index.ts'
import { enqueue } from '../../../platform/jobs.ts'
import { createReplicas } from '../../../platform/replicas.ts'
import { createVault } from '../../../platform/secrets.ts'
import * as web from '../web.ts'
import { checksOf, closedPort, httpServer, within } from '../testing/checks.ts'

/** What the checks of databases, files, and their contents find. The rules' other cases are in ../rules.test.ts. */

// without a call-record engine, for which nothing needs to wait
const server = await startTestServer({ overrides: { warehouse: { wait_ms: 1, failFast: true } } })
const { runtime } = server
const { deps, installation } = runtime
const { finds, passes } = checksOf(runtime)

test('late and failed jobs, alerts, and addresses without street data are found', async () => {
  await passes('jobs')
  const { db } = deps
  await enqueue(db, 'build', 'late', new Date(deps.clock.now().getTime() - 120_000))
  await finds('jobs', {}, 'failed', /overdue by 12\d s, and no worker/, /Start a worker/)
  await db.updateTable('job').set({ dead_at: new Date() }).where('key', '=', 'late').execute()
  await finds('jobs', {}, 'warning', /1 job has failed/, /job retry/)
  await db.deleteFrom('job').where('key', '=', 'late').execute()
  await passes('alerts')
  const alert = { kind: 'file-damaged', subject: 'a'.repeat(64), account_id: null, message: 'x', details: {} } as const
  await inTransaction(db, (tx) => raiseAlert({ ...deps, tx, actor: systemActor('test', null) }, alert))
  await finds('alerts', {}, 'failed', /1 alert/, /demarc alert list/)
  await passes('street_data')
  await server.account.client.createE911({ body: e911Body })
  await finds('street_data', {}, 'warning', /: 1 in WI\.$/, /demarc e911 import/)
})

const e911Body = {
  data: {
    type: 'e911',
    attributes: {
      label: 'Office',
      first_name: 'Rosa',
      last_name: 'Diaz',
      street_number: '100',
      street_name: 'N Main St',
      city: 'Friendship',
      state: 'WI',
      country: 'US',
      zip: '53934',
    },
  },
} as const

test('demo data in production is found', async () => {
  const production = { config: { mode: 'production' } } as const
  await passes('demo_keys', production)
  await inTransaction(deps.db, (tx) =>
    createOperatorKey({ ...deps, tx, actor: systemActor('test', null) }, demoOperatorName),
  )
  await finds('demo_keys', production, 'failed', /keys are public/, /DATABASE_URL/)
})

test('keys of another database, guessable keys, and unused keys are found', async () => {
  await passes('secret_keys')
  const { secrets } = installation
  const other = { ...secrets, seal_keys: [{ id: 'new', key: 'pX3vT9zqLw0RrN5sUuYg7HkMdB2cJ8fE' }] }
  const vault = createVault(other)
  const over = { deps: { vault }, installation: { ...installation, secrets: other } }
  await finds('secret_keys', over, 'failed', /lacks the key test/, /Add it/)
  const weak = { installation: { ...installation, secrets: { ...secrets, pepper: 'change-me-'.repeat(4) } } }
  await finds('secret_keys', weak, 'failed', /DEMARC_PEPPER is not random/, /openssl/)
  const both = createVault({ ...secrets, seal_keys: [...other.seal_keys, ...secrets.seal_keys] })
  const current = both.keys.find(({ id }) => id === 'new') ?? assert.fail()
  await deps.db
    .insertInto('secret_key')
    .values({
      kind: 'seal',
      id: 'new',
      fingerprint: current.fingerprint,
      current_since: new Date(),
      uses: null,
      counted_at: null,
    })
    .execute()
  await deps.db.updateTable('secret_key').set({ uses: {} }).where('id', '=', 'test').execute()
  await finds('secret_keys', { deps: { vault: both } }, 'warning', /seal test/, /Remove it from DEMARC_SEAL_KEYS/)
})

test('a folder that cannot be written, few open files, an unknown time zone, and a silent log are found', async () => {
  await passes('data_folder')
  await finds(
    'data_folder',
    { config: { data_dir: '/proc/demarc' } },
    'failed',
    /cannot write to \/proc\/demarc/,
    /chown/,
  )
  await finds(
    'open_files',
    { config: { connections: 1_000_000_000 } },
    'failed',
    /needs up to 1000000256/,
    /LimitNOFILE/,
  )
  await finds('time_zone', { config: { time_zone: 'Mars/Olympus' } }, 'failed', /Mars\/Olympus/, /tzdata/)
  await finds('log', { config: { log_level: 'silent' } }, 'warning', /log is off/, /DEMARC_LOG_LEVEL/)
  assert.equal(await web.queryNameServers([await closedPort()]), 'ECONNREFUSED')
})

test('a disk that is almost full or full is found, also by its number of files', async (t) => {
  const data_dir = await smallDisk(t, 63)
  if (data_dir === null) return t.skip(no_mount)
  const over = { config: { data_dir }, installation: { ...installation, folders: [data_dir] } }
  const files = () => Number(spawnSync('df', ['--output=iused', data_dir], { encoding: 'utf8' }).stdout.split('\n')[1])
  await finds('data_folder', over, 'failed', /^63 MiB are free .* about to fail/, /^Free space/)
  resizeDisk(data_dir, `nr_inodes=${files()}`)
  await finds('data_folder', over, 'failed', /is full \(ENOSPC\)/, /`df -i`/)
  resizeDisk(data_dir, 'size=4k,nr_inodes=9')
  await writeFile(path.join(data_dir, 'filling'), Buffer.alloc(4096))
  await finds('data_folder', over, 'failed', /is full \(ENOSPC\)/, /^Free space/)
})

test('sessions of the database with wrong settings are found, with the statements that fix them', async () => {
  const withOptions = (options: string) => {
    const { db, close } = openDatabase({
      connection: { connectionString: installation.database_url, options },
      direct: installation.database_url,
      log: deps.log,
    })
    after(close)
    return { deps: { db } }
  }
  await passes('database')
  await passes('database_settings')
  await finds('database', withOptions('-c default_transaction_read_only=on'), 'failed', /read-only/, /DATABASE_URL/)
  await finds('database', { isListening: () => false }, 'warning', /Notifications/, /DATABASE_DIRECT_URL/)
  const zone = withOptions('-c TimeZone=America/New_York -c lock_timeout=0')
  await finds('database_settings', zone, 'failed', /store incorrect data/, /TimeZone = 'UTC'; .*lock_timeout = '5s'/)
  const unlimited = withOptions('-c lock_timeout=0')
  await finds('database_settings', unlimited, 'warning', /lack limits/, /ALTER ROLE CURRENT_USER SET lock_timeout/)
})

test('too few connections, and migrations that are missing or newer, are found', async () => {
  await passes('database_connections')
  const greedy = { config: { database_connections: 500 } }
  await finds('database_connections', greedy, 'failed', /508 for each process/, /max_connections/)
  await passes('migrations')
  const rename = (from: string, to: string) =>
    sql`update schema_migration set name = ${to} where name = ${from}`.execute(deps.db)
  await rename('0019_cdr_migration.sql', '9999_later.sql')
  await finds('migrations', {}, 'failed', /lacks 0019_/, /migrates the database/)
  await rename('9999_later.sql', '0019_cdr_migration.sql')
})

test('a replica that is down, and a server that is no standby, are found', async () => {
  const at = (connection: string) => {
    const handle = openDatabase({ connection, log: deps.log })
    after(() => handle.close())
    return { replicas: createReplicas(runtime.database, [handle], { onRead: () => 0, onSkip: () => 0 }, deps.log) }
  }
  await passes('replicas')
  await finds('replicas', at(`postgres://u:p@${await closedPort()}/d`), 'failed', /replica1 .*not respond/, /Start it/)
  await finds('replicas', at(installation.database_url), 'failed', /not a standby/, /remove its URL/)
})

test('PostgreSQL over a network without verification is found', async () => {
  const over = { config: { database_url: 'postgres://u:p@db.internal/demarc?sslmode=require' } }
  await finds('database_tls', over, 'warning', /DATABASE_URL has sslmode=require/, /verify-full/)
})

test('ClickHouse of an old version, with a clock that is off, or unreachable, is found', async () => {
  const clickhouse = (version: string, ahead_ms = 0) =>
    httpServer((request, response) => {
      void text(request).then((body) => {
        const sql = `${new URL(request.url ?? '/', 'http://x').searchParams.get('query') ?? ''}${body}`
        if (sql.includes('now64')) return response.end(`${Date.now() + ahead_ms}\n`)
        if (sql.includes('version()')) return response.end(`${version}\n`)
        return response.end(sql.includes('cloud_mode') ? '0\n' : '')
      })
    })
  const at = (url: string) => ({
    installation: { ...installation, warehouse: { url } },
    config: { clickhouse: { urls: [url], mode: { name: 'server' as const }, ca_file: null } },
  })
  await passes('call_records', at(await clickhouse('26.7.2.1')))
  await finds('call_records', at(await clickhouse('23.8.1.1')), 'failed', /is version 23\.8/, /^Upgrade it/)
  await finds('call_records', at(await clickhouse('26.7.2.1', 90_000)), 'failed', /ClickHouse is 90 s ahead/, /set-ntp/)
})

test('a bucket without a permission, and a server whose clock is off, are found', async () => {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'test'
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'test'
  const s3 = { bucket: 'files', region: 'us-east-1', prefix: '', path_style: true } as const
  const checksums = { request_checksums: 'when_required', response_checksums: 'when_required' } as const
  const refusing = (method: string, date = new Date()) =>
    httpServer((request, response) => {
      void text(request).then(() => {
        response.setHeader('date', date.toUTCString())
        if (request.method !== method) return response.end()
        const denied = '<Error><Code>AccessDenied</Code><Message>secret</Message></Error>'
        return response.writeHead(403, { 'content-type': 'application/xml' }).end(denied)
      })
    })
  const at = (endpoint: string) =>
    ({ config: { files: { store: 's3', s3: { ...s3, ...checksums, endpoint } } } }) as const
  await passes('bucket')
  for (const [method, step, permission] of [
    ['PUT', 'put', /s3:PutObject/],
    ['DELETE', 'delete', /s3:DeleteObject/],
    ['GET', 'get', /s3:GetObject/],
  ] as const)
    await finds(
      'bucket',
      at(await refusing(method)),
      'failed',
      new RegExp(`${step} a file \\(AccessDenied`),
      permission,
    )
  const late = await refusing('DELETE', new Date(Date.now() - 1_000_000))
  const { clock } = await probeBucket({ ...s3, ...checksums, endpoint: late }, within())
  assert.ok(clock !== null && clock.sent - clock.theirs > 900_000)
  await finds('bucket', at(`http://${await closedPort()}`), 'failed', /put a file \(ECONNREFUSED\)/, /s3:PutObject/)
})
