import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { atEnd, clusterOf, openFolder, query, start, startInOtherProcess } from '../../../test/support/starters.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { taskOf } from '../../platform/processes.ts'
import { responds } from './control.ts'
import { livePostmaster, serverProcesses } from './process.ts'

/** For tests that kill the server and then query what was committed. */
const DURABLE = { synchronous_commit: 'on' }
/** PostgreSQL's own limits are longer than what is waited for here; a server that hangs reaches them. */
const FAST_MS = 30_000

test('the next start recovers from a server whose backend and owner were killed one after the other', async (t) => {
  const { data_dir, starter } = await startedElsewhere(t)
  await query(starter.url, 'create table kept as select 42 as answer')
  const backend = await connection(t, starter.url)
  process.kill(await backendPid(backend), 'SIGKILL')
  // PostgreSQL 18 hangs on the signal it gets now: it would never finish stopping.
  await eventually(() => readFileSync(path.join(data_dir, 'postgres.log'), 'utf8').includes('reinitializing'))
  starter.process.kill('SIGKILL')
  await once(starter.process, 'exit')
  const next = await start(t, data_dir)
  assert.equal(next.adopted, false)
  assert.deepEqual(await query(next.url, 'select answer from kept'), [{ answer: 42 }])
})

for (const [name, pidsOf] of [
  ['its checkpointer', (postmaster: number) => [checkpointerOf(postmaster)]],
  ['the postmaster', (postmaster: number) => [postmaster]],
] as const)
  test(`the next start recovers from a server that hangs while it stops, because of ${name}`, async (t) => {
    const { data_dir, starter, postmaster } = await startedElsewhere(t)
    await query(starter.url, 'create table kept as select 42 as answer')
    for (const pid of pidsOf(postmaster)) process.kill(pid, 'SIGSTOP')
    starter.process.kill('SIGKILL')
    await once(starter.process, 'exit')
    const next = await start(t, data_dir)
    assert.equal(isThere(postmaster), false)
    assert.deepEqual(await query(next.url, 'select answer from kept'), [{ answer: 42 }])
  })

test('the next start does not wait for a busy backend of a server whose owner was killed', async (t) => {
  const { data_dir, starter } = await startedElsewhere(t)
  await query(starter.url, 'create table kept as select 42 as answer')
  const backend = await connection(t, starter.url)
  const pid = await backendPid(backend)
  // computes for minutes without checking for a shutdown, and uses the processor, so that it does not look like a hang
  const products = Array.from({ length: 2_000 }, () => 'a * a').join(', ')
  const long = `select greatest(${products}) > 0 from (select repeat('9', 65000)::numeric as a offset 0) as large`
  backend.query(long).catch(() => undefined)
  await eventually(() => isComputing(pid))
  starter.process.kill('SIGKILL')
  await once(starter.process, 'exit')
  const next = await start(t, data_dir)
  assert.deepEqual(await query(next.url, 'select answer from kept'), [{ answer: 42 }])
  const log = readFileSync(path.join(data_dir, 'postgres.log'), 'utf8')
  const fast_ms = loggedAt(log, 'received immediate shutdown request') - loggedAt(log, 'received fast shutdown request')
  assert.ok(fast_ms < FAST_MS, `${fast_ms} ms`)
})

test('a stop kills a hanging server long before the limit for a slow one', async (t) => {
  const data_dir = path.join(openFolder(t), 'postgres')
  const server = await start(t, data_dir)
  const { pid } = livePostmaster(clusterOf(data_dir)) ?? assert.fail()
  process.kill(checkpointerOf(pid), 'SIGSTOP')
  const began = performance.now()
  await server.stop()
  assert.ok(performance.now() - began < FAST_MS)
  assert.deepEqual(serverProcesses(clusterOf(data_dir)), [])
})

test('a server that hangs because another process stops it is restarted by its owner', async (t) => {
  const data_dir = path.join(openFolder(t), 'postgres')
  const { url } = await start(t, data_dir, DURABLE)
  await query(url, 'create table kept as select 42 as answer')
  const { pid } = livePostmaster(clusterOf(data_dir)) ?? assert.fail()
  process.kill(checkpointerOf(pid), 'SIGSTOP')
  process.kill(pid, 'SIGINT')
  await eventually(() => isReady(data_dir) && livePostmaster(clusterOf(data_dir))?.pid !== pid)
  assert.deepEqual(await query(url, 'select answer from kept'), [{ answer: 42 }])
})

test('a server with all processes stopped is killed and restarted by its owner', async (t) => {
  const data_dir = path.join(openFolder(t), 'postgres')
  const { url } = await start(t, data_dir, DURABLE)
  await query(url, 'create table kept as select 42 as answer')
  const { pid } = livePostmaster(clusterOf(data_dir)) ?? assert.fail()
  for (const each of serverProcesses(clusterOf(data_dir))) process.kill(each, 'SIGSTOP')
  await eventually(() => isReady(data_dir) && livePostmaster(clusterOf(data_dir))?.pid !== pid)
  assert.deepEqual(await query(url, 'select answer from kept'), [{ answer: 42 }])
})

test('a server without free connections does not count as hanging', async (t) => {
  const data_dir = path.join(openFolder(t), 'postgres')
  const { url } = await start(t, data_dir, { max_connections: '5' })
  for (let n = 0; n < 5; n += 1) await connection(t, url)
  const found = livePostmaster(clusterOf(data_dir)) ?? assert.fail()
  assert.equal(await responds(found.socket_folder), true)
})

test('a backend that outlived its killed server does not prevent the next start', async (t) => {
  const { data_dir, starter, postmaster } = await startedElsewhere(t)
  await query(starter.url, 'create table kept as select 42 as answer')
  const backend = await backendPid(await connection(t, starter.url))
  process.kill(backend, 'SIGSTOP')
  starter.process.kill('SIGKILL')
  process.kill(postmaster, 'SIGKILL')
  await once(starter.process, 'exit')
  const next = await start(t, data_dir)
  assert.equal(isThere(backend), false)
  assert.deepEqual(await query(next.url, 'select answer from kept'), [{ answer: 42 }])
})

test('when a server’s owner is killed, a process that adopted the server restarts and owns it', async (t) => {
  const { data_dir, starter, postmaster } = await startedElsewhere(t)
  await query(starter.url, 'create table kept as select 42 as answer')
  const adopter = await start(t, data_dir)
  assert.equal(adopter.adopted, true)
  starter.process.kill('SIGKILL')
  await eventually(() => !isThere(postmaster) && isReady(data_dir) && ownerOf(data_dir) === process.pid)
  assert.deepEqual(await query(adopter.url, 'select answer from kept'), [{ answer: 42 }])
  await adopter.stop()
  assert.deepEqual(serverProcesses(clusterOf(data_dir)), [])
})

async function startedElsewhere(t: TestContext) {
  const data_dir = path.join(openFolder(t), 'postgres')
  const starter = await startInOtherProcess(t, data_dir, { settings: DURABLE })
  const { pid } = livePostmaster(clusterOf(data_dir)) ?? assert.fail()
  return { data_dir, starter, postmaster: pid }
}

async function connection(t: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined) // its backend is killed
  await client.connect()
  atEnd(t, () => client.end())
  return client
}

async function backendPid(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid ?? assert.fail()
}

function checkpointerOf(postmaster: number): number {
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ').map(Number)
  const found = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('checkpointer'))
  return found ?? assert.fail('no checkpointer')
}

function isReady(data_dir: string): boolean {
  return livePostmaster(clusterOf(data_dir))?.status === 'ready'
}

function ownerOf(data_dir: string): number {
  return Number(readFileSync(path.join(data_dir, 'owner'), 'utf8').split(' ')[0])
}

function isThere(pid: number): boolean {
  return taskOf(pid) !== undefined
}

/** Whether a process has used the processor for a second. */
function isComputing(pid: number): boolean {
  return (taskOf(pid)?.cpu_ms ?? 0) >= 1_000
}

/** When the server last wrote a message to its log. */
function loggedAt(log: string, message: string): number {
  const line = log.split('\n').findLast((each) => each.includes(message)) ?? assert.fail(`no "${message}"`)
  return Date.parse(line.slice(0, 23).replace(' ', 'T') + 'Z')
}
