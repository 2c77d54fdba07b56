/** Run by shards.test.ts: what happens to statements that the shards of accounts do not limit. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWarehouse } from '../../../../test/support/engine.ts'
import { callRecord } from './records.ts'

const { warehouse, clickhouse, database } = await testWarehouse()
const accounts = ['7000', '7001']
const [even, odd] = accounts.map((account_id) => callRecord({ account_id }))
if (!even || !odd) throw new Error('two accounts')
await warehouse.insert([even, odd])

test('a statement without an account is refused', async () => {
  await assert.rejects(clickhouse.rows(`SELECT count() FROM ${database}.cdr`), { code: '507' })
  await assert.rejects(clickhouse.rows(`SELECT count() FROM ${database}.cdr WHERE id = '${even.id}'`), { code: '507' })
})

test('the records and claims of an account are on one shard', async () => {
  for (const table of ['cdr', 'cdr_id'])
    for (const account_id of accounts)
      assert.deepEqual(
        await clickhouse.rows(
          `SELECT toString(count()), _shard_num FROM ${database}.${table} WHERE account_id = ${account_id} GROUP BY _shard_num`,
        ),
        [['1', (Number(account_id) % 2) + 1]],
      )
})

test('sums of all accounts come from both shards', async () => {
  assert.deepEqual(await warehouse.monthNames(), ['2025-03'])
  const found = await warehouse.accountsIn({ month: '2025-03', after: '0', most: 10 })
  assert.deepEqual(
    found.map(({ account_id, num_calls }) => [account_id, num_calls]),
    accounts.map((account_id) => [account_id, 1]),
  )
})
