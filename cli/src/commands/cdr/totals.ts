import { openCallFile } from './call-file.ts'
import { textOfUnits, unitsOf } from './decimal.ts'
import { usage } from '../../failure.ts'

/** The totals of a file's rows. */
export interface Totals {
  num_calls: number
  total_cost: bigint
  call_subtotal: bigint
  connect_fees: bigint
  usf_fees: bigint
  ccrf: bigint
  cnamlookup_fees: bigint
  billed_seconds: bigint
}

/** The columns that an export's totals add up. */
const columns = {
  total_cost: 'total_cost',
  call_subtotal: 'cost_subtotal',
  connect_fees: 'connect_fee',
  usf_fees: 'usf_fee',
  ccrf: 'ccrf',
  cnamlookup_fees: 'cnam_lookup_fee',
} as const satisfies Partial<Record<keyof Totals, string>>
export type Amount = keyof typeof columns
export const amounts = Object.keys(columns) as readonly Amount[] // the keys of the table

/** Adds up a file. `read` is told how many bytes of it were read. */
export async function totalsOf(file: string, read: (bytes: number) => void): Promise<Totals> {
  const { header, rows } = await openCallFile(file, read)
  const at = (name: string) => {
    const index = header.indexOf(name)
    if (index < 0) throw usage('file', `${file} has no column ${name}, so it is not an export file.`)
    return index
  }
  const amount_at = amounts.map((name) => ({ name, index: at(columns[name]) }))
  const billed_at = at('billed_duration')
  const sums: Totals = {
    num_calls: 0,
    total_cost: 0n,
    call_subtotal: 0n,
    connect_fees: 0n,
    usf_fees: 0n,
    ccrf: 0n,
    cnamlookup_fees: 0n,
    billed_seconds: 0n,
  }
  for await (const row of rows) {
    sums.num_calls++
    for (const { name, index } of amount_at) sums[name] += amountIn(row, index, columns[name], sums.num_calls, file)
    const billed = row[billed_at] ?? ''
    if (!/^\d{1,15}$/.test(billed)) throw refused(file, sums.num_calls, 'billed_duration', billed)
    sums.billed_seconds += BigInt(billed)
  }
  return sums
}

function amountIn(row: readonly string[], index: number, name: string, nth: number, file: string): bigint {
  const units = unitsOf(row[index] ?? '')
  if (units === null) throw refused(file, nth, name, row[index] ?? '')
  return units
}

const refused = (file: string, nth: number, name: string, value: string) =>
  usage('file', `${file}, call ${nth}: ${name} is ${JSON.stringify(value.slice(0, 50))}, which is not a number.`)

/** As an export shows them. */
export const amountText = (units: bigint): string => {
  const [integer = '', fraction = ''] = textOfUnits(units).split('.')
  return `${integer}.${fraction.padEnd(6, '0')}`
}
