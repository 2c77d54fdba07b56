import assert from 'node:assert/strict'
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { callRecord } from '../engines/call-records/testing/records.ts'
import { testEngine } from '../../test/support/engine.ts'
import { completedExport, download } from '../../test/support/exports.ts'
import { startTestServer } from '../../test/support/server.ts'

const engine = await testEngine()
const server = await startTestServer({ worker: true, engine_socket: engine.socket })
const { files } = server.runtime.deps
const { files_dir } = server.runtime.installation

const put = async (text: string) => (await files.putStream(Readable.from([text]))).digest
const yesterday = () => new Date(Date.now() - 25 * 3_600_000)
/** Sets the modification time of a file to more than a day ago. */
const age = (digest: string) =>
  utimes(join(files_dir, digest.slice(0, 2), digest.slice(2, 4), digest), yesterday(), yesterday())
const isKept = async (digest: string) => (await files.stat(digest)) !== null
/** Runs the next daily housekeeping. */
const nextRound = () => server.operator.moveClock({ body: { advance: '1 day' } })

test('the daily housekeeping removes old unreferenced files, and no others', async () => {
  await server.runtime.warehouse.insert([callRecord({ account_id: server.account.id })])
  const done = await completedExport(server.account)
  const [orphan, recent] = [await put('of a transaction that was rolled back'), await put('of one in progress')]
  for (const digest of [orphan, String(done.attributes.sha256)]) await age(digest)
  await nextRound()
  assert.equal(await isKept(orphan), false)
  assert.equal(await isKept(recent), true)
  await download(done)
})

test('more orphans than one query looks up are all removed', async () => {
  const orphans: string[] = []
  for (let i = 0; i < 520; i++) orphans.push(await put(`orphan ${i}`))
  for (const digest of orphans) await age(digest)
  await nextRound()
  for (const digest of orphans) assert.equal(await isKept(digest), false)
})
