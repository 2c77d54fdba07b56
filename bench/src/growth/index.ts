import type { Form } from '../results.ts'
import { growDeliveries } from './deliveries.ts'
import { growEvents } from './events.ts'
import { growExports } from './exports.ts'
import { growNumbers } from './numbers.ts'
import { growOrders } from './orders.ts'

/** How cost grows, by what grows. `growth` means all of them. */
export const growth = {
  'growth-numbers': growNumbers,
  'growth-exports': growExports,
  'growth-orders': growOrders,
  'growth-deliveries': growDeliveries,
  'growth-events': growEvents,
} as const satisfies Record<string, (form: Form) => Promise<void>>
