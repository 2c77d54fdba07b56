import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { hang_ms, until } from '../support/until.ts'

const documented = new URL('../../docs/operate/scaling/haproxy.cfg', import.meta.url)

/** The configuration of the documentation with these addresses. */
function configurationFor(address: string, servers: readonly number[]): string {
  return readFileSync(documented, 'utf8')
    .replace(/^  bind .*$/m, `  bind ${address}`)
    .replace(/^  server .*$/gm, servers.map((each, n) => `  server api${n + 1} 127.0.0.1:${each}`).join('\n'))
}

/** "2.6.12" */
export const proxyVersion = (): string =>
  /version (\d+\.\d+\.\d+)/.exec(execFileSync('haproxy', ['-v'], { encoding: 'utf8' }))?.[1] ?? 'unknown'

/** Starts HAProxy at a URL of this machine, in front of these ports. It ends with this process. */
export async function startProxy(folder: string, url: string, servers: readonly number[]): Promise<ChildProcess> {
  const file = path.join(folder, 'haproxy.cfg')
  writeFileSync(file, configurationFor(new URL(url).host, servers))
  const log = openSync(path.join(folder, 'haproxy.log'), 'w')
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'haproxy', '-db', '-f', file], {
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const isServing = async () => {
    if (child.exitCode !== null) throw new Error(`HAProxy ended with ${child.exitCode}; see ${folder}/haproxy.log.`)
    const response = await fetch(`${url}/health/ready`).catch(() => null)
    await response?.arrayBuffer()
    return response?.ok === true
  }
  await until('HAProxy', hang_ms, isServing)
  return child
}
