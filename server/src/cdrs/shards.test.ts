import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { closeBeforeDatabase, testDatabase } from '../../test/support/database.ts'
import { testEngine } from '../../test/support/engine.ts'
import { connect } from '../engines/call-records/clickhouse.ts'
import { blockOf } from '../engines/call-records/rows.ts'
import { CLAIMED } from '../engines/call-records/schema.ts'
import { ALL_TIME, callRecord } from '../engines/call-records/testing/records.ts'
import { createShardTables, SHARDED } from '../engines/call-records/testing/two-shards.ts'
import type { PlacementSource, Shards, Warehouse } from '../engines/call-records/types.ts'
import { openWarehouse } from '../engines/call-records/warehouse.ts'
import { realClock } from '../platform/clock.ts'
import { openLocalFiles } from '../platform/files/local.ts'
import { silentLog } from '../platform/postgres/log.ts'
import { loadMonth } from './cold.ts'
import { deleteMonth, freezeMonths } from './freeze.ts'
import { lockInserts } from './ledger.ts'
import { listMonths } from './ledger-store.ts'
import { moveAccount, MoveRefused } from './move.ts'
import { findMove } from './move-store.ts'
import { placementSource, publishPlacements } from './placements.ts'
import { findPlacements } from './placement-store.ts'
import { chooseShards } from './rules.ts'

/** Accounts on two shards inside the embedded engine. */

const name = 'demarc_shards'
const at = { socket: (await testEngine({}, name)).socket }
const { db } = await testDatabase()
const clickhouse = connect({ at, mode: SHARDED })
await createShardTables(clickhouse, name)

function openStore(placements: PlacementSource = placementSource(db)): Warehouse {
  const opened = openWarehouse({ at, database: name, mode: SHARDED, placements, exclusively: lockInserts(db) })
  closeBeforeDatabase(() => opened.close())
  return opened
}
closeBeforeDatabase(() => clickhouse.close())

const warehouse = openStore()
await warehouse.ensureSchema()

let accounts = 500
const newAccount = () => String((accounts += 1))
const calls = (account_id: string, first: number, count: number) =>
  Array.from({ length: count }, (_, n) =>
    callRecord({
      account_id,
      id: `r${first + n}`,
      start_time: new Date(Date.UTC(2025, (first + n) % 3, 5, 0, 0, first + n)),
    }),
  )

/** Rows by shard, from 0, as the tables have them. */
async function stored(account_id: string, table = 'cdr'): Promise<Record<number, number>> {
  const rows = await clickhouse.rows<[shard: number, rows: string]>(
    `SELECT shard - 1, toString(count()) FROM ${name}.${table}_local WHERE account_id = ${account_id} GROUP BY shard ORDER BY shard`,
  )
  return Object.fromEntries(rows.map(([shard, count]) => [shard, Number(count)]))
}

const shardOf = async (account_id: string) => (await findPlacements(db, [account_id]))[0]?.shard ?? Number.NaN
const countOf = (account_id: string) => warehouse.count({ account_id, filter: ALL_TIME })
const ledgerOf = async (account_id: string) =>
  (await listMonths(db, { account_id, first: '1900-01', last: '2299-12' })).reduce(
    (sum, each) => sum + each.num_calls,
    0,
  )

describe('a new account', () => {
  test('is placed on the shard with the fewest records, with its claims', async () => {
    const [one, two, three] = [newAccount(), newAccount(), newAccount()]
    for (const [account_id, count] of [
      [one, 5],
      [two, 2],
      [three, 1],
    ] as const)
      assert.deepEqual(await warehouse.insert(calls(account_id, 0, count)), { accepted: count, duplicates: 0 })
    const [first, second, third] = [await shardOf(one), await shardOf(two), await shardOf(three)]
    assert.notEqual(first, second)
    assert.equal(third, second)
    assert.deepEqual([await stored(one), await stored(two)], [{ [first]: 5 }, { [second]: 2 }])
    assert.deepEqual(await stored(one, 'cdr_id'), { [first]: 5 })
  })

  test('is not sent to the store before every server knows its shard', async () => {
    const account_id = newAccount()
    const source = placementSource(db)
    const interrupted = openStore({ ...source, confirm: () => Promise.reject(new Error('interrupted')) })
    await assert.rejects(interrupted.insert(calls(account_id, 0, 1)), /interrupted/)
    assert.deepEqual([await stored(account_id), await stored(account_id, 'cdr_id')], [{}, {}])
    assert.deepEqual(await warehouse.insert(calls(account_id, 0, 1)), { accepted: 1, duplicates: 0 })
    assert.equal((await findPlacements(db, [account_id]))[0]?.confirmed, true)
  })

  test('of several in one batch is dealt out', () => {
    const chosen = chooseShards(new Map([[1, 2]]), 3, ['1', '2', '3', '4', '5', '6'])
    assert.deepEqual(
      chosen.map(({ shard }) => shard),
      [0, 2, 0, 2, 0, 1],
    )
  })
})

test('placements are copied to a store that lost them', async () => {
  const account_id = newAccount()
  await warehouse.insert(calls(account_id, 0, 3))
  await clickhouse.run(`TRUNCATE TABLE ${name}.account_shard_local`)
  await publishPlacements(db, warehouse)
  assert.equal(await countOf(account_id), 3)
})

test('an insert that may still run on the old shard is recognized', async () => {
  const account_id = newAccount()
  await warehouse.insert(calls(account_id, 0, 3))
  const of = { account_id, shard: await shardOf(account_id), since: (Date.now() - 60_000) * 1000 }
  assert.equal(await warehouse.shards?.mayBeInFlight(of), false)
  const [late] = calls(account_id, 9, 1)
  assert.ok(late)
  await clickhouse.insert(`${name}.cdr_id`, CLAIMED, [blockOf(late).encodeClaims(Date.now() * 1000)])
  assert.equal(await warehouse.shards?.mayBeInFlight(of), true)
})

describe('a move', () => {
  test('that is interrupted before or after any step continues, and nothing is lost or doubled', async (t) => {
    const account_id = newAccount()
    let delivered = 300
    await warehouse.insert(calls(account_id, 0, delivered))
    for (const when of ['before', 'after'] as const)
      for (let step = 1; ; step += 1) {
        const from = await shardOf(account_id)
        const to = { account_id, shard: 1 - from }
        const faulty = interruptedAt(step, when)
        const outcome = await moveAccount(db, { ...warehouse, shards: faulty.shards }, to, { grace_ms: 0 }).catch(
          (error: unknown) => error,
        )
        // what was accepted stays, and is not accepted again; a new record finds its shard
        assert.equal(await countOf(account_id), delivered, `${when} ${faulty.last()}`)
        const again = await warehouse.insert(calls(account_id, delivered - 2, 3))
        assert.deepEqual(again, { accepted: 1, duplicates: 2 }, `${when} ${faulty.last()}`)
        delivered += 1
        if (faulty.interrupted()) {
          t.diagnostic(`${when} ${faulty.last()}`)
          assert.match(String(outcome), /interrupted/)
          await moveAccount(db, warehouse, to, { grace_ms: 0 })
        } else assert.ok(outcome !== null && typeof outcome === 'object' && 'locked_ms' in outcome, String(outcome))
        assert.equal(await findMove(db, account_id), undefined)
        assert.equal(await shardOf(account_id), 1 - from)
        assert.deepEqual(Object.keys(await stored(account_id)), [String(1 - from)])
        assert.deepEqual(Object.keys(await stored(account_id, 'cdr_id')), [String(1 - from)])
        assert.equal(await countOf(account_id), delivered)
        assert.equal(await ledgerOf(account_id), delivered)
        if (!faulty.interrupted()) break
      }
  })

  test('goes on during ingest and exports', async () => {
    const account_id = newAccount()
    await warehouse.insert(calls(account_id, 0, 20_000))
    const query = { account_id, filter: ALL_TIME }
    let delivered = 20_000
    const state = { is_moving: true }
    const ingest = async (): Promise<void> => {
      while (state.is_moving) {
        assert.deepEqual(await warehouse.insert(calls(account_id, delivered, 10)), { accepted: 10, duplicates: 0 })
        delivered += 10
      }
    }
    const exporting = async (): Promise<void> => {
      while (state.is_moving) {
        const { result, totals } = await warehouse.export(query, 'csv', text)
        assert.ok(totals.num_calls >= 20_000)
        assert.equal(result.split('\n').length - 2, totals.num_calls)
      }
    }
    const to = { account_id, shard: 1 - (await shardOf(account_id)) }
    const moving = moveAccount(db, warehouse, to, { grace_ms: 200 }).finally(() => (state.is_moving = false))
    await Promise.all([moving, ingest(), exporting()])
    assert.ok(delivered > 20_000)
    assert.equal(await countOf(account_id), delivered)
    assert.equal(await ledgerOf(account_id), delivered)
    assert.deepEqual(await stored(account_id), { [to.shard]: delivered })
  })

  test('is refused without records, to an unknown shard, or to the same shard', async () => {
    const account_id = newAccount()
    await assert.rejects(moveAccount(db, warehouse, { account_id, shard: 0 }), MoveRefused)
    await warehouse.insert(calls(account_id, 0, 1))
    for (const shard of [2, await shardOf(account_id)])
      await assert.rejects(moveAccount(db, warehouse, { account_id, shard }), MoveRefused)
  })

  test('that would lose call records is refused, and the old copy stays', async () => {
    const account_id = newAccount()
    await warehouse.insert(calls(account_id, 0, 9))
    const from = await shardOf(account_id)
    for (const condition of ["cdr_local DELETE WHERE id = 'r1'", 'cdr_id_local DELETE WHERE 1'])
      await clickhouse.run(
        `ALTER TABLE ${name}.${condition} AND account_id = ${account_id} SETTINGS mutations_sync = 2`,
      )
    await assert.rejects(
      moveAccount(db, warehouse, { account_id, shard: 1 - from }, { grace_ms: 0 }),
      /missing from the store/,
    )
    assert.equal((await stored(account_id))[from], 8)
    assert.equal(await shardOf(account_id), from)
  })
})

test('an account with months in the file store is moved, and they are loaded to its new shard', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'demarc-shards-'))
  t.after(() => rm(folder, { recursive: true }))
  const deps = { db, clock: realClock, log: silentLog, files: await openLocalFiles(folder) }
  const account_id = newAccount()
  await warehouse.insert(calls(account_id, 0, 90))
  const key = { account_id, month: '2025-01' }
  assert.equal((await freezeMonths(deps, warehouse, [key], { settled_us: 0 })).length, 1)
  const from = await shardOf(account_id)
  assert.deepEqual(await stored(account_id), { [from]: 60 })
  const { shards } = warehouse
  assert.ok(shards)
  // the claims of the records that are in files are as recent as those of an insert that has not ended
  const ended = { ...warehouse, shards: { ...shards, mayBeInFlight: () => Promise.resolve(false) } }
  await moveAccount(db, ended, { account_id, shard: 1 - from }, { grace_ms: 0 })
  assert.deepEqual(await stored(account_id), { [1 - from]: 60 })
  await loadMonth(deps, warehouse, key)
  assert.deepEqual(await stored(account_id), { [1 - from]: 90 })
  assert.deepEqual(await warehouse.insert(calls(account_id, 0, 91)), { accepted: 1, duplicates: 90 })
  assert.equal(await ledgerOf(account_id), 91)
  assert.equal(await deleteMonth(deps, warehouse, key), 31)
  assert.deepEqual([await stored(account_id), await countOf(account_id)], [{ [1 - from]: 60 }, 60])
})

/** Shards whose nth change fails before or after it was made, as if the process were killed there. */
function interruptedAt(step: number, when: 'before' | 'after') {
  const { shards } = warehouse
  assert.ok(shards)
  let steps = 0
  let last = ''
  let interrupted = false
  const change =
    <A, R>(what: string, work: (given: A) => Promise<R>) =>
    async (given: A): Promise<R> => {
      steps += 1
      last = what
      if (steps !== step) return await work(given)
      interrupted = true
      if (when === 'after') await work(given)
      throw new Error(`interrupted ${when} ${what}`)
    }
  const wrapped: Shards = {
    ...shards,
    publish: change('publish', shards.publish),
    copyMonth: change('copyMonth', shards.copyMonth),
    copyClaims: change('copyClaims', shards.copyClaims),
    remove: change('remove', shards.remove),
  }
  return { shards: wrapped, last: () => last, interrupted: () => interrupted }
}
