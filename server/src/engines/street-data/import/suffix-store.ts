import type pg from 'pg'
import type { Country } from '../../addresses/index.ts'
import { stagingTable } from './staging-store.ts'

/** SQL for staged streets whose last word may be a suffix. A key is `name|type|direction before|direction after`. */

export interface StagedStreet {
  country: Country
  state: string
  label: string
  key: string
}

/** Distinct streets without a suffix whose last word has two to four letters. */
export async function stagedWithoutSuffix(client: pg.ClientBase, id: number, bucket: number): Promise<StagedStreet[]> {
  const { rows } = await client.query<StagedStreet>(
    `select distinct country, state, label, key from ${stagingTable(id, bucket)}
     where split_part(key, '|', 2) = '' and split_part(key, '|', 1) ~ '. [A-Z]{2,4}$'`,
  )
  return rows
}

/** Which of the names occur with a suffix, and the number of streets by suffix. */
export async function stagedWithSuffix(
  client: pg.ClientBase,
  id: number,
  bucket: number,
  names: readonly string[],
): Promise<{ bases: string[]; types: { type: string; streets: number }[] }> {
  const { rows } = await client.query<{ bases: string[]; types: { type: string; streets: number }[] }>(
    `with staged as materialized (
       select distinct split_part(key, '|', 1) as base, split_part(key, '|', 2) as type from ${stagingTable(id, bucket)}
       where split_part(key, '|', 2) <> ''
     )
     select
       array(select distinct base from staged where base = any($1::text[])) as bases,
       (select coalesce(json_agg(t), '[]') from (select type, count(*)::int as streets from staged group by type) t) as types`,
    [names],
  )
  return rows[0] ?? { bases: [], types: [] }
}

/** Changes the label and key of streets. */
export async function renameStaged(
  client: pg.ClientBase,
  id: number,
  bucket: number,
  renamed: readonly (StagedStreet & { new_label: string; new_key: string })[],
): Promise<void> {
  await client.query(
    `update ${stagingTable(id, bucket)} s set label = r.new_label, key = r.new_key
     from json_to_recordset($1::json) r (country text, state text, label text, key text, new_label text, new_key text)
     where s.key = r.key and s.label = r.label and s.country = r.country and s.state = r.state`,
    [JSON.stringify(renamed)],
  )
}
