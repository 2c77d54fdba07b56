/** Reads number changes from a table, such as a CSV file. */

/** Attributes by column name. */
const columns = {
  number: 'value',
  value: 'value',
  alias: 'alias',
  cnam_lookups_enabled: 'cnam_lookups_enabled',
  route: 'primary_route_id',
  primary_route_id: 'primary_route_id',
  failover: 'failover_route_id',
  failover_route_id: 'failover_route_id',
  cnam: 'cnam_id',
  cnam_id: 'cnam_id',
  e911: 'e911_id',
  e911_id: 'e911_id',
} as const

/** An attribute of a number change. */
export type ChangedAttribute = (typeof columns)[keyof typeof columns]
/** The changes in a row; null removes the attribute. */
export type RowChange = Partial<Record<ChangedAttribute, string | null>>

const attributeOf = (name: string): ChangedAttribute | undefined =>
  Object.entries(columns).find(([column]) => column === name)?.[1]

/** Returns the attribute of each column, or the problem with the header and its remedy. */
export function readNumberColumns(
  header: readonly string[],
): { attributes: ChangedAttribute[] } | { problem: string; remedy?: string } {
  const names = header.map((name) => name.trim().toLowerCase())
  const unknown = names.filter((name) => attributeOf(name) === undefined)
  if (unknown.length > 0)
    return {
      problem: `Unknown columns: ${unknown.join(', ')}.`,
      // spreadsheets use semicolons in locales with decimal commas
      remedy: /[;\t]/.test(names.join())
        ? 'Separate columns with commas.'
        : `Known columns: ${Object.keys(columns).join(', ')}.`,
    }
  const attributes = names.flatMap((name) => attributeOf(name) ?? [])
  if (new Set(attributes).size < attributes.length) return { problem: 'Two columns set the same attribute.' }
  if (!attributes.includes('value')) return { problem: 'The number column is missing.' }
  return { attributes }
}

/**
 * Reads the changes in a row. An empty cell changes nothing; `none` removes the attribute. The country code is optional. `problem` is set for a
 * row that has more cells than the header.
 */
export function readNumberRow(
  row: readonly string[],
  attributes: readonly ChangedAttribute[],
): { number: string; change: RowChange; problem: string | null } {
  const change: RowChange = {}
  for (const [i, attribute] of attributes.entries()) {
    const cell = (row[i] ?? '').trim()
    if (cell !== '') change[attribute] = cell.toLowerCase() === 'none' ? null : cell
  }
  const number = change.value ?? ''
  if (/^[2-9]\d{9}$/.test(number)) change.value = `1${number}`
  const problem =
    row.length > attributes.length ? `Has ${row.length} cells, but the header has ${attributes.length}.` : null
  return { number, change, problem }
}
