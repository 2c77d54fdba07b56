import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { closeBeforeDatabase, testDatabase } from '../../test/support/database.ts'
import { overHttp, testEngine } from '../../test/support/engine.ts'
import { connect } from '../engines/call-records/clickhouse.ts'
import { ALL_TIME, callRecord } from '../engines/call-records/testing/records.ts'
import { openTransfer, type TransferStore } from '../engines/call-records/transfer.ts'
import type { Warehouse } from '../engines/call-records/types.ts'
import { createVault } from '../platform/secrets.ts'
import { lockInserts } from './ledger.ts'
import { listMonths } from './ledger-store.ts'
import { confirmMigration, describeMigration, migrateBack, migrateRecords } from './migrate.ts'
import { MigrationRefused } from './migration-copy.ts'
import { findMigration } from './migration-store.ts'
import { openCurrentStore, type StoreSettings } from './stores.ts'

/** From the embedded engine to a second one behind HTTP, and back. */

const { db } = await testDatabase(undefined, { pool_size: 30 })
const vault = createVault({ pepper: 'p'.repeat(32), seal_keys: [{ id: 'test', key: 'k'.repeat(32) }] })

const own: StoreSettings = { at: { socket: (await testEngine()).socket }, mode: { name: 'embedded' } }
const second: StoreSettings = { at: { url: await overHttp((await testEngine()).socket) }, mode: { name: 'server' } }
const context = { db, vault, own }

/** The call records as a process has them whose settings name a store. */
function openProcess(settings: StoreSettings = own): Warehouse {
  const opened = openCurrentStore({ reads: db, vault }, { ...settings, exclusively: lockInserts(db) })
  closeBeforeDatabase(() => opened.close())
  return opened
}

const [warehouse, other_process] = [openProcess(), openProcess()]
await warehouse.ensureSchema()
const [first_engine, second_engine] = [connect(own), connect(second)]
closeBeforeDatabase(() => first_engine.close())
closeBeforeDatabase(() => second_engine.close())

let accounts = 600
const newAccount = () => String((accounts += 1))
const calls = (account_id: string, first: number, count: number) =>
  Array.from({ length: count }, (_, n) =>
    callRecord({
      account_id,
      id: `r${first + n} 'ö\u0000`,
      start_time: new Date(Date.UTC(2025, (first + n) % 2, 5, 0, 0, first + n)),
      custom_x_tag: ['a', 'ü'],
      call_fail_sip_code: n % 2 === 0 ? null : 486,
    }),
  )
const queryOf = (account_id: string) => ({ account_id, filter: ALL_TIME })
const ledgerOf = async (account_id: string) =>
  (await listMonths(db, { account_id, first: '1900-01', last: '2299-12' })).reduce(
    (sum, each) => sum + each.num_calls,
    0,
  )

/** Ends the migration and empties the new store. */
async function reset(): Promise<void> {
  const migration = await findMigration(db)
  if (migration?.current === 'to') await migrateBack(context)
  if (migration !== undefined) await migrateBack(context)
  for (const table of ['cdr', 'cdr_id']) await second_engine.run(`TRUNCATE TABLE IF EXISTS demarc.${table}`)
}

describe('a migration', () => {
  test('that is interrupted before or after a step continues, and nothing is lost or doubled', async (t) => {
    const account_id = newAccount()
    let delivered = 40
    await warehouse.insert(calls(account_id, 0, delivered))
    await warehouse.insert(calls(newAccount(), 0, 5))
    const checkIngest = async (what: string): Promise<void> => {
      // what was accepted stays, and is not accepted again
      for (const each of [warehouse, other_process])
        assert.equal(await each.count(queryOf(account_id)), delivered, what)
      const again = await other_process.insert(calls(account_id, delivered - 2, 3))
      assert.deepEqual(again, { accepted: 1, duplicates: 2 }, what)
      delivered += 1
      assert.equal(await ledgerOf(account_id), delivered, what)
    }
    const directions = [
      { name: 'migrate', run: (options?: object) => migrateRecords(context, second, options) },
      { name: 'back', run: (options?: object) => migrateBack(context, options) },
    ]
    // each takes seconds
    const stride = process.env['DEMARC_TEST_EVERY_STEP'] === '1' ? 1 : 3
    for (const [begin, when] of [
      [1, 'before'],
      [2, 'after'],
    ] as const)
      for (let step: number = begin, interrupted = true; interrupted; step += stride) {
        interrupted = false
        for (const { name, run } of directions) {
          const faulty = interruptedAt(step, when)
          const outcome = await run(faulty).catch((error: unknown) => error)
          const what = `${name}, ${when} ${faulty.last()}`
          await checkIngest(what)
          if (!faulty.interrupted()) {
            assert.ok(outcome !== null && typeof outcome === 'object' && 'locked_ms' in outcome, String(outcome))
            continue
          }
          interrupted = true
          t.diagnostic(what)
          assert.match(String(outcome), /interrupted/)
          await run()
          await checkIngest(`${what}, continued`)
        }
        await reset()
      }
  })

  test('goes on during ingest and exports, in both directions, and is confirmed', async (t) => {
    const account_id = newAccount()
    let delivered = 20_000
    await warehouse.insert(calls(account_id, 0, delivered))
    const during = async (migrating: () => Promise<unknown>): Promise<void> => {
      const state = { is_moving: true }
      const ingest = async (process: Warehouse): Promise<void> => {
        while (state.is_moving) {
          const from = delivered
          delivered += 10
          assert.deepEqual(await process.insert(calls(account_id, from, 10)), { accepted: 10, duplicates: 0 })
        }
      }
      const exporting = async (): Promise<void> => {
        while (state.is_moving) {
          const { result, totals } = await warehouse.export(queryOf(account_id), 'csv', text)
          assert.ok(totals.num_calls >= 20_000)
          assert.equal(result.split('\n').length - 2, totals.num_calls)
        }
      }
      const moving = migrating().finally(() => (state.is_moving = false))
      t.diagnostic(
        JSON.stringify((await Promise.all([moving, ingest(warehouse), ingest(other_process), exporting()]))[0]),
      )
      assert.equal(await ledgerOf(account_id), delivered)
      assert.equal(await warehouse.count(queryOf(account_id)), delivered)
    }
    await during(() => migrateRecords(context, second))
    const there = await warehouse.totals(queryOf(account_id))
    await during(() => migrateBack(context))
    await during(() => migrateRecords(context, second))
    assert.ok(there.num_calls > 20_000)
    // the old store still has what it had
    await confirmMigration(context)
    await assert.rejects(migrateBack(context), /is confirmed/)
    const again = await warehouse.insert(calls(account_id, 0, delivered))
    assert.deepEqual(again, { accepted: 0, duplicates: delivered })
    // a process with the new settings, next to one with the old
    const changed = openProcess(second)
    assert.deepEqual(await changed.insert(calls(account_id, delivered, 1)), { accepted: 1, duplicates: 0 })
    assert.equal(await warehouse.count(queryOf(account_id)), delivered + 1)
    await assert.rejects(migrateRecords(context, second), /Set the CLICKHOUSE settings/)
  })
})

describe('a migration is refused', () => {
  test('to the same store, to one with call records, and from a store that lost some', async () => {
    const elsewhere = await secondEngines()
    const account_id = newAccount()
    const current = openCurrentStore({ reads: elsewhere.db, vault }, { ...own, exclusively: lockInserts(elsewhere.db) })
    closeBeforeDatabase(() => current.close())
    const there = { ...context, db: elsewhere.db }
    await assert.rejects(migrateRecords(there, own), /The call records are in embedded\./)
    await assert.rejects(migrateBack(there), /There is no migration/)
    const filled = openProcess(second)
    await filled.ensureSchema()
    await filled.insert(calls(newAccount(), 0, 1))
    await assert.rejects(migrateRecords(there, second), /has call records already/)
    assert.equal(await describeMigration(elsewhere.db), 'There is no migration of call records.')
    await current.insert(calls(account_id, 0, 4))
    // with their claims, which would otherwise belong to an insert that may still run
    for (const table of ['cdr', 'cdr_id'])
      await first_engine.run(
        `ALTER TABLE demarc.${table} DELETE WHERE account_id = ${account_id} AND start_time < '2025-02-01' SETTINGS mutations_sync = 2`,
      )
    await assert.rejects(
      migrateRecords(there, elsewhere.empty),
      new MigrationRefused(
        `Call records of account ${account_id} in 2025-01 are missing from the store. Deliver them again or accept the loss first.`,
      ),
    )
    assert.match(await describeMigration(elsewhere.db), /Not switched: the call records are in embedded/)
    assert.equal(await current.count(queryOf(account_id)), 2)
  })

  test('if the copy differs; the next attempt copies the month again', async () => {
    const elsewhere = await secondEngines()
    const account_id = newAccount()
    const current = openCurrentStore({ reads: elsewhere.db, vault }, { ...own, exclusively: lockInserts(elsewhere.db) })
    closeBeforeDatabase(() => current.close())
    await current.insert(calls(account_id, 0, 4))
    // more than is copied at a time
    const long = calls(account_id, 100, 110).map((each) => ({ ...each, call_fail_reason: 'x'.repeat(1024 ** 2) }))
    await current.insert(long)
    const lossy = (settings: StoreSettings): TransferStore => {
      const opened = openTransfer(settings)
      const claims: TransferStore['claims'] = async (of) => {
        await opened.clickhouse.run(
          `ALTER TABLE demarc.cdr DELETE WHERE account_id = ${account_id} AND start_time < '2025-02-01' SETTINGS mutations_sync = 2`,
        )
        return await opened.claims(of)
      }
      const sums: TransferStore['sums'] = async (of) => {
        if (settings.mode.name === 'server') await claims(of)
        return await opened.sums(of)
      }
      return { ...opened, sums }
    }
    const there = { ...context, db: elsewhere.db }
    await assert.rejects(
      migrateRecords(there, elsewhere.empty, { transfers: lossy }),
      new RegExp(`The copy of account ${account_id} in 2025-01 differs`),
    )
    const row = await findMigration(elsewhere.db)
    assert.equal(row?.current, 'from')
    assert.doesNotMatch(JSON.stringify(row), /secret-password/)
    await migrateRecords(there, elsewhere.empty)
    assert.match(await describeMigration(elsewhere.db), /Switched, and not confirmed/)
    assert.deepEqual(await current.insert(calls(account_id, 0, 5)), { accepted: 1, duplicates: 4 })
    assert.equal(await current.count(queryOf(account_id)), 115)
  })
})

/** Another database of the service, and an empty store. */
async function secondEngines() {
  const other = await testDatabase(undefined, { pool_size: 30 })
  const url = await overHttp((await testEngine()).socket)
  return { db: other.db, empty: { at: { url }, mode: { name: 'server' } } satisfies StoreSettings }
}

/** Options whose nth step fails before it is made, or whose nth insert fails after it was, as if the command were killed there. */
function interruptedAt(step: number, when: 'before' | 'after') {
  let steps = 0
  let last = ''
  let interrupted = false
  const change =
    <A extends unknown[], R>(what: string, work: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      if (when === 'before' || what.startsWith('insert')) steps += 1
      else return await work(...given)
      last = what
      if (steps !== step) return await work(...given)
      interrupted = true
      if (when === 'after') await work(...given)
      throw new Error(`interrupted ${when} ${what}`)
    }
  const transfers = (settings: StoreSettings): TransferStore => {
    const opened = openTransfer(settings)
    const name = settings.mode.name
    return {
      ...opened,
      isEmpty: change(`isEmpty ${name}`, opened.isEmpty),
      sums: change(`sums ${name}`, opened.sums),
      claims: change(`claims ${name}`, opened.claims),
      mayBeInFlight: change(`mayBeInFlight ${name}`, opened.mayBeInFlight),
      clickhouse: { ...opened.clickhouse, insert: change(`insert ${name}`, opened.clickhouse.insert) },
    }
  }
  return { transfers, last: () => last, interrupted: () => interrupted }
}
