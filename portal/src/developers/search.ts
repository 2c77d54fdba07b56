import { oneOfIn, wholeIn } from '../search.ts'

export const deliveryStates = ['pending', 'delivered', 'failed', 'stopped'] as const

/** URL parameters of the webhooks page. */
export interface DeliveriesSearch {
  delivery?: (typeof deliveryStates)[number]
  offset?: number
}

export const deliveriesSearch = (raw: Record<string, unknown>): DeliveriesSearch => {
  const [delivery, offset] = [oneOfIn(raw, 'delivery', deliveryStates), wholeIn(raw, 'offset')]
  return { ...(delivery && { delivery }), ...(offset && { offset }) }
}
