import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * PgBouncer in transaction mode in front of a PostgreSQL server, from Debian's package `pgbouncer`, or another version whose
 * program is in DEMARC_TEST_PGBOUNCER.
 */

export const installed = process.env['DEMARC_TEST_PGBOUNCER'] ?? 'pgbouncer'

/** The system's user without rights. */
const nobody = 65_534

/** "1.18.0", or null if the program is missing. */
export function pgbouncerVersion(program = installed): string | null {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  return /^PgBouncer (\d+\.\d+\.\d+)/m.exec(stdout ?? '')?.[1] ?? null
}

/** Whether this version can keep prepared statements, which PgBouncer does from 1.21 on. */
export function keepsPrepared(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 1 || minor >= 21
}

export interface PgBouncer {
  /** The database of the server's URL, through the pooler. */
  url: string
  /** Kills it, with all connections, and starts it again. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export interface PgBouncerOptions {
  /** The server: a URL with the folder of its Unix socket, or with a host. */
  server_url: string
  /** A role of the server without a password. */
  user: string
  /** Lines of the section `[pgbouncer]`. */
  settings?: Readonly<Record<string, string | number>>
  /** Another program than the installed one. */
  program?: string
}

/** Starts it in `folder`, which it creates, on `port`. Rejects if it does not listen within 10 s. */
export async function startPgBouncer(folder: string, port: number, options: PgBouncerOptions): Promise<PgBouncer> {
  await mkdir(folder, { recursive: true })
  const { host, port: server_port, database } = partsOf(options.server_url)
  const file = path.join(folder, 'pgbouncer.ini')
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: 5,
    max_client_conn: 200,
    // reconnects at once after a failed attempt
    server_login_retry: 1,
    ...options.settings,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  const target = `host=${host} port=${server_port} dbname=${database} user=${options.user}`
  await writeFile(file, `[databases]\n${database} = ${target}\n[pgbouncer]\n${lines.join('\n')}\n`)
  await chmod(file, 0o644)
  // PgBouncer refuses to run as root, and only its owner may open the socket of the embedded server
  const { uid, gid } = await stat(host.startsWith('/') ? host : '/')
  const owner =
    process.getuid?.() === 0 ? [`--reuid=${uid || nobody}`, `--regid=${gid || nobody}`, '--clear-groups'] : []
  const with_parent = ['setpriv', '--pdeathsig=KILL', ...owner]
  const command = [...with_parent, options.program ?? installed, file]
  let running = await start(command, port)
  return {
    url: `postgresql://${options.user}@127.0.0.1:${port}/${database}`,
    async restart() {
      await end(running)
      running = await start(command, port)
    },
    stop: () => end(running),
  }
}

function partsOf(url: string) {
  const { hostname, port, pathname, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? decodeURIComponent(hostname)
  return { host, port: port || (searchParams.get('port') ?? '5432'), database: pathname.slice(1) }
}

type Running = ReturnType<typeof spawn>

async function start([program = 'pgbouncer', ...args]: readonly string[], port: number): Promise<Running> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-4_000)))
  for (let tried = 0; tried < 100; tried++) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended:\n${output}`)
    if (await accepts(port)) return child
    await sleep(100)
  }
  child.kill('SIGKILL')
  throw new Error(`PgBouncer does not listen on port ${port}:\n${output}`)
}

async function accepts(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED') return false
    throw error
  } finally {
    socket.destroy()
  }
}

async function end(child: Running): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
