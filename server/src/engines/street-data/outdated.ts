import type { Executor } from '../../platform/db.ts'

/** Active datasets of an earlier version, whose house numbers lack prefixes, letters, fractions and hyphens. */
export async function outdatedDatasets(db: Executor): Promise<string[]> {
  const rows = await db
    .selectFrom('e911_dataset')
    .select(['name', 'vintage'])
    .where('status', '=', 'active')
    .where('whole_numbers', '=', false)
    .orderBy('name')
    .execute()
  return rows.map(({ name, vintage }) => `${name} ${vintage}`)
}
