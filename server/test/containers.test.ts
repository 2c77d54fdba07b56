import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { STALE_MS } from '../src/platform/folder-claim.ts'
import { environment } from '../../acceptance/support/environment.ts'

/** Services with embedded engines, each in a PID namespace of its own as in a container, on one data folder. */

const container = ['--pid', '--fork', '--mount-proc', '--kill-child']
const is_permitted = spawnSync('unshare', [...container, 'true']).status === 0

const folder = mkdtempSync(path.join(os.tmpdir(), 'demarc-containers-'))
chmodSync(folder, 0o711)
const data = path.join(folder, 'data')
const main = path.resolve(import.meta.dirname, '../src/main.ts')
const env = {
  ...environment,
  DEMARC_DATA: data,
  DEMARC_PORT: '0',
  DEMARC_EMBEDDED: 'allow',
  DEMARC_PEPPER: 'p'.repeat(32),
  DEMARC_SEAL_KEYS: `k1:${'s'.repeat(32)}`,
}

const started: ChildProcess[] = []
after(async () => {
  for (const child of started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
})

/** Starts a container. Resolves when it is ready or has ended, with everything that it printed. */
async function start(): Promise<{ child: ChildProcess; output: string }> {
  const child = spawn('unshare', [...container, process.execPath, main], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  started.push(child)
  const { promise, resolve } = Promise.withResolvers<void>()
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (output.includes('"msg":"ready"')) resolve()
  })
  child.once('close', () => resolve())
  await promise
  return { child, output }
}

/** The first process of a container, as the machine numbers it. */
const initOf = ({ pid }: ChildProcess): string => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()

test(
  'a second container is refused, a command in the first works, and a killed one is replaced within the limit',
  { skip: !is_permitted && 'this user may not create PID namespaces' },
  async () => {
    const first = await start()
    assert.match(first.output, /"msg":"ready"/)
    const second = await start()
    assert.match(second.output, /^Another container or machine \(.*\) runs the embedded database in .*data\. Stop it/m)
    assert.equal(second.child.exitCode, 1)
    const inside = ['-t', initOf(first.child), '--pid', '--mount', process.execPath, main, '--operator-key', 'Inside']
    assert.match(execFileSync('nsenter', inside, { env, encoding: 'utf8' }), /"secret_key"/)

    const killed = once(first.child, 'exit')
    first.child.kill('SIGKILL')
    await killed
    const third = await start()
    assert.match(third.output, new RegExp(`"limit_ms":${STALE_MS},.*may have been killed[^]*"msg":"ready"`))

    const ended = once(third.child, 'exit')
    process.kill(Number(initOf(third.child)), 'SIGTERM')
    await ended
    assert.deepEqual(readdirSync(path.join(data, 'claims')), [])
  },
)
