import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../support/free-port.ts'
import { hang_ms, until } from '../support/until.ts'

const run = promisify(execFile)

const bin = '/usr/lib/postgresql/15/bin'
/** The programs of this file, each with the Debian package that has it. */
export const postgresPrograms = { [`${bin}/postgres`]: 'postgresql-15' }

/** How a primary fails. `demoted`: it becomes read-only, and nothing closes the connections to it. */
export type Failure = 'stopped' | 'killed' | 'demoted'

interface Server {
  name: 'a' | 'b'
  folder: string
  port: number
  /** Null while it is down. */
  child: ChildProcess | null
}

const settings = `
listen_addresses = '127.0.0.1'
wal_log_hints = on
max_connections = 200
fsync = off
full_page_writes = off
log_min_messages = warning
hot_standby = on
`
const access = `
local all all trust
local replication postgres trust
host all all 127.0.0.1/32 scram-sha-256
`

/**
 * A PostgreSQL primary and its streaming standby, which confirms every COMMIT. They end with this process. Without fsync: processes
 * are killed here, never the machine.
 */
export class PostgresPair {
  readonly version: string
  readonly #folder: string
  readonly #account: { uid: number; gid: number }
  #primary: Server
  #standby: Server

  /** Starts the primary in a new folder below `parent`, with a database and a role named `demarc`. `replicate` starts the standby. */
  static async open(parent: string): Promise<PostgresPair> {
    const folder = path.join(parent, 'pair')
    const account = accountOfServers()
    mkdirSync(folder, { mode: 0o755 })
    chownSync(folder, account.uid, account.gid)
    const [a, b] = [await freePort(), await freePort()]
    const pair = new PostgresPair(folder, account, a, b)
    const { folder: cluster } = pair.#primary
    await pair.#program('initdb', ['-D', cluster, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync'])
    appendFileSync(path.join(cluster, 'postgresql.conf'), `${settings}unix_socket_directories = '${folder}'\n`)
    writeFileSync(path.join(cluster, 'pg_hba.conf'), access)
    await pair.#start(pair.#primary)
    await pair.sql("create role demarc login password 'demarc'")
    await pair.sql('create database demarc owner demarc')
    return pair
  }

  private constructor(folder: string, account: { uid: number; gid: number }, a: number, b: number) {
    this.#folder = folder
    this.#account = account
    this.#primary = { name: 'a', folder: path.join(folder, 'a'), port: a, child: null }
    this.#standby = { name: 'b', folder: path.join(folder, 'b'), port: b, child: null }
    this.version = /(\d+\.\d+)/.exec(execFileSync(`${bin}/postgres`, ['--version'], { encoding: 'utf8' }))?.[1] ?? ''
  }

  /** The address of the database, with both servers in the order in which they are now. */
  get url(): string {
    const hosts = [this.#primary, this.#standby].map(({ port }) => `127.0.0.1:${port}`).join(',')
    return `postgres://demarc:demarc@${hosts}/demarc?target_session_attrs=read-write`
  }

  get ports(): readonly number[] {
    return [this.#primary.port, this.#standby.port]
  }

  /** Runs a statement on the primary as its superuser. */
  sql(statement: string): Promise<string> {
    return this.#sql(this.#primary.port, statement)
  }

  /** Makes the primary fail, and the standby the primary. Resolves when that one accepts writes. */
  async fail(how: Failure): Promise<void> {
    const [old, next] = [this.#primary, this.#standby]
    if (how === 'demoted') {
      await this.sql('alter system set default_transaction_read_only = on')
      await this.sql('select pg_reload_conf()')
      // a COMMIT would wait forever for a standby that is promoted
      const writing = 'select count(*) from pg_stat_activity where backend_xid is not null'
      await until('the last transaction', hang_ms, async () => (await this.sql(writing)) === '0')
    } else await this.#end(old, how === 'killed' ? 'SIGKILL' : 'SIGINT')
    await this.#sql(next.port, 'select pg_promote()')
    this.#primary = next
    this.#standby = old
  }

  /** Makes the other server a new standby, which confirms every COMMIT from then on. */
  async replicate(): Promise<void> {
    const { folder, child } = this.#standby
    if (child) await this.#end(this.#standby, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
    const from = ['-h', this.#folder, '-p', String(this.#primary.port), '-U', 'postgres']
    await this.#program('pg_basebackup', [...from, '-D', folder, '-R', '-X', 'stream', '--no-sync', '-c', 'fast'])
    await this.#start(this.#standby)
    await this.sql("alter system set synchronous_standby_names = '*'")
    await this.sql('select pg_reload_conf()')
    const isConfirming = async () => (await this.sql('select sync_state from pg_stat_replication')) === 'sync'
    await until('the standby', hang_ms, isConfirming)
    // the copy must not wait for a standby once it is promoted
    appendFileSync(path.join(folder, 'postgresql.auto.conf'), "synchronous_standby_names = ''\n")
  }

  /** True if the server on this port accepts writes. */
  async isWritable(port: number): Promise<boolean> {
    return (await this.#sql(port, 'show transaction_read_only').catch(() => '')) === 'off'
  }

  async stop(): Promise<void> {
    for (const server of [this.#standby, this.#primary]) if (server.child) await this.#end(server, 'SIGQUIT')
  }

  async #sql(port: number, statement: string): Promise<string> {
    const { stdout } = await run('psql', ['-h', this.#folder, '-p', `${port}`, '-U', 'postgres', '-XAtqc', statement])
    return stdout.trim()
  }

  async #program(name: string, parameters: readonly string[]): Promise<void> {
    await run(`${bin}/${name}`, [...parameters], { ...this.#account, cwd: this.#folder })
  }

  async #start(server: Server): Promise<void> {
    const log = openSync(path.join(this.#folder, `${server.name}.log`), 'a')
    const { uid, gid } = this.#account
    const command = [`${bin}/postgres`, '-D', server.folder, '-p', String(server.port)]
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], { uid, gid, stdio: ['ignore', log, log] })
    closeSync(log)
    server.child = child
    await until(`PostgreSQL ${server.name}`, hang_ms, async () => {
      if (hasEnded(child)) throw new Error(`PostgreSQL ${server.name} ended. See ${this.#folder}/${server.name}.log.`)
      return (await this.#sql(server.port, 'select 1').catch(() => '')) === '1'
    })
  }

  async #end(server: Server, by: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    const { child } = server
    if (child === null || hasEnded(child)) return
    child.kill(by)
    await once(child, 'exit')
    server.child = null
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

/** PostgreSQL refuses to run as root. */
function accountOfServers(): { uid: number; gid: number } {
  if (process.getuid?.() !== 0) return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** HAProxy in front of the pair, which follows the primary. Like one without `on-marked-down shutdown-sessions`, it keeps connections. */
export async function followPrimary(
  folder: string,
  pair: PostgresPair,
): Promise<{ url: string; stop(): Promise<void> }> {
  const checks = await Promise.all(pair.ports.map((port) => serveHealth(() => pair.isWritable(port))))
  const port = await freePort()
  const servers = pair.ports.map((each, n) => `  server s${n} 127.0.0.1:${each} check port ${checks[n]?.port}`)
  const lines = [
    'defaults',
    '  mode tcp',
    '  timeout connect 2s',
    '  timeout client 1h',
    '  timeout server 1h',
    '  timeout check 3s',
    'listen primary',
    `  bind 127.0.0.1:${port}`,
    '  option httpchk GET /',
    '  http-check expect status 200',
    '  default-server inter 1s fall 2 rise 1',
    ...servers,
  ]
  const file = path.join(folder, 'postgres-haproxy.cfg')
  writeFileSync(file, `${lines.join('\n')}\n`)
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'haproxy', '-db', '-q', '-f', file], { stdio: 'inherit' })
  const ended = once(child, 'exit')
  return {
    url: `postgres://demarc:demarc@127.0.0.1:${port}/demarc`,
    async stop() {
      child.kill('SIGTERM')
      await ended
      for (const { close } of checks) close()
    },
  }
}

/** Answers HAProxy's checks: 200 or 503. */
async function serveHealth(isPrimary: () => Promise<boolean>): Promise<{ port: number; close(): void }> {
  const server = http.createServer((_, response) => {
    void isPrimary().then((primary) => response.writeHead(primary ? 200 : 503).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo // it listens on TCP
  return { port, close: () => server.close() }
}
