import { canadianProvinces, inventoryOperator as api, usStates } from '@demarc/client'
import { numberTypeOf } from '../numbers/index.ts'
import { isAssignable, notAssignable } from './rules.ts'
import type { Profile } from './tables.ts'

/** Reads the rows of an inventory file. Pure. */

export type InventoryColumn = (typeof api.inventoryColumns)[number]

/** A number as a file has it. */
export interface FileNumber {
  number: string
  supplier: string
  resporg: string | null
  profile: Omit<Profile, 'id'>
}

const requiredColumns: readonly InventoryColumn[] = ['number', 'supplier']
const costColumns = ['monthly_cost', 'setup_cost'] as const

/** The columns of a header line; or why it cannot be read. */
export function readHeader(cells: readonly string[]): { columns: InventoryColumn[] } | { messages: string[] } {
  const names = cells.map((cell) => cell.trim().toLowerCase())
  const known = names.flatMap((name) => api.inventoryColumns.find((column) => column === name) ?? [])
  const unknown = names.filter((name) => !api.inventoryColumns.some((column) => column === name))
  const required = [...requiredColumns, ...(names.includes('price_class') ? [] : costColumns)]
  const missing = required.filter((name) => !names.includes(name))
  const repeated = names.filter((name, i) => names.indexOf(name) !== i)
  const messages = [
    ...(unknown.length === 0 ? [] : [`Unknown columns: ${unknown.join(', ')}.`]),
    ...(missing.length === 0 ? [] : [`Missing columns: ${missing.join(', ')}.`]),
    ...(repeated.length === 0 ? [] : [`Repeated columns: ${repeated.join(', ')}.`]),
  ]
  return messages.length > 0 ? { messages } : { columns: known }
}

const amount = /^\d{1,8}(\.\d{1,4})?$/
const notAmount = 'Must be an amount in dollars, such as 1.25, unless the line has a price_class.'
const hasClass = 'Must be empty, because the line has a price_class.'

/** The number of a row; or messages by column. `classes`: the names of the price classes. */
export function readRow(
  cells: readonly string[],
  columns: readonly InventoryColumn[],
  classes: ReadonlySet<string>,
): { entry: FileNumber } | { messages: Record<string, string[]> } {
  if (cells.length !== columns.length)
    return { messages: { line: [`Has ${cells.length} cells, but the header has ${columns.length}.`] } }
  const cell = (name: InventoryColumn) => cells[columns.indexOf(name)]?.trim() ?? ''
  const number = withCountryCode(cell('number').replace(/^\+/, ''))
  const number_type = numberTypeOf(number)
  const is_tollfree = number_type === 'toll-free'
  const state = cell('state').toUpperCase()
  const messages: Record<string, string[]> = {}
  const refuse = (column: InventoryColumn, holds: boolean, message: string) => {
    if (!holds) messages[column] = [message]
  }
  refuse('number', isAssignable(number), notAssignable)
  const given_type = cell('number_type')
  refuse(
    'number_type',
    given_type === '' || given_type === number_type,
    `Must be ${number_type}, because area code ${number.slice(1, 4)} is for those.`,
  )
  refuse(
    'rate_center',
    is_tollfree || isName(cell('rate_center')),
    'Is required for a long code, at most 50 characters.',
  )
  refuse('state', state === '' ? is_tollfree : isState(state), 'Must be a state or province, as two letters.')
  refuse('lata', /^(\d{3,5})?$/.test(cell('lata')), 'Must be three to five digits.')
  refuse('zip', /^(\d{5})?$/.test(cell('zip')), 'Must be five digits.')
  const price_class = cell('price_class')
  const has_class = price_class !== ''
  refuse('price_class', !has_class || classes.has(price_class), `No price class ${price_class}.`)
  for (const column of costColumns)
    refuse(column, has_class ? cell(column) === '' : amount.test(cell(column)), has_class ? hasClass : notAmount)
  refuse('supplier', isName(cell('supplier')), 'Is required, at most 50 characters.')
  refuse('capabilities', /^([a-z0-9_]{1,20}( +|$)){0,10}$/.test(cell('capabilities')), 'Must be up to 10 words.')
  refuse(
    'resporg',
    is_tollfree ? /^[A-Z0-9]{5}$/.test(cell('resporg')) : cell('resporg') === '',
    is_tollfree ? 'Is required for a toll-free number: five letters or digits.' : 'Is for toll-free numbers only.',
  )
  if (Object.keys(messages).length > 0) return { messages }
  const profile = {
    number_type,
    rate_center: cell('rate_center'),
    lata: cell('lata'),
    state,
    zip: cell('zip'),
    monthly_cost: cell('monthly_cost') || null,
    setup_cost: cell('setup_cost') || null,
    price_class: price_class || null,
    capabilities: [...new Set(cell('capabilities').split(/ +/))].toSorted().join(' ').trim(),
  }
  return { entry: { number, supplier: cell('supplier'), resporg: cell('resporg') || null, profile } }
}

const withCountryCode = (digits: string) => (/^\d{10}$/.test(digits) ? `1${digits}` : digits)
/** PostgreSQL text cannot contain U+0000. */
const isName = (text: string) => text.length > 0 && text.length <= 50 && !text.includes('\0')
const isState = (text: string) => [...usStates, ...canadianProvinces].some((each) => each === text)
