import { Readable } from 'node:stream'
import { csvCell, inventoryOperator as api } from '@demarc/client'
import { loadInventory } from '../src/inventory/index.ts'
import type { Context } from '../src/platform/context.ts'
import { inventory } from './cast.ts'

const prices = {
  longcode: { monthly_cost: '1.25', setup_cost: '1.00' },
  tollfree: { monthly_cost: '2.00', setup_cost: '1.00' },
  /** Numbers that are easy to remember. */
  repeated: { setup_cost: '3.99' },
}

/** Loads the numbers for sale, as the operator would. Loading them again changes nothing. */
export async function seedInventory(c: Context): Promise<void> {
  const lines = inventory.flatMap(({ area, first, count, ...place }) =>
    Array.from({ length: count }, (_, i) => lineOf(`1${area}5550${first + i}`, place)),
  )
  await loadInventory(c, Readable.from([Buffer.from([api.inventoryColumns.join(), ...lines].join('\n'))]), false)
}

function lineOf(number: string, place: { rate_center: string; lata: string; state: string; zip: string }): string {
  const is_tollfree = place.rate_center === ''
  const cells: Partial<Record<(typeof api.inventoryColumns)[number], string>> = {
    number,
    ...place,
    ...(is_tollfree ? prices.tollfree : prices.longcode),
    ...(/(\d)\1$/.test(number) ? prices.repeated : {}),
    supplier: 'own',
    capabilities: is_tollfree ? 'voice' : 'e911 voice',
    resporg: is_tollfree ? 'DMC01' : '',
  }
  return api.inventoryColumns.map((column) => csvCell(cells[column] ?? '')).join()
}
