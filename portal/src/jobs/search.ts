import { oneOfIn, textIn, wholeIn } from '../search.ts'
import { deliveryStates } from '../developers/search.ts'

export const jobsTabs = ['jobs', 'deliveries'] as const
export const jobStates = ['dead', 'due', 'running', 'scheduled'] as const

/** URL parameters of the jobs page. */
export interface JobsSearch {
  view?: (typeof jobsTabs)[number]
  /** Job state. */
  job?: (typeof jobStates)[number]
  kind?: string
  /** Delivery status. */
  delivery?: (typeof deliveryStates)[number]
  /** The account the listed deliveries belong to. */
  receiver?: string
  /** The deliveries' scheme, host, and port. */
  origin?: string
  offset?: number
}

export const jobsSearch = (raw: Record<string, unknown>): JobsSearch => {
  const [view, job] = [oneOfIn(raw, 'view', jobsTabs), oneOfIn(raw, 'job', jobStates)]
  const [kind, receiver, origin] = [textIn(raw, 'kind'), textIn(raw, 'receiver'), textIn(raw, 'origin')]
  const [delivery, offset] = [oneOfIn(raw, 'delivery', deliveryStates), wholeIn(raw, 'offset')]
  return {
    ...(view && { view }),
    ...(job && { job }),
    ...(kind !== undefined && { kind }),
    ...(delivery && { delivery }),
    ...(receiver !== undefined && /^\d{1,18}$/.test(receiver) && { receiver }),
    ...(origin !== undefined && { origin }),
    ...(offset && { offset }),
  }
}
