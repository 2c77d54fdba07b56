import { execFileSync } from 'node:child_process'
import { appendFileSync, chownSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { startPostgres, type LocalPostgres } from '../../src/engines/postgres/launcher.ts'
import { silentLog } from '../../src/platform/postgres/log.ts'
import { databaseUrl } from './database.ts'

export interface Replicated {
  primary: LocalPostgres
  replica: LocalPostgres
  /** Starts the replica again after `replica.stop()`. */
  restart(): Promise<void>
  close(): Promise<void>
}

const common = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off' }

/**
 * A primary and its streaming replica, from the embedded PostgreSQL. It has no pg_basebackup, so the data folder is copied.
 * `of_replica`: more settings of the replica.
 */
export async function startReplicated(of_replica: Record<string, string> = {}): Promise<Replicated> {
  const settings = { ...common, wal_retrieve_retry_interval: '100ms', ...of_replica }
  const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-test-'))
  await chmod(folder, 0o711) // as root, the server runs as another user, who must be able to enter
  const primary = await startPostgres({ data_dir: path.join(folder, 'a'), settings: common, log: silentLog })
  const data_dir = path.join(folder, 'b')
  await copy(primary, data_dir)
  const start = () => startPostgres({ data_dir, settings, log: silentLog })
  const replicated: Replicated = {
    primary,
    replica: await start(),
    async restart() {
      replicated.replica = await start()
    },
    async close() {
      await replicated.replica.stop()
      await primary.stop()
      await rm(folder, { recursive: true })
    },
  }
  return replicated
}

async function copy(primary: LocalPostgres, to: string): Promise<void> {
  const client = new pg.Client(databaseUrl(primary.url, 'postgres'))
  await client.connect()
  await client.query(`select pg_backup_start('replica', true)`)
  execFileSync('cp', ['-a', primary.data_dir, to])
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
  await client.end()
  const cluster = path.join(to, 'cluster')
  rmSync(path.join(cluster, 'postmaster.pid'))
  const { uid, gid } = statSync(cluster)
  for (const [name, text] of [
    ['backup_label', rows[0]?.labelfile ?? ''],
    ['standby.signal', ''],
  ] as const) {
    writeFileSync(path.join(cluster, name), text)
    chownSync(path.join(cluster, name), uid, gid)
  }
  const { hostname, searchParams } = new URL(primary.url)
  const conninfo = `host=${decodeURIComponent(hostname)} port=${searchParams.get('port')} user=postgres`
  appendFileSync(path.join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`)
}
