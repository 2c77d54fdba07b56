import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { testEngine } from '../../test/support/engine.ts'
import { startTestServer } from '../../test/support/server.ts'
import { LIMITS } from '../engines/call-records/limits.ts'
import { ALL_TIME, callRecord } from '../engines/call-records/testing/records.ts'
import type { ColdStatements, Warehouse } from '../engines/call-records/types.ts'
import type { Deps } from '../platform/context.ts'
import { loadMonth } from './cold.ts'
import { loadJob, requireLoaded, withRecords } from './cold-requests.ts'
import { findCold, findFiles } from './cold-store.ts'
import { deleteMonth, freezeMonths } from './freeze.ts'
import { checkLedger, findMissing } from './ledger.ts'
import { findMonth, listMonths } from './ledger-store.ts'

/** Moving months to and from the file store while processes are killed, ingest goes on, and others do the same. */

const engine = await testEngine()
const server = await startTestServer({ engine_socket: engine.socket, overrides: { warehouse: { slice_rows: 100 } } })
const { deps, warehouse } = server.runtime
const { db } = deps
const { signal } = new AbortController()
const month = '2024-03'

let accounts = 70_000
const newAccount = () => String((accounts += 1))
const calls = (account_id: string, first: number, count: number) =>
  Array.from({ length: count }, (_, n) =>
    callRecord({ account_id, id: `r${first + n}`, start_time: new Date(Date.UTC(2024, 2, 1, 0, first + n)) }),
  )
const queryOf = (account_id: string) => ({ account_id, filter: ALL_TIME })
const freeze = (account_id: string, store = warehouse, files = deps) =>
  freezeMonths(files, store, [{ account_id, month }], { settled_us: 0 })

/** An export as a worker builds it. */
const exported = (account_id: string) =>
  withRecords(
    deps,
    queryOf(account_id),
    async (months) => {
      for (const key of months) await loadMonth(deps, warehouse, key)
    },
    async () => {
      const { result, totals } = await warehouse.export(queryOf(account_id), 'csv', text)
      assert.equal(await findMissing(deps, warehouse, queryOf(account_id), signal), null)
      return { result, totals }
    },
  )

async function alerts(): Promise<string[]> {
  return (await server.operator.listAlerts()).body.data.map(({ attributes }) => attributes.message)
}

/** Delivers again what is stored, and one new record. */
async function deliver(account_id: string, delivered: number): Promise<void> {
  for (;;)
    try {
      const outcome = await warehouse.insert(calls(account_id, delivered - 2, 3))
      assert.deepEqual(outcome, { accepted: 1, duplicates: 2 })
      return
    } catch (error) {
      assert.match(String(error), /RecordsCold/)
      await loadMonth(deps, warehouse, { account_id, month })
    }
}

describe('interrupted before or after any step,', () => {
  for (const when of ['before', 'after'] as const)
    test(`a month is cold or not, and nothing is lost or doubled (${when})`, async (t) => {
      const account_id = newAccount()
      let delivered = 250
      await warehouse.insert(calls(account_id, 0, delivered))
      for (let step = 1; ; step += 1) {
        const faulty = interruptedAt(step, when)
        const before = await exported(account_id)
        const outcome = await freeze(account_id, faulty.store, faulty.deps).catch((error: unknown) => error)
        const loading = await loadMonth(faulty.deps, faulty.store, { account_id, month }).catch(
          (error: unknown) => error,
        )
        await checkLedger(deps, warehouse, signal)
        assert.deepEqual(await alerts(), [], `${when} ${faulty.last()}`)
        assert.deepEqual(await exported(account_id), before, `${when} ${faulty.last()}`)
        await deliver(account_id, delivered)
        delivered += 1
        await checkLedger(deps, warehouse, signal)
        assert.equal((await findMonth(db, { account_id, month })).num_calls, delivered)
        assert.equal(await warehouse.count(queryOf(account_id)), delivered)
        if (!faulty.interrupted()) {
          assert.ok(Array.isArray(outcome) && outcome.length === 1 && loading === undefined, String([outcome, loading]))
          break
        }
        t.diagnostic(`${when} ${faulty.last()}`)
      }
    })

  test('a deletion is completed', async () => {
    for (const when of ['before', 'after'] as const)
      for (const step of [1, 2]) {
        const account_id = newAccount()
        const key = { account_id, month }
        await warehouse.insert(calls(account_id, 0, 150))
        await freeze(account_id)
        await warehouse.insert(calls(account_id, 500, 1))
        const faulty = interruptedAt(step, when)
        await assert.rejects(deleteMonth(faulty.deps, faulty.store, key), /interrupted/)
        await checkLedger(deps, warehouse, signal)
        assert.deepEqual(await alerts(), [])
        await deleteMonth(deps, warehouse, key)
        assert.deepEqual([await findCold(db, key), await warehouse.count(queryOf(account_id))], [undefined, 0])
        assert.equal((await findMonth(db, key)).num_calls, 0)
        assert.deepEqual(await warehouse.insert(calls(account_id, 0, 5)), { accepted: 5, duplicates: 0 })
      }
  })
})

test('exports, ingest, freezing, and loading at the same time are exact', async () => {
  const account_id = newAccount()
  let delivered = 300
  await warehouse.insert(calls(account_id, 0, delivered))
  const state = { is_running: true, frozen: 0 }
  const freezing = async () => {
    while (state.frozen < 3) state.frozen += (await freeze(account_id)).length
  }
  // every tenth delivery is late for the month that becomes cold
  const ingest = async () => {
    for (let n = 0; state.is_running; n += 1) {
      const some = calls(account_id, delivered, 5)
      const other = some.map((each) => ({ ...each, start_time: new Date(Date.UTC(2026, 2, 1)) }))
      assert.deepEqual(await warehouse.insert(n % 10 === 0 ? some : other), { accepted: 5, duplicates: 0 })
      delivered += 5
    }
  }
  const exporting = async () => {
    while (state.is_running) {
      const least = delivered
      const found = await exported(account_id).catch((error: unknown) => {
        assert.match(String(error), /RecordsCold/)
        return null
      })
      if (found === null) continue
      assert.ok(found.totals.num_calls >= least, `${found.totals.num_calls} of ${least}`)
      assert.equal(found.result.split('\n').length - 2, found.totals.num_calls)
    }
  }
  const checking = async () => {
    while (state.is_running) await checkLedger(deps, warehouse, signal)
  }
  await Promise.all([
    freezing().finally(() => (state.is_running = false)),
    ingest(),
    exporting(),
    exporting(),
    checking(),
  ])
  assert.deepEqual(await alerts(), [])
  assert.equal((await exported(account_id)).totals.num_calls, delivered)
  await checkLedger(deps, warehouse, signal)
  const months = await listMonths(db, { account_id, first: '1900-01', last: '2299-12' })
  assert.equal(
    months.reduce((sum, { num_calls }) => sum + num_calls, 0),
    delivered,
  )
})

test('a deletion that is sent late does not delete what was loaded since', async () => {
  const account_id = newAccount()
  const key = { account_id, month }
  await warehouse.insert(calls(account_id, 0, 120))
  await freeze(account_id)
  const row = await findCold(db, key)
  assert.ok(row)
  const { until_us } = row
  await loadMonth(deps, warehouse, key)
  await warehouse.cold.remove([{ ...key, until: Number(until_us) }])
  assert.equal(await warehouse.count(queryOf(account_id)), 120)
})

test('a month that lacks records is not moved, and one that loses them while it is loaded is loaded again', async () => {
  const account_id = newAccount()
  const key = { account_id, month }
  await warehouse.insert(calls(account_id, 0, 120))
  const losing: Warehouse = {
    ...warehouse,
    cold: { ...warehouse.cold, load: () => Promise.resolve() },
  }
  await freeze(account_id)
  await assert.rejects(loadMonth(deps, losing, key), /has 0 of 120 calls/)
  assert.match(String(await alerts()), /has 0 of 120 calls/)
  assert.equal((await exported(account_id)).totals.num_calls, 120)
  await checkLedger(deps, warehouse, signal)
  assert.deepEqual(await alerts(), [])
  await warehouse.cold.remove([{ ...key, until: Number.MAX_SAFE_INTEGER }])
  assert.deepEqual(await freeze(account_id), [])
  assert.match(String(await alerts()), /has 0 of 120 calls/)
  await deleteMonth(deps, warehouse, key)
  assert.deepEqual(await alerts(), [])
})

test('records that a restored backup brings back to the store are not counted twice', async () => {
  const account_id = newAccount()
  const key = { account_id, month }
  await warehouse.insert(calls(account_id, 0, 120))
  const files = await Array.fromAsync(warehouse.cold.files({ ...key, until: Number.MAX_SAFE_INTEGER }))
  await freeze(account_id)
  for (const { content } of files) await warehouse.cold.load(content, 1)
  await checkLedger(deps, warehouse, signal)
  assert.equal((await exported(account_id)).totals.num_calls, 120)
  await checkLedger(deps, warehouse, signal)
  assert.equal((await findMonth(db, key)).num_calls, 120)
  assert.deepEqual(await alerts(), [])
})

test('a range whose file would be too large is divided', async () => {
  const account_id = newAccount()
  const key = { account_id, month }
  const large = calls(account_id, 0, 24).map((each) => ({
    ...each,
    custom_x_tag: [randomBytes(900_000).toString('base64')],
  }))
  await warehouse.insert(large)
  const before = await exported(account_id)
  assert.equal((await freeze(account_id)).length, 1)
  const sizes = (await findFiles(db, key)).map(({ bytes }) => Number(bytes))
  assert.ok(sizes.length > 1 && Math.max(...sizes) > 10_000_000, String(sizes))
  assert.ok(Math.max(...sizes) <= LIMITS.cold_file_bytes, String(sizes))
  assert.deepEqual(await exported(account_id), before)
})

test('an insert is refused while a month of its claims is in files', async () => {
  const account_id = newAccount()
  await warehouse.insert(calls(account_id, 0, 10))
  await freeze(account_id)
  await assert.rejects(requireLoaded(db, [{ account_id, month }]), /RecordsCold/)
  await assert.rejects(warehouse.insert(calls(account_id, 9, 2)), /RecordsCold/)
  const jobs = await db.selectFrom('job').select('key').where('kind', '=', loadJob).execute()
  assert.ok(jobs.some(({ key }) => key === `${account_id}:${month}`))
})

/** A store whose nth change fails before or after it was made, as if the process were killed there. */
function interruptedAt(step: number, when: 'before' | 'after') {
  let steps = 0
  let last = ''
  let interrupted = false
  const change =
    <A extends unknown[], R>(what: string, work: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      // a killed process does nothing more
      if (interrupted) throw new Error('interrupted')
      steps += 1
      if (steps !== step) return await work(...given)
      last = what
      interrupted = true
      if (when === 'after') await work(...given)
      throw new Error(`interrupted ${when} ${what}`)
    }
  const { cold } = warehouse
  const statements: ColdStatements = {
    ...cold,
    load: change('load', cold.load),
    remove: change('remove', cold.remove),
    removeClaims: change('removeClaims', cold.removeClaims),
    countUntil: change('countUntil', cold.countUntil),
  }
  const files: Deps['files'] = { ...deps.files, stage: change('stage', deps.files.stage) }
  return {
    store: { ...warehouse, totals: change('totals', warehouse.totals), cold: statements },
    deps: { ...deps, files },
    last: () => last,
    interrupted: () => interrupted,
  }
}
