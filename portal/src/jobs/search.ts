import { oneOfIn, textIn, wholeIn } from '../search.ts'
import { deliveryStates } from '../developers/search.ts'

export const jobsTabs = ['jobs', 'deliveries'] as const
export const jobStates = ['dead', 'due', 'running', 'scheduled'] as const

/** What of the page of jobs and deliveries is in its URL. */
export interface JobsSearch {
  view?: (typeof jobsTabs)[number]
  /** The state of jobs. */
  job?: (typeof jobStates)[number]
  kind?: string
  /** Of deliveries. */
  delivery?: (typeof deliveryStates)[number]
  /** The account whose deliveries are shown. */
  receiver?: string
  /** The scheme, host and port that they go to. */
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
