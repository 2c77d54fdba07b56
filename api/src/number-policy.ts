import * as z from 'zod'
import { operation } from './declare.ts'
import { bodyMoney } from './inventory.ts'
import { id, money } from './shapes.ts'

/** What an account may order. */

/** Which orders of an account the operator approves. */
export const approvalKinds = ['none', 'all', 'above'] as const

const common = { feature: 'numbers', media: 'json', principals: ['operator'] } as const

const policyAttributes = {
  numbers_max: z
    .int()
    .min(0)
    .max(100_000_000)
    .nullable()
    .meta({ description: 'The most numbers that the account can have after an order. Null: no limit.' }),
  reserved_max: z
    .int()
    .min(0)
    .max(100_000_000)
    .nullable()
    .meta({ description: 'The most numbers that the account can reserve at a time. Null: 100.' }),
  approval: z.enum(approvalKinds).meta({
    description:
      'Which of its orders you approve before they complete: none, all, or those above one of the two limits.',
  }),
}

const descriptions = {
  quantity: { description: 'Orders of more numbers need approval.' },
  cost: { description: 'Orders that cost more each month, in dollars, need approval.' },
}

const policy = z.object({
  type: z.literal('number_policy'),
  id,
  attributes: z.object({
    ...policyAttributes,
    approval_quantity_max: z.int().nullable().meta(descriptions.quantity),
    approval_monthly_cost_max: money.nullable().meta(descriptions.cost),
  }),
})

export const getNumberPolicy = operation({
  ...common,
  id: 'getNumberPolicy',
  summary: 'Get what an account may order and reserve',
  endpoint: 'GET /operator/accounts/{account_id}/number_policy',
  responses: { 200: { description: 'The limits.', body: z.object({ data: policy }) } },
})

export const setNumberPolicy = operation({
  ...common,
  id: 'setNumberPolicy',
  summary: 'Set what an account may order and reserve',
  endpoint: 'PUT /operator/accounts/{account_id}/number_policy',
  body: z.strictObject({
    ...policyAttributes,
    approval_quantity_max: z.int().min(0).max(1_000_000).nullish().meta(descriptions.quantity),
    approval_monthly_cost_max: bodyMoney.nullish().meta(descriptions.cost),
  }),
  responses: { 200: { description: 'The limits.', body: z.object({ data: policy }) } },
})
