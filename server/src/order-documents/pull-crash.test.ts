import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { eventually } from '../../test/support/eventually.ts'
import { startTestServer } from '../../test/support/server.ts'
import { listEvents } from '../platform/events.ts'
import { listenHttp, outboundTo127_0_0_1 } from '../platform/outbound/testing/loopback.ts'
import { storedFiles, pullTester } from './testing/pulls.ts'
import { pdf } from './testing/samples.ts'

const outbound = outboundTo127_0_0_1()
const server = await startTestServer({ overrides: { outbound } })
const pulls = pullTester(server, outbound)

const ends = async (order: string) =>
  (await listEvents(server.db, { subject_type: 'portorder', subject_id: order, limit: 50, offset: 0 })).filter((e) =>
    ['portorder.file_complete', 'portorder.file_failed'].includes(e.type),
  )

/** A separate process that runs one attempt. */
function spawnAttempt(id: string) {
  const module = (path: string) => JSON.stringify(pathToFileURL(`${import.meta.dirname}/${path}`).href)
  const code = `
    import { openDatabase } from ${module('../platform/db.ts')}
    import { openLocalFiles } from ${module('../platform/files/local.ts')}
    import { realClock } from ${module('../platform/clock.ts')}
    import { outboundTo127_0_0_1 } from ${module('../platform/outbound/testing/loopback.ts')}
    import { pullDocument } from ${module('pull.ts')}
    const [url, files_dir, id] = process.argv.slice(1)
    const log = { info() {}, warn() {}, error() {} }
    const { db, close } = openDatabase({ connection: url, log })
    const deps = { db, files: await openLocalFiles(files_dir), clock: realClock, log }
    const storage = { room: async () => Infinity, hasRoom: async () => true }
    const egress = { outbound: outboundTo127_0_0_1(), timeout_ms: 60000, storage }
    await pullDocument(deps, egress, id, new AbortController().signal)
    await close()`
  const { database_url, files_dir } = server.runtime.installation
  return spawn(process.execPath, ['--input-type=module', '--eval', code, database_url, files_dir, id], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: 'inherit',
  })
}

test('a worker killed in the middle of a pull leaves an interrupted attempt, and the next one finishes', async (t) => {
  let requests = 0
  const { port } = await listenHttp(t, (_, response) => {
    requests++
    if (requests === 1) response.write(pdf)
    else response.end(pdf)
  })
  const pulled = await pulls.request(`http://docs.example:${port}/a.pdf`)
  const worker = spawnAttempt(pulled.id)
  await eventually(async () => requests === 1)
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  const cut = (await pulls.get(pulled)).attributes
  assert.deepEqual([cut.status, cut.attempts.map((a) => a.outcome)], ['processing', [null]])
  await pulls.finish(pulled.id)
  const { status, attempts } = (await pulls.get(pulled)).attributes
  assert.equal(status, 'complete')
  assert.deepEqual(
    attempts.map((a) => a.outcome),
    ['interrupted', 'complete'],
  )
  assert.equal((await ends(pulled.portorder_id)).length, 1)
})

test('if two workers run the same pull, only the later result counts', async (t) => {
  const delayed = Promise.withResolvers<void>()
  let requests = 0
  const { port } = await listenHttp(t, (_, response) => {
    requests++
    if (requests === 1) void delayed.promise.then(() => response.writeHead(404).end())
    else response.end(pdf)
  })
  const pulled = await pulls.request(`http://docs.example:${port}/a.pdf`)
  const first = pulls.attempt(pulled.id)
  await eventually(async () => requests === 1)
  assert.equal(await pulls.attempt(pulled.id), null)
  delayed.resolve()
  assert.equal(await first, null)
  const { status, attempts } = (await pulls.get(pulled)).attributes
  assert.equal(status, 'complete')
  assert.deepEqual(
    attempts.map((a) => [a.outcome, a.failure_reason]),
    [
      ['interrupted', null],
      ['complete', null],
    ],
  )
  assert.equal((await ends(pulled.portorder_id)).length, 1)
})

test('a stopping worker releases the pull without counting a failure', async (t) => {
  let requests = 0
  const { port } = await listenHttp(t, (_, response) => {
    requests++
    if (requests === 1) response.write(pdf)
    else response.end(pdf)
  })
  const before = await storedFiles(server)
  const pulled = await pulls.request(`http://docs.example:${port}/stopped.pdf`)
  const stop = new AbortController()
  const stopped = pulls.attempt(pulled.id, 60_000, stop.signal)
  await eventually(async () => requests === 1)
  const reason = new Error('the worker is stopping')
  stop.abort(reason)
  // the reason itself until the response begins to arrive, afterward the cause of another error
  await assert.rejects(stopped, (error: Error) => error === reason || error.cause === reason)
  assert.deepEqual(await storedFiles(server), before)
  await pulls.finish(pulled.id)
  const { status, attempts } = (await pulls.get(pulled)).attributes
  assert.deepEqual([status, attempts.map((a) => a.outcome)], ['complete', ['interrupted', 'complete']])
})

test('a pull that keeps crashing its worker fails', async (t) => {
  const { port, requests } = await listenHttp(t, (_, response) => response.end(pdf))
  const pulled = await pulls.request(`http://docs.example:${port}/a.pdf`)
  await server.db.updateTable('port_order_document').set({ attempts: 12 }).where('id', '=', pulled.id).execute()
  await pulls.finish(pulled.id)
  const { status, failure_reason } = (await pulls.get(pulled)).attributes
  assert.equal(status, 'error')
  assert.match(failure_reason ?? '', /could not pull the document/)
  assert.equal(requests.length, 0)
})
