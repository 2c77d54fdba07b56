import { inventoryOperator as api, numberPolicy, operations } from '@demarc/client'
import { upload } from '../files.ts'
import { plain } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** The number inventory, for the operator. */

const list = plain('list', operations.listInventory, {
  description: 'With --account, only numbers of that account.',
  columns: ['value', 'status', 'rate_center', 'state', 'monthly_cost', 'setup_cost', 'supplier', 'account_id'],
  fields: { status: { choices: api.inventoryStatuses } },
  examples: [
    'inventory list --rate-center seattle --state WA --status available',
    'inventory list --starts-with 206 --status aging --csv',
  ],
})

const load = upload('load', operations.loadInventory, {
  description: `CSV with a header line. Columns: ${api.inventoryColumns.join(', ')}.`,
  media: { '.csv': 'text/csv' },
  examples: ['inventory load numbers.csv'],
})

const change = plain('change', operations.changeInventory, {
  columns: ['value', 'outcome', 'reason'],
  fields: {
    numbers: { summary: 'Number to change; repeat the option for more' },
    action: { choices: api.inventoryActions },
  },
  examples: ['inventory change --action hold --numbers 12065550150 --reason "For the city."'],
})

const stock = plain('stock', operations.listInventoryStock, {
  columns: [
    'number_type',
    'state',
    'rate_center',
    'available',
    'ordered_90_days',
    'trend',
    'runs_out_on',
    'needed_90_days',
    'is_low',
  ],
  examples: ['inventory stock --is-low true', 'inventory stock --low-below 20 --csv'],
})

const utilization = plain('utilization', operations.listInventoryUtilization, {
  columns: ['npa', 'nxx', 'x', 'assigned', 'reserved', 'aging', 'administrative', 'available', 'utilization'],
  examples: ['inventory utilization --starts-with 206', 'inventory utilization --csv'],
})

const policy = plain('policy', operations.getNumberPolicy, {
  examples: ['inventory policy --account 1001'],
})

const setPolicy = plain('set-policy', operations.setNumberPolicy, {
  fields: { approval: { choices: numberPolicy.approvalKinds } },
  examples: [
    'inventory set-policy --account 1001 --numbers-max 500 --reserved-max 50 --approval none',
    'inventory set-policy --account 1001 --numbers-max 500 --reserved-max 50 --approval above --approval-quantity-max 20',
  ],
})

export const inventory: Noun = {
  name: 'inventory',
  summary: 'The number inventory, and what accounts may order',
  verbs: [list, load, change, stock, utilization, policy, setPolicy],
}
