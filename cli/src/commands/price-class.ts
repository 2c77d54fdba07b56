import { operations } from '@demarc/client'
import { priceClassNames } from '../complete-ids.ts'
import { plain } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** Price classes of numbers, for the operator. */

const price_class = { name: 'price-class', summary: 'Name of the price class', complete: priceClassNames }

const list = plain('list', operations.listPriceClasses, {
  columns: ['id', 'monthly_cost', 'setup_cost', 'changed_at'],
  examples: ['price-class list'],
})

const set = plain('set', operations.setPriceClass, {
  arguments: { price_class },
  examples: ['price-class set gold --monthly-cost 5.00 --setup-cost 10.00'],
})

const prices = plain('prices', operations.listAccountPrices, {
  columns: ['id', 'monthly_cost', 'setup_cost', 'list_monthly_cost', 'list_setup_cost', 'is_negotiated'],
  examples: ['price-class prices --account 1001'],
})

const setPrice = plain('set-price', operations.setAccountPrice, {
  arguments: { price_class },
  examples: ['price-class set-price gold --account 1001 --monthly-cost 4.50 --setup-cost 0'],
})

const removePrice = plain('remove-price', operations.removeAccountPrice, {
  arguments: { price_class },
  done: () => 'The account pays the price of the class.',
  examples: ['price-class remove-price gold --account 1001'],
})

export const priceClass: Noun = {
  name: 'price-class',
  summary: 'Price classes of numbers, and accounts’ own prices',
  verbs: [list, set, prices, setPrice, removePrice],
}
