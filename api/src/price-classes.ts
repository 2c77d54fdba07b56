import * as z from 'zod'
import { operation } from './declare.ts'
import { bodyMoney } from './inventory.ts'
import { money, timestamp } from './shapes.ts'

/** Prices of numbers by class, and what accounts pay instead. */

const pathName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,29}$/)
  .meta({ description: 'Name of the class: up to 30 lowercase letters, digits, and hyphens.' })
const byClass = z.object({ price_class: pathName })
const byAccount = z.object({
  account_id: z
    .string()
    .regex(/^\d{1,18}$/)
    .meta({ description: 'Integer ID.' }),
  price_class: pathName,
})

const costs = { monthly_cost: money, setup_cost: money }
const newCosts = z.strictObject({ monthly_cost: bodyMoney, setup_cost: bodyMoney })

const priceClass = z
  .object({
    type: z.literal('price_class'),
    id: z.string().meta({ description: 'Its name.' }),
    attributes: z.object({ ...costs, changed_at: timestamp }),
  })
  .meta({ id: 'PriceClass' })

const accountPrice = z
  .object({
    type: z.literal('account_price'),
    id: z.string().meta({ description: 'The name of the class.' }),
    attributes: z.object({
      ...costs,
      list_monthly_cost: money.meta({ description: 'What other accounts pay.' }),
      list_setup_cost: money,
      is_negotiated: z.boolean().meta({ description: 'Whether the account has its own price.' }),
    }),
  })
  .meta({ id: 'AccountPrice' })

const common = { feature: 'numbers', media: 'json', principals: ['operator'] } as const

export const listPriceClasses = operation({
  ...common,
  id: 'listPriceClasses',
  summary: 'List price classes',
  endpoint: 'GET /operator/price_classes',
  responses: { 200: { description: 'All classes, by name.', body: z.object({ data: z.array(priceClass) }) } },
})

export const setPriceClass = operation({
  ...common,
  id: 'setPriceClass',
  summary: 'Create a price class, or change its price',
  description:
    'From then on, every number of the class costs this, for searches and orders alike. Numbers that are on accounts keep their monthly cost.',
  endpoint: 'PUT /operator/price_classes/{price_class}',
  params: byClass,
  body: newCosts,
  responses: { 200: { description: 'The class.', body: z.object({ data: priceClass }) } },
  problems: ['not-found', 'invalid-input', 'conflict'],
})

export const listAccountPrices = operation({
  ...common,
  id: 'listAccountPrices',
  summary: 'List what an account pays for each price class',
  endpoint: 'GET /operator/accounts/{account_id}/price_classes',
  responses: { 200: { description: 'All classes, by name.', body: z.object({ data: z.array(accountPrice) }) } },
})

export const setAccountPrice = operation({
  ...common,
  id: 'setAccountPrice',
  summary: 'Set what an account pays for numbers of a price class',
  description: 'The account searches and orders at this price, whatever the class costs.',
  endpoint: 'PUT /operator/accounts/{account_id}/price_classes/{price_class}',
  params: byAccount,
  body: newCosts,
  responses: { 200: { description: 'The price.', body: z.object({ data: accountPrice }) } },
})

export const removeAccountPrice = operation({
  ...common,
  id: 'removeAccountPrice',
  summary: 'Remove an account’s own price of a price class',
  endpoint: 'DELETE /operator/accounts/{account_id}/price_classes/{price_class}',
  params: byAccount,
  responses: { 204: { description: 'Removed.', body: null } },
})
