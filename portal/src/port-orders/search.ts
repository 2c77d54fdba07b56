import { portOrderStatuses, type PortOrderStatus } from '@demarc/client/rules'
import { oneOfIn, textIn, wholeIn } from '../search.ts'

/** URL parameters of the port-order pages. */

export interface PortOrdersSearch {
  /** A number in any format, an order id, or part of the alias. */
  find?: string
  status?: PortOrderStatus
  group_id?: string
  offset?: number
}

type Raw = Record<string, unknown>

export const portOrdersSearch = (raw: Raw): PortOrdersSearch => {
  const [find, group_id] = [textIn(raw, 'find'), textIn(raw, 'group_id')]
  const [status, offset] = [oneOfIn(raw, 'status', portOrderStatuses), wholeIn(raw, 'offset')]
  return { ...(find && { find }), ...(status && { status }), ...(group_id && { group_id }), ...(offset && { offset }) }
}

export const newOrderSteps = ['numbers', 'carrier', 'documents', 'presets', 'loa', 'done'] as const
export type NewOrderStep = (typeof newOrderSteps)[number]

export interface NewPortOrderSearch {
  /** Set once the order exists. */
  order?: string
  step?: NewOrderStep
}

export const newPortOrderSearch = (raw: Raw): NewPortOrderSearch => {
  const [order, step] = [textIn(raw, 'order'), oneOfIn(raw, 'step', newOrderSteps)]
  return { ...(order !== undefined && /^\d{1,18}$/.test(order) && { order }), ...(step && { step }) }
}
