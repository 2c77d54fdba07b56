import * as z from 'zod'
import { operation } from './declare.ts'
import { availableAttributes, availableFilters } from './inventory.ts'
import { availableNumberValue, digits, numberTypes, withCountryCode } from './numbers.ts'
import { line, list, page, queryBoolean, queryId, queryInteger, timestamp } from './shapes.ts'

/** The number inventory, for the operator. */

/** The statuses of a number in the inventory. */
export const inventoryStatuses = ['available', 'reserved', 'active', 'aging', 'held', 'recalled', 'ported_out'] as const

const inventoryNumber = z
  .object({
    type: z.literal('inventory_number'),
    id: z.string(),
    attributes: availableAttributes.extend({
      status: z.enum(inventoryStatuses),
      zip: z.string().nullable(),
      price_class: z.string().nullable().meta({ description: 'Its costs are those of the class.' }),
      supplier: z.string(),
      resporg: z.string().nullable().meta({ description: 'The Responsible Organization of a toll-free number.' }),
      account_id: z.string().nullable().meta({
        description: 'The account that has reserved or ordered it, or had it before it was released.',
      }),
      aging_until: timestamp.nullable(),
      status_reason: z
        .string()
        .nullable()
        .meta({ description: 'Why it is held or recalled, or where it was ported to.' }),
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
    rate_center: availableFilters.rate_center,
    state: availableFilters.state,
    number_type: availableFilters.number_type,
    status: z.enum(inventoryStatuses).optional(),
    account_id: queryId.meta({ description: 'Numbers of this account.' }),
  }),
  responses: {
    200: {
      description: 'Numbers in ascending order; with `status=aging`, those that return first.',
      body: list(inventoryNumber),
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
  'price_class',
  'supplier',
  'capabilities',
  'resporg',
] as const

export const loadInventory = operation({
  ...common,
  id: 'loadInventory',
  summary: 'Load numbers into the inventory',
  description:
    'The body is CSV with a header line, of any size. Columns: `number` and `supplier` are required, and either `monthly_cost` and `setup_cost` or `price_class`, and `rate_center` and `state` for long codes, `resporg` for toll-free numbers; `number_type`, `lata`, `zip`, and `capabilities` (separated by spaces) are optional. A number that is already in the inventory gets the attributes of its line and keeps its status. Rejected lines do not affect the others. Sending the same file again changes nothing. With `dry_run=true` nothing is stored.',
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

/** What the operator does with numbers that no account has. */
export const inventoryActions = ['hold', 'recall', 'make_available'] as const

/** Most numbers in one change. */
const changedInventory_max = 1_000

export const changeInventory = operation({
  ...common,
  id: 'changeInventory',
  summary: 'Hold, recall, or make numbers available',
  description:
    '`hold` takes available numbers off sale. `recall` also takes aging and held numbers back, for example for their supplier. `make_available` puts held and recalled numbers on sale again, and ported-out ones that were returned. Numbers that an account has or has reserved are refused; the others change.',
  endpoint: 'PATCH /operator/inventory',
  body: z.strictObject({
    numbers: z.array(availableNumberValue).min(1).max(changedInventory_max),
    action: z.enum(inventoryActions).meta({ examples: ['make_available'] }),
    reason: line(200).min(1, 'Is required.').optional().meta({ description: 'Required to hold or recall.' }),
  }),
  responses: {
    200: {
      description: 'The outcome of each number, in the order of the request.',
      body: z.object({
        data: z.array(
          z.object({
            value: z.string(),
            outcome: z.enum(['changed', 'unchanged', 'refused']),
            reason: z.string().nullable(),
          }),
        ),
        meta: z.object({ changed_count: z.int() }),
      }),
    },
  },
})

const stock = z.object({
  type: z.literal('inventory_stock'),
  id: z.string(),
  attributes: z.object({
    number_type: z.enum(numberTypes),
    state: z.string().nullable(),
    rate_center: z.string().nullable(),
    available: z.int(),
    reserved: z.int(),
    active: z.int(),
    aging: z.int(),
    held: z.int(),
    ordered_30_days: z.int().meta({
      description:
        'Numbers that left the stock for an account in the last 30 days, once each, even if they were released since.',
    }),
    ordered_90_days: z.int(),
    trend: z.enum(['steady', 'rising', 'falling']).meta({
      description:
        'Compares the last 30 days with the first 30 of the last 90: `steady` unless they differ by more than twice the square root of their sum.',
    }),
    ordered_per_day: z.string().meta({
      description: 'The mean of the last 90 days, or of the last 30 with a trend. The forecast uses it.',
      examples: ['1.33'],
    }),
    days_left: z.int().nullable().meta({
      description: 'For how many days the available numbers last; null without orders.',
    }),
    runs_out_on: z.iso.date().nullable().meta({
      description: 'When the available numbers run out, without returning ones; null if that is more than a year away.',
    }),
    returning_90_days: z.int().meta({ description: 'Aging numbers that return in the next 90 days.' }),
    needed_90_days: z.int().meta({
      description: 'Numbers to add for the next 90 days, beyond the available and the returning ones.',
    }),
    is_low: z.boolean(),
  }),
})

export const listInventoryStock = operation({
  ...common,
  id: 'listInventoryStock',
  summary: 'Count the inventory by rate center',
  endpoint: 'GET /operator/inventory/stock',
  query: z.object({
    ...page(10, 200),
    low_below: queryInteger(1, 1_000_000)
      .optional()
      .meta({ description: 'Fewer available numbers are low. Default: the setting `DEMARC_INVENTORY_LOW_BELOW`.' }),
    is_low: queryBoolean.optional().meta({ description: 'Only rate centers with few numbers, or only the others.' }),
  }),
  responses: {
    200: {
      description: 'Fewest available numbers first.',
      body: list(stock),
    },
  },
})

const utilization = z.object({
  type: z.literal('inventory_block'),
  id: z.string().meta({ description: 'Area code, exchange, and thousands digit.' }),
  attributes: z.object({
    npa: z.string(),
    nxx: z.string(),
    x: z.string(),
    state: z.string().nullable(),
    rate_center: z.string().nullable(),
    assigned: z.int().meta({ description: 'On accounts, or ported out.' }),
    intermediate: z.int().meta({ description: 'Always 0: numbers given to other carriers are not in the inventory.' }),
    reserved: z.int(),
    aging: z.int(),
    administrative: z.int().meta({ description: 'Held numbers.' }),
    available: z.int(),
    utilization: z.string().meta({ description: 'Assigned numbers of all numbers in the inventory, percent.' }),
  }),
})

export const listInventoryUtilization = operation({
  ...common,
  id: 'listInventoryUtilization',
  summary: 'Report the utilization of thousands-blocks',
  description:
    'Counts long codes in the categories of the Numbering Resource Utilization and Forecast report (47 CFR 52.15(f)). Recalled numbers are left out.',
  endpoint: 'GET /operator/inventory/utilization',
  query: z.object({
    ...page(10, 200),
    starts_with: digits('Leading digits, with or without the country code.', withCountryCode),
  }),
  responses: {
    200: {
      description: 'Blocks in ascending order.',
      body: list(utilization),
    },
  },
})
