/** A table of changes of numbers, such as the rows of a CSV: what its columns may be called, and what a row says. */

/** What a column may be called, and the attribute of a change that it is. */
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

/** An attribute of the change of a number. */
export type ChangedAttribute = (typeof columns)[keyof typeof columns]
/** What a row changes: null removes. */
export type RowChange = Partial<Record<ChangedAttribute, string | null>>

const attributeOf = (name: string): ChangedAttribute | undefined =>
  Object.entries(columns).find(([column]) => column === name)?.[1]

/** The attributes of the columns; or what is wrong with the header, and what to do about it. */
export function readNumberColumns(
  header: readonly string[],
): { attributes: ChangedAttribute[] } | { problem: string; remedy?: string } {
  const names = header.map((name) => name.trim().toLowerCase())
  const unknown = names.filter((name) => attributeOf(name) === undefined)
  if (unknown.length > 0)
    return {
      problem: `Not known as a column: ${unknown.join(', ')}.`,
      // as spreadsheets write it where the comma is in decimals
      remedy: /[;\t]/.test(names.join())
        ? 'Columns have commas between them.'
        : `There are: ${Object.keys(columns).join(', ')}.`,
    }
  const attributes = names.flatMap((name) => attributeOf(name) ?? [])
  if (new Set(attributes).size < attributes.length) return { problem: 'Two columns are the same attribute.' }
  if (!attributes.includes('value')) return { problem: 'There is no column number.' }
  return { attributes }
}

/**
 * What a row changes. An empty cell leaves the number as it is, `none` removes. A number may lack the country code. `problem`: a
 * row with more cells than the header.
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
    row.length > attributes.length ? `Has ${row.length} cells; the header line has ${attributes.length}.` : null
  return { number, change, problem }
}
