import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createDemarcClient, type DemarcClient } from '@demarc/client'

/** A service in demo mode and its cast, known from outside only: by its `demo.json` and what it answers. */
export interface Service {
  base_url: string
  keys: Record<'account' | 'other' | 'operator', Keys>
  account: DemarcClient
  other: DemarcClient
  operator: DemarcClient
  stop(): Promise<void>
}

export interface Keys {
  access_key: string
  secret_key: string
}
interface DemoFile {
  base_url: string
  account: Keys
  other_account: Keys
  operator: Keys
}

const patience_ms = 100_000

/** The service whose `demo.json` `DEMARC_TEST_DEMO_FILE` names; without that, one that is started for these tests alone. */
export async function openService(): Promise<Service> {
  const given = process.env['DEMARC_TEST_DEMO_FILE']
  if (given !== undefined) return clientsOf(JSON.parse(await readFile(given, 'utf8')), async () => undefined)
  const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-acceptance-'))
  await chmod(folder, 0o711) // as root, the database runs as another user, who must get through
  const data = path.join(folder, 'data')
  const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))
  const child = spawn(process.execPath, [main, '--demo'], {
    // not the test runner's own variables: they would make it report as a test file
    env: { PATH: process.env['PATH'], DEMARC_DATA: data, DEMARC_PORT: '0', DEMARC_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
  const end = performance.now() + patience_ms
  for (;;) {
    const text = await readFile(path.join(data, 'demo.json'), 'utf8').catch(absent)
    const service = text === null ? null : clientsOf(JSON.parse(text), stop)
    if (service && (await isReady(service.base_url))) return service
    if (child.exitCode !== null || performance.now() > end) {
      await stop()
      throw new Error('The service did not become ready.')
    }
    await sleep(100)
  }
}

const clientsOf = ({ base_url, account, other_account, operator }: DemoFile, stop: Service['stop']): Service => ({
  base_url,
  keys: { account, other: other_account, operator },
  account: createDemarcClient({ base_url, credentials: account }),
  other: createDemarcClient({ base_url, credentials: other_account }),
  operator: createDemarcClient({ base_url, credentials: operator }),
  stop,
})

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

async function isReady(base_url: string): Promise<boolean> {
  const answer = await fetch(`${base_url}/health/ready`)
  await answer.arrayBuffer()
  return answer.ok
}
