import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWarehouse } from '../../../test/support/engine.ts'
import { schema } from './schema.ts'
import { ALL_TIME, callRecord } from './testing/records.ts'

test('the table of an earlier version gets compact parts, and keeps its records', async () => {
  const { warehouse, clickhouse, database } = await testWarehouse()
  const query = { account_id: '5', filter: ALL_TIME }
  const setting = async () =>
    (
      await clickhouse.rows<[string]>(
        `SELECT extract(create_table_query, 'min_bytes_for_wide_part = [0-9]+') FROM system.tables WHERE database = '${database}' AND name = 'cdr'`,
      )
    ).flat()
  const current = await setting()
  assert.match(current.join(), /= [0-9]+$/)
  await clickhouse.run(`DROP TABLE ${database}.cdr SYNC`)
  const [, records = ''] = schema(database)
  const earlier = records.replace(/, min_bytes_for_wide_part = [0-9]+/, '')
  assert.notEqual(earlier, records)
  await clickhouse.run(earlier)
  assert.deepEqual(await setting(), [''])
  await warehouse.insert([callRecord({ account_id: '5', id: 'a' })])
  for (let start = 0; start < 2; start += 1) {
    await warehouse.ensureSchema()
    assert.deepEqual(await setting(), current)
  }
  assert.deepEqual(await warehouse.insert(['a', 'b'].map((id) => callRecord({ account_id: '5', id }))), {
    accepted: 1,
    duplicates: 1,
  })
  assert.equal(await warehouse.count(query), 2)
})
