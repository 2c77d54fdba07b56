import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { CallRecordsMissingError } from '@demarc/client'
import { testEngine } from '../../test/support/engine.ts'
import { eventually } from '../../test/support/eventually.ts'
import { askExport, completedExport, download, exportEnded } from '../../test/support/exports.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'
import { connect } from '../engines/call-records/clickhouse.ts'
import { call, ndjson, type Sent } from '../engines/call-records/ingest/testing/bodies.ts'
import { listEvents, operatorChain } from '../platform/events.ts'
import { coldGauges, freezeOld } from './cold-jobs.ts'
import { loadJob } from './cold-requests.ts'
import { findCold, findFiles } from './cold-store.ts'
import { loadMonth } from './cold.ts'
import { deleteMonth, freezeMonths } from './freeze.ts'
import { checkLedger } from './ledger.ts'
import { findMonth } from './ledger-store.ts'

/** Months of call records in the file store, over HTTP. */

const engine = await testEngine()
const server = await startTestServer({
  worker: true,
  engine_socket: engine.socket,
  env: { CDR_COLD_AFTER: '13 months' },
})
const { operator, db } = server
const { deps, warehouse } = server.runtime
const { signal } = new AbortController()
const settled = { settled_us: 0, signal }

const now = deps.clock.now()
/** The nth month before this one. */
const monthAgo = (n: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - n))
const nameOf = (n: number) => monthAgo(n).toISOString().slice(0, 7)
/** The range of months that the tests use. */
const range = {
  start_call_start_time: monthAgo(15).toISOString().slice(0, 19).replace('T', ' '),
  start_call_end_time: monthAgo(0).toISOString().slice(0, 19).replace('T', ' '),
}
const cold_months = [15, 14]

function callsOf({ id: account_id }: TestAccount, count: number): Sent[] {
  return cold_months.concat([13, 12, 6, 1]).flatMap((n) =>
    Array.from({ length: count }, (_, i) => {
      const start = new Date(monthAgo(n).getTime() + (i * 27 * 86_400_000) / count)
      return call(`${n} ${i}`, {
        account_id,
        start_time: start.toISOString(),
        end_time: new Date(start.getTime() + 1000 * i).toISOString(),
        number_alias: i % 2 === 0 ? 'Front desk' : 'Line "2"\nof two',
        cost_subtotal: `${i}.0000000${i % 10}`,
        call_fail_sip_code: i % 3 === 0 ? 486 : null,
        custom_x_tags: i % 4 === 0 ? [] : ['naïve|\u0000', String(i)],
      })
    }),
  )
}

async function ingest(calls: readonly Sent[]) {
  const body = ndjson(calls)
  const { accepted, duplicates, rejected } = (await operator.ingestCdrs({ body, content_type: 'application/x-ndjson' }))
    .body.data
  return { accepted, duplicates, rejected }
}

const body = (type: string, more: object = {}) =>
  ({ data: { type, attributes: { ...more, filter_parameters: range } } }) as never

/** Everything that an account sees of its calls. */
async function everything(account: TestAccount) {
  const { client } = account
  const files = []
  for (const format of ['csv', 'ndjson'] as const) {
    const { attributes } = await completedExport(account, range, { format })
    const { sha256, num_calls, total_cost, call_subtotal, billed_minutes } = attributes
    files.push({ sha256, num_calls, total_cost, call_subtotal, billed_minutes })
  }
  const filter = { ...range, number_aliases: ['Front desk'], duration_less_than: '100' }
  const filtered = await download(await completedExport(account, filter))
  return {
    files,
    filtered: filtered.toString('base64'),
    by_month: (await client.summarizeCdrs({ body: body('cdrsummary', { group_by: 'month' }) })).body.data,
    by_alias: (await client.summarizeCdrs({ body: body('cdrsummary', { group_by: 'alias' }) })).body.data,
    newest: (await client.sampleCdrs({ body: body('cdrsample') })).body.data,
    estimate: (await client.estimateCdrExport({ body: body('cdrexport') })).body.data,
  }
}

const pathOf = (sha256: string) =>
  path.join(server.runtime.installation.files_dir, sha256.slice(0, 2), sha256.slice(2, 4), sha256)

async function rowsIn({ id }: TestAccount, month: string): Promise<number> {
  const direct = connect({ at: { socket: engine.socket } })
  try {
    const [row] = await direct.rows<[string]>(
      `SELECT toString(count()) FROM demarc.cdr WHERE account_id = ${id} AND formatDateTime(start_time, '%Y-%m') = '${month}'`,
    )
    return Number(row?.[0])
  } finally {
    await direct.close()
  }
}

const stateOf = async ({ id: account_id }: TestAccount, month: string) =>
  (await findCold(db, { account_id, month }))?.state
const openAlerts = async () => (await operator.listAlerts()).body.data.map(({ attributes }) => attributes)
const freezeAll = () => freezeOld(deps, warehouse, 13, settled)

/** Makes loaded months cold again, as a night a day later does. */
async function freezeAgain({ id: account_id }: TestAccount) {
  // a worker may still load the month, or try to
  await eventually(
    async () => (await db.selectFrom('job').select('key').where('kind', '=', loadJob).execute()).length === 0,
  )
  await db
    .updateTable('cdr_cold')
    .set({ kept_until: new Date(0) })
    .where('account_id', '=', account_id)
    .execute()
  await freezeAll()
}

test('months that are old enough become files, and exports, summaries, samples, and estimates stay the same', async () => {
  const account = await server.newAccount('Same')
  const calls = callsOf(account, 60)
  assert.deepEqual(await ingest(calls), { accepted: 360, duplicates: 0, rejected: 0 })
  const before = await everything(account)
  assert.equal(await coldGauges.due(deps, 13), 2)
  await freezeAll()
  for (const n of cold_months) {
    assert.equal(await stateOf(account, nameOf(n)), 'cold')
    assert.equal(await rowsIn(account, nameOf(n)), 0)
  }
  assert.equal(await stateOf(account, nameOf(13)), undefined, 'its end is not more than 13 months ago')
  assert.equal(await rowsIn(account, nameOf(13)), 60)
  assert.deepEqual([await coldGauges.due(deps, 13), await coldGauges.months(deps)], [0, 2])
  const metrics = await (await fetch(`${server.base_url}/metrics`)).text()
  assert.match(metrics, /^demarc_cold_call_record_months 2$/m)

  await checkLedger(deps, warehouse, signal)
  assert.deepEqual(await openAlerts(), [], 'nothing is missing')
  assert.deepEqual(await everything(account), before)
  assert.equal(await stateOf(account, nameOf(15)), 'loaded')

  await freezeAll()
  assert.equal(await stateOf(account, nameOf(15)), 'loaded', 'what was just read stays for a day')
  await freezeAgain(account)
  assert.equal(await stateOf(account, nameOf(15)), 'cold')
  // the first request after that, instead of an export
  const { client } = account
  assert.deepEqual((await client.estimateCdrExport({ body: body('cdrexport') })).body.data, before.estimate)
  await freezeAgain(account)
  assert.deepEqual(
    (await client.summarizeCdrs({ body: body('cdrsummary', { group_by: 'month' }) })).body.data,
    before.by_month,
  )
  assert.deepEqual(await everything(account), before)
})

test('a record of a cold month that is delivered again is a duplicate, and a late one appears', async () => {
  const account = await server.newAccount('Late')
  const calls = callsOf(account, 10)
  await ingest(calls)
  await freezeAll()
  // the sender may be asked to try again while the month is loaded
  const again = async () => {
    for (;;)
      try {
        return await ingest(calls.slice(0, 3))
      } catch (error) {
        assert.match(String(error), /call-record store is not available/)
      }
  }
  assert.deepEqual(await again(), { accepted: 0, duplicates: 3, rejected: 0 })
  await freezeAgain(account)
  const late = { ...calls[0], id: 'late' }
  assert.deepEqual(await ingest([late]), { accepted: 1, duplicates: 0, rejected: 0 })
  assert.equal(await stateOf(account, nameOf(15)), 'cold', 'a new record does not load its month')
  await checkLedger(deps, warehouse, signal)
  assert.deepEqual(await openAlerts(), [])
  assert.equal((await completedExport(account, range)).attributes.num_calls, 61)
  await freezeAgain(account)
  assert.deepEqual(await ingest([{ ...late, id: 'later' }]), { accepted: 1, duplicates: 0, rejected: 0 })
  // the next nights load the month and write its file again
  await freezeAll()
  await freezeAgain(account)
  assert.equal(await rowsIn(account, nameOf(15)), 0)
  assert.equal((await findCold(db, { account_id: account.id, month: nameOf(15) }))?.num_calls, '12')
  assert.equal((await completedExport(account, range)).attributes.num_calls, 62)
  const recounted = (await operator.recountCdrs({ body: { account_id: account.id, month: nameOf(15) } })).body.data
  assert.equal(recounted.attributes.num_calls, 12)
})

test('an altered or missing file fails exports with the cause, raises an alert, and works again when it is restored', async () => {
  const account = await server.newAccount('Damaged')
  await ingest(callsOf(account, 10))
  const before = (await completedExport(account, range)).attributes.sha256
  await freezeAll()
  const key = { account_id: account.id, month: nameOf(14) }
  for (const damage of ['altered', 'missing'] as const) {
    const [file] = await findFiles(db, key)
    assert.ok(file)
    const stored = pathOf(file.sha256)
    const content = await readFile(stored)
    await (damage === 'missing' ? rm(stored) : writeFile(stored, Buffer.from(content).fill(7, 100, 101)))
    const failed = await exportEnded(account, (await askExport(account, range)).id)
    assert.equal(
      failed.attributes.failure_reason,
      `A file with call records of ${key.month} is ${damage}. The operator has been alerted. Request the export again when it is restored.`,
    )
    const [alert, ...more] = await openAlerts()
    assert.deepEqual(more, [])
    assert.match(alert?.message ?? '', new RegExp(`The file of the call records of ${key.month} is ${damage}\\.`))
    await assert.rejects(
      account.client.summarizeCdrs({ body: body('cdrsummary', { group_by: 'month' }) }),
      CallRecordsMissingError,
    )
    const newer = { ...range, start_call_start_time: monthAgo(13).toISOString().slice(0, 19).replace('T', ' ') }
    assert.equal((await completedExport(account, newer)).attributes.num_calls, 40, 'other months are not affected')
    await writeFile(stored, content)
    assert.equal((await completedExport(account, range)).attributes.sha256, before)
    assert.deepEqual(await openAlerts(), [])
    await freezeAgain(account)
  }
})

test('a month that is brought back stays, and its files are removed', async () => {
  const account = await server.newAccount('Warm')
  await ingest(callsOf(account, 10))
  const before = await everything(account)
  const key = { account_id: account.id, month: nameOf(15) }
  assert.deepEqual(
    (await freezeMonths(deps, warehouse, [key], settled)).map(({ month }) => month),
    [key.month],
  )
  const [file] = await findFiles(db, key)
  assert.ok(file)
  for (let times = 0; times < 2; times += 1) await loadMonth(deps, warehouse, key, { kept_until: 'infinity' })
  assert.deepEqual([await rowsIn(account, key.month), await findFiles(db, key)], [10, []])
  await eventually(async () => (await deps.files.stat(file.sha256)) === null)
  await freezeAll()
  assert.equal(await stateOf(account, key.month), 'loaded')
  assert.deepEqual(await everything(account), before)
  assert.equal((await freezeMonths(deps, warehouse, [key], settled)).length, 1, 'the command moves it again')
})

test('deleting a month deletes it from both stores, and its calls can be delivered again', async () => {
  const account = await server.newAccount('Deleted')
  const calls = callsOf(account, 10)
  await ingest(calls)
  await freezeMonths(deps, warehouse, [{ account_id: account.id, month: nameOf(15) }], settled)
  await ingest([{ ...calls[0], id: 'late' }])
  for (const [n, count] of [
    [15, 11],
    [13, 10],
  ] as const) {
    const key = { account_id: account.id, month: nameOf(n) }
    const files = await findFiles(db, key)
    assert.equal(await deleteMonth(deps, warehouse, key), count)
    assert.equal(await deleteMonth(deps, warehouse, key), 0)
    for (const { sha256 } of files) await eventually(async () => (await deps.files.stat(sha256)) === null)
    assert.equal((await findMonth(db, key)).num_calls, 0)
    assert.equal(await stateOf(account, key.month), undefined)
  }
  const [event] = await listEvents(db, { chain_id: operatorChain, type: 'cdrs.deleted', limit: 1, offset: 0 })
  assert.equal(event?.subject_id, `${account.id}:${nameOf(13)}`)
  await checkLedger(deps, warehouse, signal)
  assert.deepEqual(await openAlerts(), [])
  assert.equal((await completedExport(account, range)).attributes.num_calls, 40)
  assert.deepEqual(await ingest(calls), { accepted: 20, duplicates: 40, rejected: 0 })
  assert.equal((await completedExport(account, range)).attributes.num_calls, 60)
})
