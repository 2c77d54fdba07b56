import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { testEngine } from '../../../test/support/engine.ts'
import { startTestServer } from '../../../test/support/server.ts'
import { createCoverage, importDataset, readCoverage } from './index.ts'
import type { Db } from '../../platform/db.ts'
import { noFollowUps } from './switch.ts'
import { DEMO_DATASET, demoTownCsv } from '../../../seed/town.ts'

const engine = await testEngine()
const server = await startTestServer({ engine_socket: engine.socket })
const { db, pool } = server.runtime.database

test('without street data the coverage is the postal codes', async () => {
  assert.deepEqual(await readCoverage(db), {
    postal_only: true,
    description: 'postal codes only, because no street data is active',
  })
})

/** The database, with a function that is called before each count of the streets. */
const watched = (onCount: () => void): Db =>
  db.withPlugin({
    transformQuery({ node }) {
      if (JSON.stringify(node).includes('e911_area')) onCount()
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  })

test('the coverage is counted once for all callers until other data is active', async () => {
  let counted = 0
  const coverage = createCoverage(watched(() => counted++))
  await Promise.all([coverage(), coverage(), coverage()])
  await coverage()
  assert.equal(counted, 1)
})

test('a coverage that could not be read is not cached', async () => {
  let broken = true
  const coverage = createCoverage(
    watched(() => {
      if (broken) throw new Error('connection lost')
    }),
  )
  await assert.rejects(coverage(), /connection lost/)
  broken = false
  assert.equal((await coverage()).postal_only, true)
})

test('readiness shows the current coverage, even right after a change', async () => {
  assert.match((await server.anonymous.ready()).body.parts['e911']?.detail ?? '', /^postal codes only/)
  const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-town-'))
  const file = path.join(folder, 'town.csv')
  await writeFile(file, demoTownCsv())
  await importDataset(pool, { ...DEMO_DATASET, follow_ups: noFollowUps, file, activate: true, now: server.clock.now() })
  await rm(folder, { recursive: true })
  assert.deepEqual((await server.anonymous.ready()).body.parts['e911'], {
    status: 'ready',
    detail: 'streets of QC, WI in 1 dataset; elsewhere postal codes only',
  })
})
