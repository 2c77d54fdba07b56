import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import type pg from 'pg'
import { testDatabase } from '../../../test/support/database.ts'
import { kyselyForPool } from '../../platform/db.ts'
import { importText, openAddresses } from './testing/import.ts'
import { clearDatasets } from './clear.ts'
import { coverageByState } from './coverage-store.ts'
import { listDatasets } from './store.ts'
import { activateDataset, dropDataset, noFollowUps } from './switch.ts'
import { DatasetBusy, DatasetRemoved, type ImportOptions } from './import/importer.ts'
import type { Source } from './import/source.ts'
import { createStaging, lockDataset, lockName, prepareSession } from './import/staging-store.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const ONE = openAddresses('12 Main St|Hertford|NC|27944')
const MANY = openAddresses(...Array.from({ length: 30_000 }, (_, i) => `${i + 1} Main St|Hertford|NC|27944`))
const load = (pool: pg.Pool, vintage: string, options: Partial<ImportOptions> = {}, text = ONE) =>
  importText(pool, 'openaddresses-csv', text, { vintage, ...options })
const clear = (pool: pg.Pool, signal = new AbortController().signal) => clearDatasets(kyselyForPool(pool), signal)
const statuses = async (pool: pg.Pool) =>
  (await listDatasets(kyselyForPool(pool))).map(({ vintage, status, failure }) => [vintage, status, failure])
const count = async (pool: pg.Pool, table: string) =>
  Number((await pool.query<{ n: string }>(`select count(*) as n from ${table}`)).rows[0]?.n)
const staged = (pool: pg.Pool) => count(pool, `pg_class where relname like 'e911_staging%'`)

describe('activating', () => {
  test('a dataset that is not loaded changes nothing', async (t) => {
    const { pool } = await testDatabase(t)
    await load(pool, '1')
    await assert.rejects(load(pool, '2', {}, 'number,road\n1,Main St\n'), /no column street/)
    const failed = (await listDatasets(kyselyForPool(pool))).find(({ vintage }) => vintage === '2')?.id ?? assert.fail()
    for (const id of [failed, 999])
      assert.equal(await activateDataset(kyselyForPool(pool), id, { now: NOW, follow_ups: noFollowUps }), 'not loaded')
    assert.equal((await coverageByState(kyselyForPool(pool)))[0]?.streets, 1)
  })
})

describe('a dropped dataset', () => {
  test('has no effect, and its streets are deleted in batches that can be aborted', async (t) => {
    const { pool } = await testDatabase(t)
    const { dataset } = await load(pool, '1')
    // enough rows for several batches
    await pool.query(
      `insert into e911_street (dataset_id, country, state, postal, city, city_key, city_derived, label, key, esn, psap)
       select dataset_id, country, state, postal, city, city_key, city_derived, label, key, esn, psap
       from e911_street, generate_series(1, 25000)`,
    )
    await pool.query('update e911_dataset set last_street = (select max(id) from e911_street)')
    const kept = (await load(pool, 'kept', { name: 'Another' })).dataset.id
    assert.ok(await dropDataset(kyselyForPool(pool), dataset.id, NOW, noFollowUps))
    assert.deepEqual(await statuses(pool), [['kept', 'active', null]])
    assert.equal((await coverageByState(kyselyForPool(pool)))[0]?.streets, 1)

    let checks = 0
    const stopping = { throwIfAborted: () => assert.ok(++checks < 3, 'the worker is stopping') } as AbortSignal
    await assert.rejects(clear(pool, stopping), /stopping/)
    const remaining = await count(pool, 'e911_street')
    assert.ok(remaining > 1 && remaining < 25_002, String(remaining))
    assert.equal(await clear(pool), true)
    assert.deepEqual(
      (
        await pool.query<{ dataset_id: number }>(
          'select dataset_id from e911_street union all select dataset_id from e911_area',
        )
      ).rows,
      [{ dataset_id: kept }, { dataset_id: kept }],
    )
    assert.equal(await count(pool, 'e911_dropped'), 0)
    assert.equal(await clear(pool), true)
  })

  test('frees its name and vintage immediately', async (t) => {
    const { pool } = await testDatabase(t)
    const first = (await load(pool, '1')).dataset.id
    assert.ok(await dropDataset(kyselyForPool(pool), first, NOW, noFollowUps))
    const second = (await load(pool, '1')).dataset.id
    await clear(pool)
    assert.notEqual(second, first)
    assert.equal(await count(pool, 'e911_street'), 1)
  })
})

describe('an import', () => {
  test('reports its progress, which never decreases and is 1 only when it is loaded', async (t) => {
    const { pool } = await testDatabase(t)
    const reported: number[] = []
    const recorded: ReturnType<typeof listDatasets>[] = []
    const onProgress = ({ progress }: { progress: number }) => {
      reported.push(progress)
      recorded.push(listDatasets(kyselyForPool(pool)))
    }
    const { dataset } = await load(pool, '1', { onProgress }, MANY)
    assert.ok(reported.length >= 2)
    assert.deepEqual(
      reported,
      reported.toSorted((a, b) => a - b),
    )
    assert.ok(reported.every((progress) => progress < 1))
    // the last ones may be read after the end
    const datasets = (await Promise.all(recorded)).flat()
    assert.equal(datasets.length, reported.length)
    for (const { progress, status } of datasets)
      assert.equal(progress === 1, status !== 'loading', `${progress} while it is ${status}`)
    assert.equal(dataset.progress, 1)
  })

  test('ends if its dataset is dropped, and leaves no rows or tables', async (t) => {
    const { pool } = await testDatabase(t)
    const bytes = Buffer.from(MANY)
    let dropping: Promise<boolean> | undefined
    async function* withPause(start: number, end: number) {
      const middle = Math.max(start, Math.floor(end / 2))
      yield bytes.subarray(start, middle)
      const [dataset] = await listDatasets(kyselyForPool(pool))
      if (dataset) await (dropping ??= dropDataset(kyselyForPool(pool), dataset.id, NOW, noFollowUps))
      yield bytes.subarray(middle, end)
    }
    const file: Source = {
      name: 'many.csv',
      bytes: bytes.length,
      read: async ({ start = 0, end = bytes.length } = {}) => Readable.from(withPause(start, end)),
    }
    await assert.rejects(load(pool, '1', { file }), DatasetRemoved)
    assert.equal(await dropping, true)
    assert.deepEqual(await statuses(pool), [])
    assert.equal(await clear(pool), true)
    assert.deepEqual([await staged(pool), await count(pool, 'e911_street'), await count(pool, 'e911_area')], [0, 0, 0])
  })

  test('is marked as failed by the cleanup job after it was killed, but not while a session loads it', async (t) => {
    const { pool } = await testDatabase(t)
    await pool.query(
      `insert into e911_dataset (name, vintage, format, kind, authority, status, created_at) values ('Test', '1', 'nad-csv', 'point', 'indicative', 'loading', now())`,
    )
    const id = (await listDatasets(kyselyForPool(pool)))[0]?.id ?? assert.fail()
    const client = await pool.connect()
    await prepareSession(client)
    await createStaging(client, id, 3)
    assert.ok((await lockName(client, 'Test')) && (await lockDataset(client, id)))
    assert.equal(await clear(pool), false)
    assert.deepEqual([await staged(pool), await statuses(pool)], [1, [['1', 'loading', null]]])
    client.release(true)
    // the server releases the locks a moment later, one after the other
    for (;;) if (await clear(pool)) break
    assert.equal(await staged(pool), 0)
    assert.deepEqual(await statuses(pool), [['1', 'failed', 'The import was interrupted. Run it again.']])
    assert.equal((await load(pool, '1')).dataset.id, id)
  })

  test('that a job will load is not begun from the command line', async (t) => {
    const { pool } = await testDatabase(t)
    await pool.query(
      `insert into e911_dataset (name, vintage, format, kind, authority, status, created_at, upload) values ('Test', '1', 'nad-csv', 'point', 'indicative', 'loading', now(), '{}')`,
    )
    await assert.rejects(load(pool, '1'), DatasetBusy)
    assert.equal(await clear(pool), true)
    assert.deepEqual(await statuses(pool), [['1', 'loading', null]])
  })
})
