import type { portOrders } from '@demarc/client'
import type * as z from 'zod'
import type { Step } from './port-order-steps.ts'

export interface CastPortOrder {
  account: 'dentist' | 'reseller'
  /** When it was created: business days before today, and a time of day in the carrier's time zone. */
  days_ago: number
  time: string
  attributes: Omit<z.input<typeof portOrders.newPortOrder>, 'presets'>
  /** Applied on completion: the practice's voice route, name, and E911 address, and this alias. */
  preset_alias?: string
  /** The history of each order that the request was split into, and its current status. */
  orders: readonly { status: portOrders.PortOrderStatus; steps: readonly Step[] }[]
}
