import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../../../acceptance/support/free-port.ts'

/** A real S3 server that verifies signatures: OpenStack Swift with its S3 interface, from Debian's packages. */

const programs: Readonly<Record<string, string>> = {
  memcached: 'memcached',
  'swift-account-server': 'swift-account',
  'swift-container-server': 'swift-container',
  'swift-object-server': 'swift-object',
  'swift-proxy-server': 'swift-proxy',
}

const missing = Object.entries(programs).flatMap(([program, name]) =>
  spawnSync('sh', ['-c', 'command -v -- "$0"', program]).status === 0 ? [] : [name],
)

/** Why tests with an S3 server are skipped; false if they run. */
export const noSwift = missing.length > 0 && `needs the Debian packages ${missing.join(', ')}`

export interface Swift {
  endpoint: string
  access_key: string
  secret_key: string
  /** Kills the process that clients connect to; it loses what it was doing. */
  kill(): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Only a hang takes this long. */
const start_ms = 120_000
const roles = ['account', 'container', 'object'] as const

/** Starts the server on free ports, with its data in a new folder. Takes about ten seconds. */
export async function startSwift(): Promise<Swift> {
  const folder = await mkdtemp(path.join(tmpdir(), 'demarc-swift-'))
  const [proxy = 0, memcached = 0, ...ports] = await Promise.all(Array.from({ length: 5 }, freePort))
  await mkdir(path.join(folder, 'disk/sdb1'), { recursive: true })
  const files: Record<string, string> = {
    'swift.conf': swiftConf,
    'proxy.conf': proxyConf(folder, proxy, memcached),
    ...Object.fromEntries(roles.map((role, index) => [`${role}.conf`, roleConf(folder, role, ports[index] ?? 0)])),
  }
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text)
  const built = spawnSync('/usr/bin/python3', ['-c', partitionScript, folder, ...ports.map(String)], {
    encoding: 'utf8',
  })
  if (built.status !== 0) throw new Error(`Could not build Swift's rings: ${built.stderr}`)
  const endpoint = `http://127.0.0.1:${proxy}`
  const start = (role: string) => run(`swift-${role}-server`, [path.join(folder, `${role}.conf`)], folder)
  const storage = [
    run('memcached', ['-l', '127.0.0.1', '-p', String(memcached), '-m', '16', '-u', userInfo().username], folder),
    ...roles.map(start),
  ]
  let front = start('proxy')
  const stop = async () => {
    await Promise.all([...storage, front].map(ended))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    // the proxy responds before the others do
    for (const port of [...ports, proxy]) await responding(port, [...storage, front])
  } catch (error) {
    await stop()
    throw error
  }
  return {
    endpoint,
    access_key: 'demarc:s3',
    secret_key: 'demarcsecret',
    kill: () => ended(front),
    async restart() {
      front = start('proxy')
      await responding(proxy, [front])
    },
    stop,
  }
}

function run(program: string, parameters: string[], folder: string): ChildProcess {
  // setpriv ends it with this process
  return spawn('setpriv', ['--pdeathsig', 'KILL', '--', program, ...parameters], {
    env: { ...process.env, SWIFT_DIR: folder },
    stdio: 'ignore',
    // Swift's servers signal their process group when they stop
    detached: true,
  })
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const exit = once(child, 'exit')
  // the group includes the workers of a Swift server
  process.kill(-child.pid, 'SIGKILL')
  await exit
}

/** Waits until a server responds, with any status. */
async function responding(port: number, children: readonly ChildProcess[]): Promise<void> {
  const until = performance.now() + start_ms
  while (performance.now() < until) {
    const exited = children.find((child) => child.exitCode !== null)
    if (exited) throw new Error(`${exited.spawnargs.join(' ')} exited with status ${exited.exitCode}.`)
    const is_responding = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    )
    if (is_responding) return
    await sleep(250)
  }
  throw new Error(`Swift did not respond within ${start_ms} ms.`)
}

const swiftConf = `[swift-hash]
swift_hash_path_prefix = demarc
swift_hash_path_suffix = demarc
[storage-policy:0]
name = only
default = yes
[swift-constraints]
max_header_size = 16384
`

const common = (folder: string, port: number) => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${folder}
log_address = ${folder}/no-log
`

const proxyConf = (folder: string, port: number, memcached: number) => `${common(folder, port)}
[pipeline:main]
pipeline = catch_errors cache listing_formats bulk s3api tempauth copy slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
allow_account_management = true
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${memcached}
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
s3_acl = false
check_bucket_owner = false
dns_compliant_bucket_names = true
min_segment_size = 5242880
[filter:tempauth]
use = egg:swift#tempauth
user_demarc_s3 = demarcsecret .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
`

const roleConf = (folder: string, role: string, port: number) => `${common(folder, port)}
devices = ${folder}/disk
mount_check = false
disable_fallocate = true
[pipeline:main]
pipeline = ${role}-server
[app:${role}-server]
use = egg:swift#${role}
`

/** One partition table per role, of one device. One process instead of nine calls of swift-ring-builder. */
const partitionScript = `
import os, sys
from swift.common.ring import RingBuilder
for role, port in zip(('account', 'container', 'object'), sys.argv[2:]):
    builder = RingBuilder(4, 1, 1)
    builder.add_dev({'id': 0, 'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': int(port), 'replication_ip': '127.0.0.1',
                     'replication_port': int(port), 'device': 'sdb1', 'weight': 1, 'meta': ''})
    builder.rebalance()
    builder.get_ring().save(os.path.join(sys.argv[1], role + '.ring.gz'))
`
