import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type ServerOptions } from 'node:https'
import os from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import type { SMTPServerOptions } from 'smtp-server'
import { createAuthority, createCertificate } from '../../test/support/certificates.ts'
import { testDatabase } from '../../test/support/database.ts'
import { eventually } from '../../test/support/eventually.ts'
import { freePort } from '../../../acceptance/support/free-port.ts'
import { startReplicated } from '../../test/support/replica.ts'
import { hasEnded, newFolder, removeFolder, spawnService } from '../../test/support/service.ts'
import { no_mount, resizeDisk, smallDisk } from '../../test/support/small-disk.ts'
import { atEnd, openFolder } from '../../test/support/starters.ts'
import { portOf, relay } from '../operator/diagnosis/testing/checks.ts'
import { silentLog } from '../platform/postgres/log.ts'
import { prepareDatabase } from './database.ts'

test('--doctor checks an installation whose service cannot start, and changes nothing', async (t) => {
  const folder = await newFolder()
  atEnd(t, () => removeFolder(folder))
  const database = await testDatabase(undefined, { migrated: false })
  const secrets = { DEMARC_PEPPER: 'change-me-'.repeat(4), DEMARC_SEAL_KEYS: 'k1:pX3vT9zqLw0RrN5sUuYg7HkMdB2cJ8fE' }
  const { child, output } = spawnService(folder, {
    args: ['--doctor'],
    env: {
      ...secrets,
      DATABASE_URL: database.url,
      CLICKHOUSE_URL: `http://u:hunter2@127.0.0.1:${await freePort()}`,
      DEMARC_PUBLIC_URL: 'http://api.carrier.example',
      DEMARC_LOG_LEVEL: 'silent',
    },
  })
  await eventually(() => hasEnded(child))
  const text = output()
  assert.equal(child.exitCode, 1, text)
  assert.match(text, /^failed {3}public_url: .* has no TLS/m)
  assert.match(text, /^failed {3}migrations: The database lacks 0001_platform\.sql/m)
  assert.match(
    text,
    /^warning {2}jobs: Not checked, because the database is not migrated\. See the check migrations\.$/m,
  )
  assert.match(text, /^failed {3}call_records: /m)
  assert.match(text, /^warning {2}log: .*\n {9}Fix: Unset DEMARC_LOG_LEVEL, .*\n {9}See docs\/operate\/settings\.md$/m)
  assert.match(text, /^ok {7}database: /m)
  for (const secret of ['hunter2', ...Object.values(secrets)]) assert.ok(!text.includes(secret), text)
  const { rows } = await database.pool.query(`select to_regclass('schema_migration') as name`)
  assert.deepEqual(rows, [{ name: null }])
})

test('--doctor prints every invalid setting as a start does', async (t) => {
  const folder = await newFolder()
  atEnd(t, () => removeFolder(folder))
  const { child, output } = spawnService(folder, { args: ['--doctor'], env: { DEMARC_PORT: 'x' } })
  await eventually(() => hasEnded(child))
  assert.equal(child.exitCode, 1)
  assert.match(output(), /DEMARC_PORT must be a whole number[\s\S]*DEMARC_PEPPER is required/)
})

/** What --doctor prints. */
async function diagnosis(folder: string, env: Record<string, string>): Promise<string> {
  const secrets = {
    DEMARC_PEPPER: 'pX3vT9zqLw0RrN5sUuYg7HkMdB2cJ8fE',
    DEMARC_SEAL_KEYS: 'k1:8f3a91c05d7e42b6a1f09c8d7e6b5a43',
  }
  const CLICKHOUSE_URL = `http://127.0.0.1:${await freePort()}`
  const { child, output } = spawnService(folder, { args: ['--doctor'], env: { ...secrets, CLICKHOUSE_URL, ...env } })
  await eventually(() => hasEnded(child))
  return output()
}

/** A primary whose role sees a clock that is ten minutes slow, and its standby, which stopped replaying at least five seconds ago. */
async function startTroubledDatabase(t: TestContext) {
  const servers = await startReplicated()
  atEnd(t, () => servers.close())
  const [primary, replica] = [new pg.Client(servers.primary.url), new pg.Client(servers.replica.url)]
  for (const client of [primary, replica]) {
    await client.connect()
    atEnd(t, () => client.end())
  }
  const { url } = servers.primary
  await prepareDatabase(
    { database_url: url, prepared_statements: true },
    { database_url: url, database_direct_url: null },
    silentLog,
  )
  await primary.query(`create role checked superuser login;
    create schema slow;
    create function slow.clock_timestamp() returns timestamptz language sql
      as $$ select pg_catalog.clock_timestamp() - interval '10 minutes' $$;
    alter role checked set search_path = slow, public, pg_catalog`)
  const isReplayed = async () => {
    const { rows } = await primary.query<{ at: string }>('select pg_current_wal_flush_lsn() as at')
    const replayed = await replica.query<{ done: boolean }>('select pg_last_wal_replay_lsn() >= $1 as done', [
      rows[0]?.at,
    ])
    return replayed.rows[0]?.done === true
  }
  await eventually(isReplayed)
  await replica.query('select pg_wal_replay_pause()')
  await eventually(async () => {
    const { rows } = await replica.query<{ state: string }>('select pg_get_wal_replay_pause_state() as state')
    return rows[0]?.state === 'paused'
  })
  await primary.query('create table written_later ()')
  await eventually(async () => {
    const age = `clock_timestamp() - pg_last_xact_replay_timestamp() > interval '5.5 s'`
    return (await replica.query<{ late: boolean }>(`select ${age} as late`)).rows[0]?.late === true
  })
  return {
    urls: { DATABASE_URL: url.replace('postgres@', 'checked@'), DATABASE_REPLICA_URL: servers.replica.url },
    async repair() {
      await primary.query('alter role checked reset search_path')
      await replica.query('select pg_wal_replay_resume()')
      await eventually(isReplayed)
    },
  }
}

/** The settings of a public URL and of a relay that asks for a password, with certificates of a private authority. */
async function startPeers(t: TestContext, address: string) {
  const folder = openFolder(t)
  const authority = createAuthority(folder, 'authority')
  const certified = (name: string, days: number) => {
    const [certificate, private_key] = [path.join(folder, `${name}.crt`), path.join(folder, `${name}.key`)]
    createCertificate(authority, `IP:${address}`, { certificate, private_key }, { days })
    return { cert: readFileSync(certificate), key: readFileSync(private_key) }
  }
  const accepting: SMTPServerOptions = {
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(null, { user: 'u' }),
  }
  const env = async (proxy: ServerOptions, mail: SMTPServerOptions) => ({
    NODE_EXTRA_CA_CERTS: authority,
    DEMARC_PUBLIC_URL: `https://${address}:${await portOf(
      createServer(proxy, (_, response) => response.writeHead(404).end()),
      address,
    )}`,
    SMTP_URL: `smtp://u:p@${await relay({ ...accepting, ...mail }, address)}`,
    DEMARC_MAIL_FROM: 'demarc@carrier.example',
  })
  const [ending, lasting] = [certified('ending', 3), certified('lasting', 60)]
  return { bad: await env(ending, {}), good: await env(lasting, lasting) }
}

/** Of a network: a relay on loopback needs no TLS. */
const address = Object.values(os.networkInterfaces())
  .flat()
  .find((each) => each?.internal === false && each.family === 'IPv4')?.address

test('--doctor finds what works today but not for long, each with its fix, and passes it once it is fixed', async (t) => {
  const disk = await smallDisk(t, 512)
  const [folder, { urls, repair }] = [disk ?? openFolder(t), await startTroubledDatabase(t)]
  const { bad, good } = await startPeers(t, address ?? '127.0.0.1')
  const before = await diagnosis(folder, { ...urls, ...bad })
  await repair()
  if (disk !== null) resizeDisk(disk, 'size=6g')
  const after = await diagnosis(folder, { ...urls, ...good })
  const fixes = async (check: string, found: RegExp, fixed: RegExp, skip: string | false = false) =>
    t.test(check, { skip }, () => {
      assert.match(before, new RegExp(`^${found.source}\\n {9}See docs/\\S+$`, 'm'))
      assert.match(after, new RegExp(`^ok {7}${check}: ${fixed.source}$`, 'm'))
    })
  await fixes(
    'replicas',
    /warning {2}replicas: replica1 is \d+ s behind, so it is not used\.\n {9}Fix: .* check pg_is_wal_replay_paused\(\), .*/,
    /replica1 is up to date\./,
  )
  await fixes(
    'database_clock',
    /failed {3}database_clock: The clock of PostgreSQL is (59\d|600) s behind this machine’s\.\n {9}Fix: Run `timedatectl set-ntp true` on .*/,
    /The clock of PostgreSQL agrees with this machine’s\./,
  )
  await fixes(
    'certificate',
    /warning {2}certificate: The certificate expires on \S+, within 3 days\.\n {9}Fix: Renew the certificate, and reload the proxy\./,
    /The certificate is valid until \S+\./,
  )
  await fixes(
    'mail',
    /failed {3}mail: The relay offers no STARTTLS, so the password and messages are .*\n {9}Fix: Enable STARTTLS on the relay, .*/,
    /The relay accepts mail from demarc@carrier\.example\./,
    address === undefined && 'this machine has no network, and a relay on loopback needs no TLS',
  )
  await fixes(
    'data_folder',
    /warning {2}data_folder: \d+ MiB are free on the fullest disk\.\n {9}Fix: Free space, or extend the disk\. .*/,
    /[56]\.\d GiB are free on the fullest disk\./,
    disk === null && no_mount,
  )
})
