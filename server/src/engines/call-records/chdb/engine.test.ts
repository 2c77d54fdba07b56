import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { callRecord, ACCOUNT, ALL_TIME } from '../testing/records.ts'
import { retryUntilAvailable, testEngine } from '../../../../test/support/engine.ts'
import { commandOf } from '../../../../test/support/service.ts'
import { allPids } from '../../../platform/processes.ts'
import { connect } from '../clickhouse.ts'
import { WarehouseUnavailable } from '../errors.ts'
import { openWarehouse } from '../warehouse.ts'
import { startChild } from './child.ts'
import { heartbeat, socketPath } from './socket.ts'
import { EngineStartError, startEngine, type EngineEvent } from './supervisor.ts'
import { eventually } from '../../../../test/support/eventually.ts'

/** Takes about ten seconds unless interrupted. */
const LONG_QUERY = 'SELECT toString(count()) FROM numbers_mt(20000000000) WHERE cityHash64(number) % 7 = 3'
const linux = process.platform === 'linux'
const QUERY = { account_id: ACCOUNT, filter: ALL_TIME }

describe('an engine that fails', () => {
  for (const [how, signal] of [
    ['is killed', 'SIGKILL'],
    ['hangs', 'SIGSTOP'],
    ['crashes natively', 'SIGSEGV'],
  ] as const) {
    test(`${how} during a query is replaced: the query fails as unavailable, and succeeds on retry`, async () => {
      const { engine, events } = await watched()
      const warehouse = openWarehouse({ at: { socket: engine.socket } })
      const clickhouse = connect({ at: { socket: engine.socket } })
      after(() => Promise.all([warehouse.close(), clickhouse.close()]))
      await warehouse.ensureSchema()
      await warehouse.insert([callRecord({ id: 'kept' })])

      const first = owned(engine.pid())
      const failed = assert.rejects(clickhouse.rows(LONG_QUERY), WarehouseUnavailable)
      await busy(engine.socket)
      process.kill(first, signal)
      await failed

      assert.equal(await retryUntilAvailable(() => warehouse.count(QUERY)), 1, 'acknowledged records are stored')
      assert.notEqual(owned(engine.pid()), first)
      assert.ok(hasEnded(first))
      assert.ok(events.some((event) => event.type === 'lost'))
    })
  }

  test('is restarted after being killed during startup', { skip: !linux && 'needs /proc' }, async () => {
    const folder = await scratch()
    const starting = startEngine({ folder })
    let pid: number | undefined
    await eventually(() => {
      pid = allPids().find((each) => new RegExp(`/main\\.ts\0${folder}\0`).test(commandOf(each)))
      return pid !== undefined
    })
    process.kill(owned(pid), 'SIGKILL')
    const engine = await starting
    after(() => engine.stop())
    assert.notEqual(engine.pid(), pid)
    assert.notEqual(await heartbeat(engine.socket, 20_000), undefined)
  })

  test('makes queries wait until it is back', async () => {
    const { engine } = await watched()
    const warehouse = openWarehouse({ at: { socket: engine.socket } })
    after(() => warehouse.close())
    await warehouse.ensureSchema()
    const pid = owned(engine.pid())
    process.kill(pid, 'SIGKILL')
    // Its threads end one by one; until the last one ends, the socket accepts connections and drops them.
    await eventually(async () => !(await acceptsConnections(engine.socket)) || engine.pid() !== pid)
    await warehouse.insert([callRecord()])
    assert.equal(await warehouse.count(QUERY), 1)
  })
})

describe('an engine that is not needed anymore', () => {
  for (const state of ['runs', 'hangs'] as const) {
    test(`exits when its parent is killed, even if it ${state}`, async () => {
      const folder = await scratch()
      const parent = fork(join(import.meta.dirname, 'testing/parent.ts'), [folder], { stdio: 'inherit', execArgv: [] })
      const [{ pid }] = (await once(parent, 'message')) as [{ pid: number }]
      if (state === 'hangs') process.kill(pid, 'SIGSTOP')
      parent.kill('SIGKILL')
      await eventually(() => hasEnded(pid))
    })
  }

  test('has exited when stop returns', async () => {
    const engine = await startEngine({ folder: await scratch() })
    const pid = owned(engine.pid())
    await engine.stop()
    assert.ok(hasEnded(pid))
    assert.equal(engine.pid(), undefined)
  })
})

describe('a data folder', () => {
  test('has one engine: the second process attaches to it, and takes over when its owner exits', async () => {
    const folder = await scratch()
    const first = await startEngine({ folder })
    const second = await startEngine({ folder })
    after(() => second.stop())
    assert.equal(second.socket, first.socket)
    assert.equal(second.pid(), undefined)

    const warehouse = openWarehouse({ at: { socket: second.socket } })
    after(() => warehouse.close())
    await warehouse.ensureSchema()
    await warehouse.insert([callRecord()])
    await first.stop()
    await eventually(() => second.pid() !== undefined)
    assert.equal(await retryUntilAvailable(() => warehouse.count(QUERY)), 1)
  })

  test('locked by another process causes an error with the remedy', async () => {
    const folder = await scratch()
    const other = await startChild({ folder, socket: join(folder, 'elsewhere.sock') }, new AbortController().signal)
    assert.equal(other.status, 'ready')
    after(() => 'child' in other && other.child.kill('SIGKILL'))
    await assert.rejects(startEngine({ folder, attach_ms: 300 }), (error: unknown) => {
      assert.ok(error instanceof EngineStartError)
      assert.match(error.message, /in use by another process/)
      assert.match(error.message, /DEMARC_DATA/)
      return true
    })
  })

  test('with a path too long for a socket gets a socket elsewhere', async () => {
    const folder = join(await scratch(), 'x'.repeat(60), 'y'.repeat(60))
    await mkdir(folder, { recursive: true })
    const engine = await startEngine({ folder })
    after(() => engine.stop())
    assert.ok(Buffer.byteLength(engine.socket) <= 107)
    assert.ok(!engine.socket.startsWith(folder))
    assert.equal(engine.socket, socketPath(folder))
    assert.notEqual(await heartbeat(engine.socket, 20_000), undefined)
  })
})

describe('the engine process', () => {
  test('restarts when it is idle and uses too much memory', async () => {
    const { engine, events } = await watched({ idle_rss_bytes: 1, idle_ms: 1500 })
    const first = owned(engine.pid())
    await eventually(
      () =>
        events.some((event) => event.type === 'recycled') &&
        events.filter((event) => event.type === 'started').length > 1,
    )
    assert.ok(hasEnded(first))
    const warehouse = openWarehouse({ at: { socket: engine.socket } })
    after(() => warehouse.close())
    await retryUntilAvailable(() => warehouse.ready())
  })

  test('inherits no secrets', { skip: !linux && 'needs /proc' }, async () => {
    process.env['DEMARC_CANARY'] = 'canary-of-the-engine-test'
    const { engine } = await watched()
    delete process.env['DEMARC_CANARY']
    const environment = readFileSync(`/proc/${owned(engine.pid())}/environ`, 'utf8')
    assert.match(environment, /UV_THREADPOOL_SIZE/)
    assert.doesNotMatch(environment, /canary/)
  })

  test('ignores the signals that a terminal sends to the whole group', async () => {
    const { engine } = await watched()
    const pid = owned(engine.pid())
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal)
    await sleep(300)
    assert.equal(engine.pid(), pid)
    assert.notEqual(await heartbeat(engine.socket, 20_000), undefined)
  })
})

async function watched(options: Parameters<typeof testEngine>[0] = {}) {
  const events: EngineEvent[] = []
  const engine = await testEngine({ ...options, on: (event) => events.push(event) })
  return { engine, events }
}

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cdr-engine-'))
  after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function owned(pid: number | undefined): number {
  assert.ok(pid !== undefined, 'no engine runs')
  return pid
}

async function acceptsConnections(socket: string): Promise<boolean> {
  const connection = createConnection(socket)
  try {
    await once(connection, 'connect')
    return true
  } catch (error) {
    // reset: the listener was closed while the connection waited for it
    if (
      error instanceof Error &&
      'code' in error &&
      ['ECONNREFUSED', 'ECONNRESET', 'ENOENT'].includes(String(error.code))
    )
      return false
    throw error
  } finally {
    connection.destroy()
  }
}

async function busy(socket: string): Promise<void> {
  await eventually(async () => ((await heartbeat(socket, 500))?.busy ?? 0) > 0)
}

/** Whether a process has ended. A zombie that init has not reaped yet counts as ended. */
function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return true
    throw error
  }
  return process.platform === 'linux' && /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
}
