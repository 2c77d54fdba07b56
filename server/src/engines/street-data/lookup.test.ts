import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../platform/db.ts'
import { silentLog } from '../../platform/postgres/log.ts'
import { testDatabase } from '../../../test/support/database.ts'
import { activeStreets } from './lookup-store.ts'

/** More executions than PostgreSQL plans individually before it considers a generic plan. */
const CALLS = 12

test('street lookups share one query plan, regardless of the number of addresses', async (t) => {
  const { pool, url } = await testDatabase(t)
  await pool.query(`
    with d as (
      insert into e911_dataset (name, vintage, format, kind, authority, license, source, status, created_at)
      values ('Made up', '1', 'nena-rcl-csv', 'range', 'authoritative', '', '', 'active', now()) returning id
    ),
    place as (select d.id, lpad(z::text, 5, '0') as zip from d, generate_series(1, 500) as z),
    area as (
      insert into e911_area (dataset_id, country, state, postal, city, city_key, city_derived, streets, complete)
      select id, 'US', 'WI', zip, 'Town ' || zip, 'TOWN ' || zip, false, 20, true from place
    )
    insert into e911_street (dataset_id, country, state, postal, city, city_key, city_derived, label, key, ranges, esn, psap)
    select id, 'US', 'WI', zip, 'Town ' || zip, 'TOWN ' || zip, false, n || ' ST', n || '|ST||', '{{1,99,0}}', '', ''
    from place, generate_series(1, 20) as n`)
  await pool.query('analyze e911_street, e911_area, e911_dataset')
  const database = openDatabase({ connection: url, pool_size: 1, log: silentLog })
  t.after(() => database.close())
  const streets = activeStreets(database.db)
  for (let i = 1; i <= CALLS; i++) {
    const zip = String(i).padStart(5, '0')
    const place = { country: 'US', state: 'WI', zip, city: `Town ${zip}`, city_key: `TOWN ${zip}` } as const
    const probes = i % 3 === 0 ? [1, 2, 3].map((n) => ({ ...place, base: `${n}` })) : [{ ...place, base: '7' }]
    const { rows, facts } = await streets.lookUp(probes)
    assert.deepEqual([rows.length, facts.length], [i % 3 === 0 ? 3 : 1, 1])
    const ids = Array.from({ length: 1 + (i % 4) * 20 }, (_, n) => String(9_000 + n))
    const numbered = await streets.lookUp(i % 2 === 0 ? probes : [], { ids, numbers: i % 5 === 0 ? [100] : [50, 55] })
    const expected = (i % 2 === 0 ? rows.length : 0) + (i % 5 === 0 ? 0 : ids.length)
    assert.deepEqual(numbered.rows.length, expected)
  }
  const { rows } = await database.pool.query<{ generic_plans: string; custom_plans: string }>(
    `select generic_plans, custom_plans from pg_prepared_statements where statement like '%e911_version%'`,
  )
  const planned = { generic_plans: String(CALLS - 5), custom_plans: '5' }
  assert.deepEqual(rows, [planned, planned])
})
