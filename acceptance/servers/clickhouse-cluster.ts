import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { freePort } from '../support/free-port.ts'
import { hang_ms, until } from '../support/until.ts'

/** ClickHouse with two shards of two replicas, and ZooKeeper, from Debian's packages, on loopback. */

export const clusterPrograms = { 'clickhouse-server': 'clickhouse-server', java: 'default-jre-headless' }

/** Debian's package has no program of its own. */
export const zookeeperJar = '/usr/share/java/zookeeper.jar'

/** That of the statements in schema.sql. */
const cluster_name = 'main'

export interface Server {
  /** "1a": the first replica of the first shard. */
  name: string
  shard: number
  replica: string
  http: number
  tcp: number
  interserver: number
  child: ChildProcess | null
}

export class StatementFailed extends Error {
  /** ClickHouse's code; empty if there was no response. */
  readonly code: string
  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

export class ClickHouseCluster {
  readonly servers: readonly Server[]
  readonly #folder: string
  readonly #keeper: ChildProcess
  readonly #keeper_port: number

  /** Starts ZooKeeper. `start` starts a server. */
  static async open(folder: string): Promise<ClickHouseCluster> {
    const port = await freePort()
    const data = path.join(folder, 'zookeeper')
    mkdirSync(data)
    const config = path.join(folder, 'zoo.cfg')
    const lines = [
      `clientPort=${port}`,
      'clientPortAddress=127.0.0.1',
      `dataDir=${data}`,
      'tickTime=500',
      'admin.enableServer=false',
    ]
    writeFileSync(config, `${lines.join('\n')}\n`)
    const keeper = run(folder, 'zookeeper', 'java', [
      '-cp',
      zookeeperJar,
      'org.apache.zookeeper.server.quorum.QuorumPeerMain',
      config,
    ])
    const servers: Server[] = []
    for (const shard of [1, 2])
      for (const replica of ['a', 'b'])
        servers.push({
          name: `${shard}${replica}`,
          shard,
          replica,
          http: await freePort(),
          tcp: await freePort(),
          interserver: await freePort(),
          child: null,
        })
    await until('ZooKeeper', hang_ms, () => serves(port))
    return new ClickHouseCluster(folder, keeper, port, servers)
  }

  private constructor(folder: string, keeper: ChildProcess, keeper_port: number, servers: readonly Server[]) {
    this.#folder = folder
    this.#keeper = keeper
    this.#keeper_port = keeper_port
    this.servers = servers
  }

  server(name: string): Server {
    const found = this.servers.find((each) => each.name === name)
    if (found === undefined) throw new RangeError(`There is no server ${name}.`)
    return found
  }

  /** Resolves when it responds. */
  async start(server: Server): Promise<void> {
    const folder = path.join(this.#folder, server.name)
    mkdirSync(folder, { recursive: true })
    const config = path.join(folder, 'config.xml')
    writeFileSync(config, this.#config(server, folder))
    writeFileSync(path.join(folder, 'users.xml'), users)
    server.child = run(this.#folder, server.name, 'clickhouse-server', [`--config-file=${config}`])
    await until(`ClickHouse ${server.name}`, hang_ms, async () => {
      if (hasEnded(server.child))
        throw new Error(`ClickHouse ${server.name} ended. See ${this.#folder}/${server.name}.log.`)
      return (await this.query(server, 'SELECT 1').catch(() => '')) === '1'
    })
  }

  async kill(server: Server): Promise<void> {
    if (server.child === null || hasEnded(server.child)) return
    server.child.kill('SIGKILL')
    await once(server.child, 'exit')
  }

  async stop(): Promise<void> {
    for (const server of this.servers) await this.kill(server)
    this.#keeper.kill('SIGKILL')
    await once(this.#keeper, 'exit')
  }

  /** The response's text without its last line feed. Throws StatementFailed. */
  async query(server: Server, sql: string, settings: Readonly<Record<string, string>> = {}): Promise<string> {
    const url = `http://127.0.0.1:${server.http}/?${new URLSearchParams(settings).toString()}`
    const response = await fetch(url, { method: 'POST', body: sql }).catch((error: unknown) => {
      throw new StatementFailed(`Server ${server.name} does not respond: ${String(error)}`, '')
    })
    const body = await response.text().catch((error: unknown) => {
      throw new StatementFailed(`Server ${server.name} was lost: ${String(error)}`, '')
    })
    const code = /^Code: (\d+)/m.exec(body)?.[1]
    if (!response.ok || code !== undefined)
      throw new StatementFailed(`${server.name}: ${body.slice(0, 300)}`, code ?? '')
    return body.trimEnd()
  }

  #config({ name, shard, replica, http, tcp, interserver }: Server, folder: string): string {
    const shards = [1, 2].map((each) => {
      const replicas = this.servers.filter((server) => server.shard === each)
      const hosts = replicas.map((server) => `<replica><host>127.0.0.1</host><port>${server.tcp}</port></replica>`)
      return `<shard><internal_replication>true</internal_replication>${hosts.join('')}</shard>`
    })
    return `<yandex>
<logger><level>warning</level><log>${folder}/server.log</log><errorlog>${folder}/error.log</errorlog></logger>
<http_port>${http}</http_port><tcp_port>${tcp}</tcp_port><interserver_http_port>${interserver}</interserver_http_port>
<interserver_http_host>127.0.0.1</interserver_http_host><listen_host>127.0.0.1</listen_host>
<path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path><mark_cache_size>67108864</mark_cache_size>
<users_config>${folder}/users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
<zookeeper><node><host>127.0.0.1</host><port>${this.#keeper_port}</port></node><session_timeout_ms>4000</session_timeout_ms></zookeeper>
<remote_servers><${cluster_name}>${shards.join('')}</${cluster_name}></remote_servers>
<macros><shard>${shard}</shard><replica>${name}${replica}</replica></macros>
<distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>
</yandex>
`
  }
}

const users = `<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password></password>
<networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>
`

/** Runs a program that the kernel kills if this process dies. Its output is in a file of the folder. */
function run(folder: string, name: string, program: string, parameters: readonly string[]): ChildProcess {
  const log = openSync(path.join(folder, `${name}.log`), 'a')
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...parameters], {
    cwd: folder,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  return child
}

const hasEnded = (child: ChildProcess | null) => child === null || child.exitCode !== null || child.signalCode !== null

/** Whether ZooKeeper serves. It listens before that, and this ClickHouse crashes when a connection to it ends. */
async function serves(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1')
  // it never responds to what arrives too early
  socket.setTimeout(1000, () => socket.destroy())
  try {
    socket.end('srvr')
    return (await text(socket)).includes('Mode: ')
  } catch {
    // the connection was refused, or abandoned
    return false
  }
}
