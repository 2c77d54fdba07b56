import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, closeSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { object, text } from '../crash/json.ts'
import { signal } from '../crash/service.ts'
import { freePort } from '../support/free-port.ts'
import { descendantsOf, type Process } from '../support/processes.ts'
import { copyDemoData, newFolder } from '../support/service.ts'
import { hang_ms, until } from '../support/until.ts'
import { startProxy } from './proxy.ts'
import { environment } from '../support/environment.ts'

/** Several API processes and workers with one PostgreSQL, one call-record engine, and one folder of files, which outlive them. */

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The folder of the program that the processes run: this release. */
export const this_release = path.join(root, 'server')

/** One process of the installation; another one takes its role and address when it ends. */
export interface Member {
  /** "api1" */
  name: string
  role: 'api' | 'worker'
  port: number
  child: ChildProcess
  log_file: string
}

export class Installation {
  /** That of the proxy. */
  readonly url: string
  readonly folder: string
  readonly data: string
  readonly temp: string
  readonly members: Member[] = []
  readonly #engines: ChildProcess
  #addresses: Readonly<Record<string, string>>
  readonly #close: () => void
  #proxy: ChildProcess | undefined
  /** Those that this class ended; any other that ends has crashed. */
  readonly #ended = new Set<ChildProcess>()

  /**
   * Starts the database, the engine, and the processes, the first one alone because it adds the demo data. `settings`: of an empty
   * database to use instead.
   */
  static async open(
    counts: { apis: number; workers: number },
    settings?: Readonly<Record<string, string>>,
  ): Promise<Installation> {
    const folder = await newFolder()
    if (settings === undefined) await copyDemoData(folder)
    const temp = path.join(folder, 'tmp')
    mkdirSync(temp, { mode: 0o1777 })
    const engines = spawn(process.execPath, [path.join(this_release, 'src/start/testing/engines.ts')], {
      env: { ...environment, DEMARC_DATA: path.join(folder, 'data') },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const addresses = await firstLine(engines)
    const engine = await bridgeTo(addresses.socket)
    const url = `http://127.0.0.1:${await freePort()}`
    const installation = new Installation(folder, engines, url, engine.close, {
      DATABASE_URL: addresses.database_url,
      CLICKHOUSE_URL: engine.url,
      ...settings,
    })
    await installation.add('api', 1)
    const others = [
      ...Array.from({ length: counts.apis - 1 }, (_, n) => installation.add('api', n + 2)),
      ...Array.from({ length: counts.workers }, (_, n) => installation.add('worker', n + 1)),
    ]
    await Promise.all(others)
    const ports = installation.members.filter(({ role }) => role === 'api').map(({ port }) => port)
    installation.#proxy = await startProxy(folder, installation.url, ports)
    return installation
  }

  private constructor(
    folder: string,
    engines: ChildProcess,
    url: string,
    close: () => void,
    addresses: Readonly<Record<string, string>>,
  ) {
    this.folder = folder
    this.data = path.join(folder, 'data')
    this.temp = path.join(folder, 'tmp')
    this.url = url
    this.#engines = engines
    this.#close = close
    this.#addresses = addresses
  }

  /** Starts the nth process of a role. Resolves when it is ready. */
  async add(role: Member['role'], n: number): Promise<void> {
    const name = `${role}${n}`
    const started = { name, role, port: await freePort(), log_file: path.join(this.folder, `${name}.log`) }
    const member = { ...started, child: this.#spawn(started, this_release) }
    this.members.push(member)
    await this.#ready(member)
  }

  /** Processes that belong to the installation. */
  tree(): Process[] {
    return [this.#engines, ...this.members.map(({ child }) => child)].flatMap(({ pid }) =>
      pid === undefined ? [] : descendantsOf(pid),
    )
  }

  /** Throws if a process ended that this class did not end. */
  assertOwnWill(): void {
    for (const { name, child, log_file } of this.members)
      if (hasEnded(child) && !this.#ended.has(child))
        throw new Error(`${name} ended by itself:\n${readFileSync(log_file, 'utf8').slice(-4000)}`)
  }

  /** Ends a process with a signal and starts another in its place. Resolves when that one is ready. */
  async replace(member: Member, by: 'SIGKILL' | 'SIGTERM', release = this_release): Promise<void> {
    await this.#end(member, by)
    member.child = this.#spawn(member, release)
    await this.#ready(member)
  }

  /** Replaces every process by one with these settings in addition. */
  async reconfigure(settings: Readonly<Record<string, string>>): Promise<void> {
    this.#addresses = { ...this.#addresses, ...settings }
    for (const member of this.members) await this.replace(member, 'SIGTERM')
  }

  async close(): Promise<void> {
    this.#proxy?.kill('SIGTERM')
    await Promise.all(this.members.map((member) => this.#end(member, 'SIGTERM')))
    this.#engines.kill('SIGTERM')
    await until('the engines to end', hang_ms, () => hasEnded(this.#engines))
    this.#close()
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }

  #spawn({ role, port, log_file }: Omit<Member, 'child'>, release: string): ChildProcess {
    const log = openSync(log_file, 'w')
    const child = spawn(process.execPath, [path.join(release, 'src/main.ts'), '--demo', '--with-parent'], {
      env: {
        ...environment,
        TMPDIR: this.temp,
        DEMARC_DATA: this.data,
        DEMARC_ROLE: role,
        DEMARC_PORT: String(port),
        DEMARC_PUBLIC_URL: this.url,
        DEMARC_TRUST_PROXY: '127.0.0.1/32',
        ...this.#addresses,
      },
      cwd: this.folder,
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    return child
  }

  async #ready(member: Member): Promise<void> {
    // not by readiness, which also needs a worker
    const line = member.role === 'worker' ? '"worker ready"' : '"msg":"ready"'
    await until(`${member.name} to be ready`, hang_ms, () => {
      this.assertOwnWill()
      return readFileSync(member.log_file, 'utf8').includes(line)
    })
  }

  async #end({ name, child }: Member, by: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.#ended.add(child)
    if (child.pid !== undefined) signal(child.pid, by)
    await until(`${name} to end`, hang_ms, () => hasEnded(child))
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

/** What engines.ts prints: the addresses of the database and of the engine. */
async function firstLine(child: ChildProcess): Promise<{ database_url: string; socket: string }> {
  const { stdout } = child
  if (stdout === null) throw new Error('The output of the engines is not piped.')
  let output = ''
  stdout.setEncoding('utf8').on('data', (piece: string) => (output += piece))
  await until('the engines', hang_ms, () => {
    if (hasEnded(child)) throw new Error(`The engines ended with ${child.exitCode}.`)
    return output.includes('\n')
  })
  const { database_url, socket } = object(JSON.parse(output))
  return { database_url: text(database_url), socket: text(socket) }
}

/** Makes the engine's socket reachable by a URL, as a ClickHouse server is. */
async function bridgeTo(socket: string): Promise<{ url: string; close: () => void }> {
  const server = net.createServer((inbound) => {
    const outbound = net.connect(socket)
    inbound.pipe(outbound).pipe(inbound)
    inbound.once('error', () => outbound.destroy())
    outbound.once('error', () => inbound.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo // it listens on TCP
  return { url: `http://demarc:drill@127.0.0.1:${port}`, close: () => server.close() }
}
