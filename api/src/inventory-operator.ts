import * as z from 'zod'
import { operation } from './declare.ts'
import { availableAttributes } from './inventory.ts'
import { digits, withCountryCode } from './numbers.ts'
import { page, queryBoolean, queryId, timestamp } from './shapes.ts'

/** The number inventory, for the operator. */

/** The statuses of a number in the inventory. */
export const inventoryStatuses = ['available', 'reserved', 'active', 'aging', 'held', 'recalled'] as const

const inventoryNumber = z
  .object({
    type: z.literal('inventory_number'),
    id: z.string(),
    attributes: availableAttributes.extend({
      status: z.enum(inventoryStatuses),
      zip: z.string().nullable(),
      supplier: z.string(),
      resporg: z.string().nullable().meta({ description: 'The Responsible Organization of a toll-free number.' }),
      account_id: z.string().nullable().meta({
        description: 'The account that has reserved or ordered it, or had it before it was released.',
      }),
      aging_until: timestamp.nullable(),
      status_reason: z.string().nullable().meta({ description: 'Why it is held or recalled.' }),
      changed_at: timestamp,
    }),
  })
  .meta({ id: 'InventoryNumber' })

const common = { feature: 'numbers', media: 'json', principals: ['operator'] } as const

export const listInventory = operation({
  ...common,
  id: 'listInventory',
  summary: 'List the number inventory',
  endpoint: 'GET /operator/inventory',
  query: z.object({
    ...page(10, 200),
    starts_with: digits('Leading digits, with or without the country code.', withCountryCode),
    status: z.enum(inventoryStatuses).optional(),
    account_id: queryId.meta({ description: 'Numbers of this account.' }),
  }),
  responses: {
    200: {
      description: 'Numbers in ascending order.',
      body: z.object({
        data: z.array(inventoryNumber),
        links: z.object({ self: z.string(), next: z.string().optional() }),
      }),
    },
  },
})

/** The columns of an inventory file. */
export const inventoryColumns = [
  'number',
  'number_type',
  'rate_center',
  'lata',
  'state',
  'zip',
  'monthly_cost',
  'setup_cost',
  'supplier',
  'capabilities',
  'resporg',
] as const

export const loadInventory = operation({
  ...common,
  id: 'loadInventory',
  summary: 'Load numbers into the inventory',
  description:
    'The body is CSV with a header line, of any size. Columns: `number`, `monthly_cost`, `setup_cost`, and `supplier` are required, and `rate_center` and `state` for long codes, `resporg` for toll-free numbers; `number_type`, `lata`, `zip`, and `capabilities` (separated by spaces) are optional. A number that is already in the inventory gets the attributes of its line and keeps its status. Rejected lines do not affect the others. Sending the same file again changes nothing. With `dry_run=true` nothing is stored.',
  endpoint: 'POST /operator/inventory',
  query: z.object({ dry_run: queryBoolean.optional() }),
  body: { bytes: ['text/csv'] },
  responses: {
    200: {
      description: 'The report.',
      body: z.object({
        data: z.object({
          dry_run: z.boolean(),
          read: z.int(),
          added: z.int(),
          changed: z.int(),
          unchanged: z.int(),
          rejected: z.int(),
          errors: z
            .array(z.object({ line: z.int(), messages: z.record(z.string(), z.array(z.string())) }))
            .meta({ description: 'The first 100 rejected lines, with messages by column.' }),
        }),
      }),
    },
  },
  problems: ['invalid-input'],
  effect: 'own',
  repeatable: true,
})
