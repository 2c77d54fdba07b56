import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { claimFolder } from './folder-claim.ts'
import { silentLog } from './postgres/log.ts'

/** Containers are simulated by the names of claims; test/containers.test.ts starts real ones. */

const stale_ms = 400

function setUp(t: TestContext, options = { stale_ms }) {
  const data_dir = mkdtempSync(path.join(os.tmpdir(), 'demarc-claim-'))
  t.after(() => rmSync(data_dir, { recursive: true }))
  const claims = path.join(data_dir, 'claims')
  const claim = (name: string, onLost: () => void = () => assert.fail('lost')) =>
    claimFolder(data_dir, { log: silentLog, onLost, ...options, name, isOwn: (each) => each[0] === name[0] })
  return { data_dir, claims, claim }
}

/** Renews a claim more often than once a second. */
function renewing(t: TestContext, file: string): void {
  const timer = setInterval(() => existsSync(file) && utimesSync(file, new Date(), new Date()), 20)
  t.after(() => clearInterval(timer))
}

test('processes in one container share the folder, and leave nothing behind', async (t) => {
  const { claims, claim } = setUp(t)
  const releases = await Promise.all([claim('a-1'), claim('a-2')])
  assert.deepEqual(readdirSync(claims), ['a-1', 'a-2'])
  for (const release of releases) release()
  assert.deepEqual(readdirSync(claims), [])
})

test('another container is refused while one runs, and starts at once when it has stopped', async (t) => {
  const long_ms = 60_000
  const { claims, claim } = setUp(t, { stale_ms: long_ms })
  const release = await claim('a-1')
  renewing(t, path.join(claims, 'a-1'))
  await assert.rejects(claim('b-1'), /Another container or machine \(\S+\) runs the embedded database in \S+\. Stop it/)
  assert.deepEqual(readdirSync(claims), ['a-1'])
  release()
  const began = performance.now()
  const later = await claim('b-1')
  assert.ok(performance.now() - began < long_ms)
  later()
})

test('the claim of a killed container is taken over when it is stale', async (t) => {
  const { claims, claim } = setUp(t)
  ;(await claim('b-1'))()
  writeFileSync(path.join(claims, 'a-1'), 'running gone\n')
  const began = performance.now()
  const release = await claim('b-1')
  assert.ok(performance.now() - began >= stale_ms)
  assert.deepEqual(readdirSync(claims), ['b-1'])
  release()
})

test('of two containers that start at the same time, one continues', async (t) => {
  const { claims, claim } = setUp(t)
  ;(await claim('a-1'))()
  for (const name of ['a-1', 'b-1']) renewing(t, path.join(claims, name))
  const [first, second] = await Promise.allSettled([claim('a-1'), claim('b-1')])
  assert.equal(first.status, 'fulfilled')
  assert.equal(second.status, 'rejected')
  if (first.status === 'fulfilled') first.value()
})

test('a container whose claim was taken over is told', async (t) => {
  const { claims, claim } = setUp(t)
  const lost = Promise.withResolvers<void>()
  await claim('a-1', lost.resolve)
  writeFileSync(path.join(claims, 'b-1'), 'running other\n')
  rmSync(path.join(claims, 'a-1'))
  await lost.promise
})
