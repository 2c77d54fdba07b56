import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../test/support/database.ts'
import { agedClasses, personalClasses, tablesLeft } from './class-store.ts'

const { db } = await testDatabase()

test('every table with rows of an account or person is in the list of what is deleted, or of what stays', async () => {
  const { rows: tables } = await sql<{ name: string }>`
    select distinct table_name as name from information_schema.columns
    where table_schema = 'public' and column_name in ('account_id', 'person_id')`.execute(db)
  const deleted = Object.values({ ...personalClasses, ...agedClasses }).flatMap(({ table, children = [] }) => [
    table,
    ...children.map(([child]) => child),
  ])
  const known = new Set([...deleted, ...Object.keys(tablesLeft)])
  assert.deepEqual(
    tables.map(({ name }) => name).filter((name) => !known.has(name)),
    [],
  )
})
