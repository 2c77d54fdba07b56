import type { TestServer } from './server.ts'

/** A line of an inventory file. */
export interface InventoryLine {
  number: string
  rate_center?: string
  state?: string
  zip?: string
  monthly_cost?: string
  setup_cost?: string
  price_class?: string
  resporg?: string
}

const columns = [
  'number',
  'rate_center',
  'state',
  'zip',
  'monthly_cost',
  'setup_cost',
  'price_class',
  'supplier',
  'resporg',
] as const
const usual = {
  rate_center: 'SEATTLE',
  state: 'WA',
  zip: '98101',
  monthly_cost: '1.25',
  setup_cost: '1.00',
  price_class: '',
  supplier: 'own',
  resporg: '',
}

/** An inventory file. */
export const inventoryCsv = (lines: readonly InventoryLine[]): string =>
  [columns.join(), ...lines.map((line) => columns.map((column) => ({ ...usual, ...line })[column]).join())].join('\n')

/** Loads numbers into the inventory. */
export async function loadNumbers({ operator }: Pick<TestServer, 'operator'>, lines: readonly InventoryLine[]) {
  const { body } = await operator.loadInventory({ body: inventoryCsv(lines), content_type: 'text/csv' })
  return body.data
}

/** Consecutive numbers from the first on. */
export const numbersFrom = (first: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => String(Number(first) + i))
