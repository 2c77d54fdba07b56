import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallRecordsMissingError } from '@demarc/client'
import { connect } from '../engines/call-records/clickhouse.ts'
import { callRecord } from '../engines/call-records/testing/records.ts'
import { call, ndjson } from '../engines/call-records/ingest/testing/bodies.ts'
import { testEngine } from '../../test/support/engine.ts'
import { askExport, completedExport, exportEnded, march } from '../../test/support/exports.ts'
import { listEvents, operatorChain } from '../platform/events.ts'
import { refusal } from '../../test/support/refusals.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'
import { checkLedger } from './ledger.ts'
import { findMonth } from './ledger-store.ts'

/** Losses are real: parts are dropped from, and rows changed in, the engine's table. */

const engine = await testEngine()
const server = await startTestServer({ worker: true, engine_socket: engine.socket })
const { operator, db } = server
const { deps, warehouse } = server.runtime

const month = '2025-03'
const { signal } = new AbortController()
const check = () => checkLedger(deps, warehouse, signal)
const openAlerts = async () => (await operator.listAlerts()).body.data.map(({ attributes }) => attributes)
const ledgerOf = ({ id }: TestAccount) => findMonth(db, { account_id: id, month })

const callsOf = (account: TestAccount, count: number, name: string) =>
  Array.from({ length: count }, (_, index) =>
    callRecord({
      account_id: account.id,
      id: `${name} ${index}`,
      start_time: new Date(Date.UTC(2025, 2, 3) + index * 1000),
      cost_subtotal: '123456789.12345678',
    }),
  )

async function onEngine(sql: string): Promise<void> {
  const direct = connect({ at: { socket: engine.socket } })
  try {
    await direct.run(sql)
  } finally {
    await direct.close()
  }
}

/** Drops the parts that have records of an account whose ids begin like this. */
async function dropParts(account: TestAccount, name: string): Promise<void> {
  const direct = connect({ at: { socket: engine.socket } })
  try {
    const parts = await direct.rows<[part: string]>(
      `SELECT DISTINCT _part FROM demarc.cdr WHERE account_id = ${account.id} AND startsWith(id, '${name}')`,
    )
    assert.ok(parts.length > 0)
    for (const [part] of parts) await direct.run(`ALTER TABLE demarc.cdr DROP PART '${part}'`)
  } finally {
    await direct.close()
  }
}

test('the ledger has the exact sums of what was stored, and nothing of duplicates', async () => {
  const account = await server.newAccount('Exact sums')
  const calls = callsOf(account, 3, 'exact')
  await warehouse.insert(calls)
  await warehouse.insert([...calls, ...callsOf(account, 4, 'exact')])
  assert.deepEqual(await ledgerOf(account), {
    account_id: account.id,
    month,
    num_calls: 4,
    billed_seconds: '240',
    // four times 123456789.12345678 + 0.001 + 0.0005: more than a float can hold
    total_cost: '493827156.49982712',
  })
  await check()
  assert.deepEqual(await openAlerts(), [])
})

test('an ingest over HTTP is in the ledger by account and UTC month', async () => {
  const account = await server.newAccount('Two months')
  const at = (id: string, start_time: string, end_time: string) =>
    call(id, { account_id: account.id, start_time, end_time })
  const body = ndjson([
    at('last of February', '2025-02-28T23:59:59.999Z', '2025-03-01T00:01:00Z'),
    at('first of March', '2025-03-01T00:00:00.000Z', '2025-03-01T00:01:00Z'),
  ])
  for (let delivery = 0; delivery < 2; delivery += 1)
    await operator.ingestCdrs({ body, content_type: 'application/x-ndjson' })
  for (const each of ['2025-02', '2025-03'])
    assert.equal((await findMonth(db, { account_id: account.id, month: each })).num_calls, 1, each)
})

test('a lost part fails exports, estimates, and summaries of its month with the counts, and raises an alert', async () => {
  const account = await server.newAccount('A lost part')
  // a merge would put what is dropped and what stays into one part
  await onEngine('SYSTEM STOP MERGES demarc.cdr')
  await warehouse.insert(callsOf(account, 1300, 'kept'))
  await warehouse.insert(
    callsOf(account, 700, 'lost').map((each) => ({ ...each, start_time: new Date(+each.start_time + 1) })),
  )
  assert.equal((await completedExport(account)).attributes.num_calls, 2000)
  await dropParts(account, 'lost')
  await onEngine('SYSTEM START MERGES demarc.cdr')

  // the range has none of the lost records, but their month has
  const day = { ...march, start_call_start_time: '2025-03-20 00:00:00' }
  const failed = await exportEnded(account, (await askExport(account, day)).id)
  assert.equal(failed.attributes.status, 'failed')
  assert.equal(
    failed.attributes.failure_reason,
    'Call records of 2025-03 are missing: the store has 1,300 of 2,000 calls. The operator has been alerted. Request the export again when they are restored.',
  )
  const [alert, ...more] = await openAlerts()
  assert.deepEqual(more, [])
  assert.equal(alert?.subject, `${account.id}:${month}`)
  assert.match(alert?.message ?? '', /has 1,300 of 2,000 calls/)
  const [event] = await listEvents(db, { chain_id: operatorChain, type: 'alert.raised', limit: 1, offset: 0 })
  assert.equal(event?.subject_type, 'alert')
  const metrics = await (await fetch(`${server.base_url}/metrics`)).text()
  assert.match(metrics, /^demarc_call_record_months_incomplete 1$/m)

  const filter_parameters = march
  const attributes = { filter_parameters }
  const { client } = account
  const summary = { data: { type: 'cdrsummary' as const, attributes: { group_by: 'result' as const, ...attributes } } }
  const requests = [
    () => client.estimateCdrExport({ body: { data: { type: 'cdrexport', attributes } } }),
    () => client.summarizeCdrs({ body: summary }),
    () => client.sampleCdrs({ body: { data: { type: 'cdrsample', attributes } } }),
  ]
  for (const send of requests) await assert.rejects(send, CallRecordsMissingError)
  const february = { start_call_start_time: '2025-02-01 00:00:00', start_call_end_time: '2025-03-01 00:00:00' }
  assert.equal((await completedExport(account, february)).attributes.num_calls, 0, 'other months are not affected')

  // delivered again, the records count twice in the ledger: the operator accepts what is there
  await warehouse.insert(
    callsOf(account, 700, 'lost').map((each) => ({ ...each, start_time: new Date(+each.start_time + 1) })),
  )
  await check()
  assert.match((await openAlerts())[0]?.message ?? '', /has 2,000 of 2,700 calls/)
  const recounted = (await operator.recountCdrs({ body: { account_id: account.id, month } })).body.data.attributes
  assert.equal(recounted.num_calls, 2000)
  assert.deepEqual(await openAlerts(), [])
  assert.equal((await completedExport(account)).attributes.num_calls, 2000)
})

test('a check finds a lost part without an export, and resolves its alert when the part is back', async () => {
  const account = await server.newAccount('A part that comes back')
  await warehouse.insert(callsOf(account, 10, 'kept'))
  await warehouse.insert(callsOf(account, 15, 'kept').slice(10))
  await onEngine('CREATE TABLE demarc.cdr_copy AS demarc.cdr')
  await onEngine(`INSERT INTO demarc.cdr_copy SELECT * FROM demarc.cdr WHERE account_id = ${account.id}`)
  await onEngine(`ALTER TABLE demarc.cdr DELETE WHERE account_id = ${account.id} SETTINGS mutations_sync = 1`)
  await check()
  assert.match((await openAlerts())[0]?.message ?? '', /has 0 of 15 calls/)
  await onEngine('INSERT INTO demarc.cdr SELECT * FROM demarc.cdr_copy')
  await check()
  assert.deepEqual(await openAlerts(), [])
})

test('records with other amounts than were stored are found', async () => {
  const account = await server.newAccount('Altered amounts')
  await warehouse.insert(callsOf(account, 5, 'altered'))
  await onEngine(
    `ALTER TABLE demarc.cdr UPDATE cost_subtotal = cost_subtotal + toDecimal64('0.00000001', 8) WHERE account_id = ${account.id} AND id = 'altered 3' SETTINGS mutations_sync = 1`,
  )
  await check()
  assert.match((await openAlerts())[0]?.message ?? '', /were altered: the 5 calls cost \S+ instead of \S+/)
  await operator.recountCdrs({ body: { account_id: account.id, month } })
})

test('records that were stored without the ledger are added to it, and are no alert', async () => {
  const account = await server.newAccount('A killed ingest')
  await warehouse.insert(callsOf(account, 5, 'counted'))
  // as if the process had been killed between the engine and the database
  await db
    .updateTable('cdr_ledger')
    .set({ num_calls: '2', total_cost: '1' })
    .where('account_id', '=', account.id)
    .execute()
  assert.equal((await completedExport(account)).attributes.num_calls, 5)
  await check()
  assert.deepEqual(await openAlerts(), [])
  assert.equal((await ledgerOf(account)).num_calls, 5)
})

test('a record stored twice and not merged yet counts once', async () => {
  const account = await server.newAccount('Stored twice')
  await warehouse.insert(callsOf(account, 5, 'twice'))
  // what an insert leaves whose sender was killed, when its records are delivered again before it ends
  await onEngine(`INSERT INTO demarc.cdr SELECT * FROM demarc.cdr WHERE account_id = ${account.id}`)
  await check()
  assert.deepEqual(await openAlerts(), [])
  assert.equal((await ledgerOf(account)).num_calls, 5)
  assert.equal((await completedExport(account)).attributes.num_calls, 5)
})

test('a month that was deleted for all accounts is accepted at once, and one with records is not', async () => {
  const account = await server.newAccount('A deleted month')
  const old = callsOf(account, 2, 'old').map((each) => ({ ...each, start_time: new Date('2019-05-05T05:05:05Z') }))
  await warehouse.insert(old)
  const recount = () => operator.recountCdrs({ body: { month: '2019-05' } })
  assert.match(String((await refusal(recount(), 409)).detail), /2019-05 has call records/)
  await onEngine('ALTER TABLE demarc.cdr DROP PARTITION 201905')
  await check()
  assert.match((await openAlerts())[0]?.message ?? '', /has 0 of 2 calls/)
  await recount()
  await check()
  assert.deepEqual(await openAlerts(), [])
})
