import assert from 'node:assert/strict'
import { appendFileSync, chownSync, statSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { startPostgres } from '../src/engines/postgres/launcher.ts'
import { openDatabase } from '../src/platform/db.ts'
import { silentLog } from '../src/platform/postgres/log.ts'
import { prepareDatabase } from '../src/start/database.ts'
import { createAuthority, createCertificate } from './support/certificates.ts'

/** Each sslmode against a server with TLS, a password, and a certificate of a private authority. */

const password = 'secret of the test'
// its own loopback address, because the embedded server has a fixed port
const address = `127.${(process.pid >> 16) & 255}.${(process.pid >> 8) & 255}.${(process.pid & 253) + 2}`
const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-test-'))
await chmod(folder, 0o711)
const at = (name: string) => path.join(folder, name)
const server = await startPostgres({
  data_dir: at('server'),
  settings: { fsync: 'off', listen_addresses: address },
  log: silentLog,
})
const admin = new pg.Client(server.url)
await admin.connect()
after(async () => {
  await admin.end()
  await server.stop()
  await rm(folder, { recursive: true })
})

/** Turns on TLS with a certificate of the private authority for a name, and requires a password. */
async function useTls(subject_name: string): Promise<void> {
  const cluster = path.join(server.data_dir, 'cluster')
  const [certificate, private_key] = [path.join(cluster, 'server.crt'), path.join(cluster, 'server.key')]
  createCertificate(at('private.crt'), subject_name, { certificate, private_key })
  const { uid, gid } = statSync(cluster)
  for (const file of [certificate, private_key]) chownSync(file, uid, gid)
  appendFileSync(path.join(cluster, 'postgresql.auto.conf'), `ssl = 'on'\n`)
  writeFileSync(path.join(cluster, 'pg_hba.conf'), 'local all all trust\nhost all all 127.0.0.0/8 scram-sha-256\n')
  await admin.query(`alter role postgres password '${password}'`)
  await admin.query('select pg_reload_conf()')
}

/** `on` or `off`, whether the pool's connection uses TLS; otherwise the error. */
async function tlsOf(query: string): Promise<string> {
  const url = `postgres://postgres:${encodeURIComponent(password)}@${address}:${admin.port}/postgres?${query}`
  const database = openDatabase({ connection: url, log: silentLog })
  try {
    const { rows } = await database.pool.query<{ ssl: boolean }>(
      'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
    )
    return rows[0]?.ssl === true ? 'on' : 'off'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await database.close()
  }
}

test('without TLS, only the modes that require it fail', async () => {
  createAuthority(folder, 'private')
  createAuthority(folder, 'other')
  const cluster = path.join(server.data_dir, 'cluster')
  writeFileSync(path.join(cluster, 'pg_hba.conf'), 'local all all trust\nhost all all 127.0.0.0/8 trust\n')
  await admin.query('select pg_reload_conf()')
  for (const mode of ['disable', 'allow', 'prefer']) assert.equal(await tlsOf(`sslmode=${mode}`), 'off', mode)
  assert.equal(await tlsOf(''), 'off')
  for (const query of ['sslmode=require', 'sslmode=verify-full', `sslmode=verify-ca&sslrootcert=${at('private.crt')}`])
    assert.match(await tlsOf(query), /does not support SSL/, query)
})

test('a start does not wait for a server without TLS that the URL requires', async () => {
  const database_url = `postgres://postgres:x@${address}:${admin.port}/postgres?sslmode=require`
  const starting = prepareDatabase(
    { database_url, prepared_statements: true },
    { database_url, database_direct_url: null },
    silentLog,
  )
  await assert.rejects(starting, /offers no TLS, which sslmode requires\. Set ssl = on/)
})

test('with TLS, each mode verifies what libpq documents', async () => {
  await useTls(`IP:${address}`)
  const [trusted, untrusted] = ['private', 'other'].map((name) => `sslrootcert=${at(`${name}.crt`)}`)
  for (const query of [
    '',
    'sslmode=prefer',
    'sslmode=require',
    `sslmode=require&${trusted}`,
    `sslmode=verify-ca&${trusted}`,
    `sslmode=verify-full&${trusted}`,
  ])
    assert.equal(await tlsOf(query), 'on', query)
  for (const mode of ['disable', 'allow']) assert.equal(await tlsOf(`sslmode=${mode}`), 'off', mode)
  for (const query of [
    `sslmode=require&${untrusted}`,
    `sslmode=verify-ca&${untrusted}`,
    `sslmode=verify-full&${untrusted}`,
    // no public authority signed it
    'sslmode=verify-full',
  ])
    assert.match(await tlsOf(query), /certificate|signed/, query)
  // only verify-full compares the name
  await useTls('DNS:database.example')
  assert.equal(await tlsOf(`sslmode=verify-ca&${trusted}`), 'on')
  assert.match(await tlsOf(`sslmode=verify-full&${trusted}`), /altnames/)
})
