import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import type pg from 'pg'
import { testEngine } from '../../../test/support/engine.ts'
import { startTestServer } from '../../../test/support/server.ts'
import { createCoverage, DEMO_DATASET, demoTownCsv, importDataset, readCoverage } from '../../e911/index.ts'

const engine = await testEngine()
const server = await startTestServer({ engine_socket: engine.socket })
const { pool } = server.runtime.database

test('without street data the coverage is the postal codes', async () => {
  assert.deepEqual(await readCoverage(pool), {
    postal_only: true,
    words: 'postal codes only, because no street data is active',
  })
})

test('the coverage is counted once for all who ask while the data stays as it is', async () => {
  let counted = 0
  const counting = {
    query: (text: string) => {
      if (text.includes('e911_area')) counted++
      return pool.query(text)
    },
  } as unknown as pg.Pool
  const coverage = createCoverage(counting)
  await Promise.all([coverage(), coverage(), coverage()])
  await coverage()
  assert.equal(counted, 1)
})

test('a coverage that could not be told is asked for anew', async () => {
  let away = true
  const flaky = {
    query: (text: string) =>
      away && text.includes('e911_area') ? Promise.reject(new Error('away')) : pool.query(text),
  } as unknown as pg.Pool
  const coverage = createCoverage(flaky)
  await assert.rejects(coverage(), /away/)
  away = false
  assert.equal((await coverage()).postal_only, true)
})

test('readiness says what is covered, also when that has just changed', async () => {
  assert.match((await server.anonymous.ready()).body.parts['e911']?.detail ?? '', /^postal codes only/)
  const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-town-'))
  const file = path.join(folder, 'town.csv')
  await writeFile(file, demoTownCsv())
  await importDataset(pool, { ...DEMO_DATASET, file, activate: true, now: server.clock.now() })
  await rm(folder, { recursive: true })
  assert.deepEqual((await server.anonymous.ready()).body.parts['e911'], {
    status: 'ready',
    detail: 'streets of QC, WI in 1 dataset; elsewhere postal codes only',
  })
})
