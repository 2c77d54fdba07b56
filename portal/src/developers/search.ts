import { oneOfIn, wholeIn } from '../search.ts'

export const developersTabs = ['keys', 'webhooks'] as const
export const deliveryStates = ['pending', 'delivered', 'failed', 'stopped'] as const

/** What of the developers' page is in its URL. */
export interface DevelopersSearch {
  part?: (typeof developersTabs)[number]
  /** Of deliveries. */
  delivery?: (typeof deliveryStates)[number]
  offset?: number
}

export const developersSearch = (raw: Record<string, unknown>): DevelopersSearch => {
  const [part, delivery] = [oneOfIn(raw, 'part', developersTabs), oneOfIn(raw, 'delivery', deliveryStates)]
  const offset = wholeIn(raw, 'offset')
  return { ...(part && { part }), ...(delivery && { delivery }), ...(offset && { offset }) }
}
