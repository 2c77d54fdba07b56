import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, ndjson } from '../../src/engines/call-records/ingest/testing/bodies.ts'
import { overHttp, testEngine } from '../support/engine.ts'
import { hasEnded, newDemoFolder, removeFolder, startService } from '../support/service.ts'
import { basic } from '../support/wire.ts'
import { environment } from '../../../acceptance/support/environment.ts'

/** The commands of docs/operate/call-record-migration.md on a real service, with kills of the command and of the service. */

const root = path.resolve(import.meta.dirname, '../../..')
const second = await overHttp((await testEngine()).socket)
const folder = await newDemoFolder()
let service = await startService(folder)
after(async () => {
  if (!hasEnded(service.child)) await service.stop()
  await removeFolder(folder)
})
const { account, operator } = JSON.parse(await readFile(path.join(folder, 'data/demo.json'), 'utf8')) as {
  [holder in 'account' | 'operator']: { id: string; access_key: string; secret_key: string }
}

/** Between deliveries, so that a migration has some in each of its steps and the time to get through them. */
const pause_ms = 50

/** Sends records until they are accepted. Returns how many were new in the last attempt. */
async function deliver(first: number, count: number): Promise<number> {
  const records = Array.from({ length: count }, (_, n) =>
    call(`migrated ${first + n}`, {
      account_id: account.id,
      start_time: new Date(Date.UTC(2025, (first + n) % 3, 1, 0, 0, first + n)).toISOString(),
      end_time: '2025-12-01T00:00:00Z',
    }),
  )
  for (;;) {
    const response = await post('/operator/cdrs', operator, 'application/x-ndjson', ndjson(records))
    if (response?.status === 200) return (JSON.parse(response.body) as { data: { accepted: number } }).data.accepted
    await sleep(100)
  }
}

async function countCalls(): Promise<number> {
  const filter_parameters = {
    start_call_start_time: '2000-01-01T00:00:00Z',
    start_call_end_time: '2100-01-01T00:00:00Z',
  }
  const body = JSON.stringify({ data: { type: 'cdrexport', attributes: { filter_parameters } } })
  for (;;) {
    const response = await post('/v2/cdrs/exports/estimate', account, 'application/vnd.api+json', body)
    if (response?.status === 200)
      return (JSON.parse(response.body) as { data: { attributes: { num_calls: number } } }).data.attributes.num_calls
    if (response !== null && response.status < 500) throw new Error(response.body)
    await sleep(100)
  }
}

/** Null if the service was killed. */
async function post(
  url: string,
  { access_key, secret_key }: { access_key: string; secret_key: string },
  content_type: string,
  body: string,
): Promise<{ status: number; body: string } | null> {
  const headers = { 'content-type': content_type, authorization: basic(access_key, secret_key) }
  try {
    const response = await fetch(new URL(url, service.base_url), { method: 'POST', headers, body })
    return { status: response.status, body: await response.text() }
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

function spawnCommand(...args: string[]): { child: ChildProcess; output: () => string } {
  const env = {
    ...environment,
    HOME: process.env['HOME'],
    DEMARC_DATA: path.join(folder, 'data'),
    DEMARC_MODE: 'demo',
  }
  const child = spawn('npm', ['run', '--silent', 'cdrs', '--', 'migrate', ...args], { cwd: root, env, detached: true })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
  return { child, output: () => text }
}

async function run(...args: string[]): Promise<{ code: number | null; output: string }> {
  const { child, output } = spawnCommand(...args)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output: output() }
}

/** Kills npm and the command at that time. */
async function runKilled(after_ms: number, ...args: string[]): Promise<void> {
  const { child } = spawnCommand(...args)
  const closed = once(child, 'close')
  await Promise.race([sleep(after_ms), closed])
  if (!hasEnded(child)) process.kill(-Number(child.pid), 'SIGKILL')
  await closed
}

async function killService(): Promise<void> {
  service.child.kill('SIGKILL')
  await once(service.child, 'close')
  service = await startService(folder)
}

test('call records move to another store and back while records arrive, and every process is killed', async (t) => {
  const before = await countCalls()
  let delivered = 30_000
  assert.equal(await deliver(0, delivered), delivered)
  const state = { is_moving: true }
  const ingest = (async () => {
    while (state.is_moving) {
      await deliver(delivered, 50)
      delivered += 50
      await sleep(pause_ms)
    }
  })()
  /**
   * The command with kills of itself, then of the service, until the status says that it succeeded. It is not started again after
   * that: a second `back` would end the migration.
   */
  const move = async (reached: RegExp, ...args: string[]): Promise<void> => {
    const isDone = async () => reached.test((await run('status')).output)
    for (const ms of [1500, 2500, 4000]) if (!(await isDone())) await runKilled(ms, ...args)
    const interrupted = (await isDone()) ? null : run(...args)
    await sleep(2500)
    await killService()
    t.diagnostic((await interrupted)?.output.trim() ?? 'complete before the service was killed')
    for (let attempts = 0; attempts < 5 && !(await isDone()); attempts += 1)
      t.diagnostic((await run(...args)).output.trim())
    await killService()
  }
  const [switched, not_switched] = [/Switched, and not confirmed/, /Not switched/]
  await move(switched, '--to', second)
  assert.match((await run('status')).output, switched)
  await move(not_switched, 'back')
  assert.match((await run('status')).output, not_switched)
  await move(switched, '--to', second)
  const confirmed = await run('confirm')
  assert.match(confirmed.output, /^Confirmed: the call records are in server http:\/\/127/m)
  state.is_moving = false
  await ingest
  assert.equal(await countCalls(), before + delivered)
  assert.equal(await deliver(0, delivered), 0, 'every record is a duplicate')
  for (const log of [service.output(), confirmed.output]) assert.doesNotMatch(log, /secret-password/)

  await service.stop()
  service = await startService(folder, { env: { CLICKHOUSE_URL: second } })
  assert.equal(await countCalls(), before + delivered)
  assert.equal(await deliver(delivered, 1), 1)
})
