import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { importText, openAddresses } from '../../engines/street-data/testing/import.ts'
import { followUps } from './follow-ups.ts'

test('switching the active data enqueues one revalidation and one cleanup', async (t) => {
  const { pool } = await testDatabase(t)
  const one = openAddresses('12 Main St|Hertford|NC|27944')
  for (const vintage of ['1', '2']) await importText(pool, 'openaddresses-csv', one, { vintage, follow_ups: followUps })
  const { rows } = await pool.query<{ kind: string; key: string }>('select kind, key from job order by kind')
  assert.deepEqual(rows, [
    { kind: 'clear-e911', key: 'all' },
    { kind: 'revalidate-e911', key: 'all' },
  ])
})
