import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { startTestServer } from '../../test/support/server.ts'
import { listEvents } from '../platform/events.ts'
import { listenHttp, outboundTo127_0_0_1 } from '../platform/outbound/testing/loopback.ts'
import { keptFiles, pullsOf, until } from './testing/pulls.ts'
import { pdf } from './testing/samples.ts'

const outbound = outboundTo127_0_0_1()
const server = await startTestServer({ parts: { outbound } })
const pulls = pullsOf(server, outbound)

const ends = async (order: string) =>
  (await listEvents(server.db, { subject_type: 'portorder', subject_id: order, limit: 50, offset: 0 })).filter((e) =>
    ['portorder.file_complete', 'portorder.file_failed'].includes(e.type),
  )

/** A process of its own that makes one attempt. */
function elsewhere(id: string) {
  const module = (path: string) => JSON.stringify(pathToFileURL(`${import.meta.dirname}/${path}`).href)
  const code = `
    import { openDatabase } from ${module('../platform/db.ts')}
    import { openFiles } from ${module('../platform/files.ts')}
    import { realClock } from ${module('../platform/clock.ts')}
    import { outboundTo127_0_0_1 } from ${module('../platform/outbound/testing/loopback.ts')}
    import { pullDocument } from ${module('pull.ts')}
    const [url, files_dir, id] = process.argv.slice(1)
    const log = { info() {}, warn() {}, error() {} }
    const { db, close } = openDatabase({ connection: url, log })
    const deps = { db, files: await openFiles(files_dir), clock: realClock, log }
    await pullDocument(deps, { outbound: outboundTo127_0_0_1(), timeout_ms: 60000 }, id, new AbortController().signal)
    await close()`
  const { database_url, files_dir } = server.runtime.installation
  return spawn(process.execPath, ['--input-type=module', '--eval', code, database_url, files_dir, id], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: 'inherit',
  })
}

test('a worker killed in the middle of a pull leaves an interrupted attempt, and the next one finishes', async (t) => {
  let come = 0
  const { port } = await listenHttp(t, (_, response) => {
    come++
    if (come === 1) response.write(pdf)
    else response.end(pdf)
  })
  const asked = await pulls.ask(`http://docs.example:${port}/a.pdf`)
  const worker = elsewhere(asked.id)
  await until(() => come === 1)
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  const cut = (await pulls.look(asked)).attributes
  assert.deepEqual([cut.status, cut.attempts.map((a) => a.outcome)], ['processing', [null]])
  await pulls.finish(asked.id)
  const { status, attempts } = (await pulls.look(asked)).attributes
  assert.equal(status, 'complete')
  assert.deepEqual(
    attempts.map((a) => a.outcome),
    ['interrupted', 'complete'],
  )
  assert.equal((await ends(asked.portorder_id)).length, 1)
})

test('of two workers with the same pull only the later one counts', async (t) => {
  const held = Promise.withResolvers<void>()
  let come = 0
  const { port } = await listenHttp(t, (_, response) => {
    come++
    if (come === 1) void held.promise.then(() => response.writeHead(404).end())
    else response.end(pdf)
  })
  const asked = await pulls.ask(`http://docs.example:${port}/a.pdf`)
  const first = pulls.attempt(asked.id)
  await until(() => come === 1)
  assert.equal(await pulls.attempt(asked.id), null)
  held.resolve()
  assert.equal(await first, null)
  const { status, attempts } = (await pulls.look(asked)).attributes
  assert.equal(status, 'complete')
  assert.deepEqual(
    attempts.map((a) => [a.outcome, a.failure_reason]),
    [
      ['interrupted', null],
      ['complete', null],
    ],
  )
  assert.equal((await ends(asked.portorder_id)).length, 1)
})

test('a worker that is told to stop gives the pull back and counts nothing against it', async (t) => {
  let come = 0
  const { port } = await listenHttp(t, (_, response) => {
    come++
    if (come === 1) response.write(pdf)
    else response.end(pdf)
  })
  const before = await keptFiles(server)
  const asked = await pulls.ask(`http://docs.example:${port}/stopped.pdf`)
  const stop = new AbortController()
  const stopped = pulls.attempt(asked.id, 60_000, stop.signal)
  await until(() => come === 1)
  stop.abort(new Error('the worker is stopping'))
  await assert.rejects(stopped, { name: 'AbortError' })
  assert.deepEqual(await keptFiles(server), before)
  await pulls.finish(asked.id)
  const { status, attempts } = (await pulls.look(asked)).attributes
  assert.deepEqual([status, attempts.map((a) => a.outcome)], ['complete', ['interrupted', 'complete']])
})

test('a pull that ends worker after worker is given up', async (t) => {
  const { port, arrived } = await listenHttp(t, (_, response) => response.end(pdf))
  const asked = await pulls.ask(`http://docs.example:${port}/a.pdf`)
  await server.db.updateTable('port_order_document').set({ attempts: 12 }).where('id', '=', asked.id).execute()
  await pulls.finish(asked.id)
  const { status, failure_reason } = (await pulls.look(asked)).attributes
  assert.equal(status, 'error')
  assert.match(failure_reason ?? '', /could not finish the pull/)
  assert.equal(arrived.length, 0)
})
