/** What the store does when a server fails any statement with any of the known codes, before or after running it. */

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { text } from 'node:stream/consumers'
import { testEngine } from '../../../test/support/engine.ts'
import { connect } from './clickhouse.ts'
import { ERROR_CODES } from './error-codes.ts'
import { WarehouseFailed, WarehouseOutcomeUnknown, WarehouseUnavailable } from './errors.ts'
import { ErrorProxy } from './testing/error-proxy.ts'
import { ALL_TIME, callRecord } from './testing/records.ts'
import type { InsertLock, MonthSums } from './types.ts'
import { openWarehouse } from './warehouse.ts'

const engine = await testEngine()
const proxy = await ErrorProxy.open(engine.socket)
const clickhouse = connect({ at: { socket: engine.socket } })

let time_us = Date.now() * 1000
const ledger: MonthSums[] = []
const lock: InsertLock = {
  time: () => Promise.resolve((time_us += 1)),
  recordStored: async (months) => void ledger.push(...months),
  requireLoaded: () => Promise.resolve(),
}
const warehouse = openWarehouse({ at: { url: proxy.url }, exclusively: (_accounts, work) => work(lock) })
after(async () => {
  await warehouse.close()
  await clickhouse.close()
  proxy.close()
})
await warehouse.ensureSchema()

/** A permanent one: TYPE_MISMATCH. */
const PERMANENT = { code: '53', name: 'TYPE_MISMATCH', class: 'permanent' } as const
const ALL = [...Object.entries(ERROR_CODES).map(([code, known]) => ({ code, ...known })), PERMANENT]

/** Throws unless the error is what the class says. */
function assertClass(error: unknown, expected: (typeof ALL)[number]['class']): void {
  if (expected === 'permanent') assert.ok(error instanceof WarehouseFailed, String(error))
  else if (expected === 'unknown') assert.ok(error instanceof WarehouseOutcomeUnknown, String(error))
  else assert.ok(error instanceof WarehouseUnavailable && !(error instanceof WarehouseOutcomeUnknown), String(error))
}

let accounts = 0
const newAccount = () => String(51_000 + (accounts += 1))
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

test('every code has the name that ClickHouse gives it', async () => {
  for (const { code, name } of ALL) {
    const [row] = await clickhouse.rows<[string]>(`SELECT errorCodeToName(${code})`)
    assert.deepEqual(row, [name])
  }
})

for (const known of ALL)
  test(`a delivery of which any statement fails with ${known.code} ${known.name} is stored once, and so is its next one`, async () => {
    // after it has run the statement, only the class matters
    for (const runs of ['210', '286', '319'].includes(known.code) ? [false, true] : [false])
      for (let nth = 0; ; nth += 1) {
        const account_id = newAccount()
        const [old, fresh] = [callRecord({ account_id, id: 'old' }), callRecord({ account_id, id: 'new' })]
        assert.deepEqual(await warehouse.insert([old]), { accepted: 1, duplicates: 0 })
        ledger.length = 0
        proxy.fail({ ...known, nth, runs })
        const error = await failureOf(warehouse.insert([old, fresh]))
        const { failed, statements } = proxy
        proxy.fail(undefined)
        if (!failed) {
          // find claims, find records, claim, insert
          assert.equal(nth, 4, statements.join(', '))
          break
        }
        const is_repeated = known.class === 'again'
        if (is_repeated) assert.equal(error, undefined)
        else {
          assertClass(error, known.class)
          assert.deepEqual(ledger, [])
        }
        const { accepted, duplicates } = await warehouse.insert([old, fresh])
        assert.equal(accepted + duplicates, 2)
        const query = { account_id, filter: ALL_TIME }
        assert.equal(await warehouse.count(query), 2)
        // it has the record, or the nightly check adds it
        const counted = ledger.reduce((sum, { num_calls }) => sum + num_calls, 0)
        const response_lost = !is_repeated && runs && nth === 3
        assert.equal(counted, response_lost ? 0 : 1, `${statements.join(', ')}; ${nth} ${runs}`)
      }
  })

test('an insert that waits for the quorum of another is repeated by itself until the wait ends', async () => {
  const account_id = newAccount()
  const records = [callRecord({ account_id, id: 'a' })]
  proxy.fail({ code: '286', name: 'UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE', nth: 2, runs: true })
  assert.deepEqual(await warehouse.insert(records), { accepted: 1, duplicates: 0 })
  assert.deepEqual(
    proxy.statements.map((each) => each.split(' ')[0]),
    ['SELECT', 'INSERT', 'INSERT', 'INSERT'],
  )
  assert.equal(await warehouse.count({ account_id, filter: ALL_TIME }), 1)
})

for (const known of ALL)
  test(`an export of which any statement fails with ${known.code} ${known.name} is complete or an error`, async () => {
    const account_id = newAccount()
    await warehouse.insert([callRecord({ account_id, id: 'a' }), callRecord({ account_id, id: 'b' })])
    const query = { account_id, filter: ALL_TIME }
    for (let nth = 0; ; nth += 1) {
      proxy.fail({ ...known, nth, runs: false })
      let file = ''
      const error = await failureOf(
        warehouse.export(query, 'csv', async (body) => {
          file = await text(body)
        }),
      )
      const { failed } = proxy
      proxy.fail(undefined)
      if (error === undefined) assert.equal(file.split('\n').length, 4)
      else assertClass(error, known.class)
      if (!failed) break
      if (known.class !== 'again') assert.notEqual(error, undefined)
    }
  })
