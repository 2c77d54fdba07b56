import { portOrderStatuses, type PortOrderStatus } from '@demarc/client/rules'
import { oneOfIn, textIn, wholeIn } from '../search.ts'

/** What of the operator's desk is in its URLs. */

export const sides = ['operator', 'carrier', 'account', 'all'] as const

export interface QueueSearch {
  /** Whose move it is; ours when it is not there. */
  who?: (typeof sides)[number]
  status?: PortOrderStatus
  /** The order that is shown beside the list. */
  order?: string
  offset?: number
}

export const queueSearch = (raw: Record<string, unknown>): QueueSearch => {
  const [who, status] = [oneOfIn(raw, 'who', sides), oneOfIn(raw, 'status', portOrderStatuses)]
  const [order, offset] = [textIn(raw, 'order'), wholeIn(raw, 'offset')]
  return {
    ...(who && { who }),
    ...(status && { status }),
    ...(order !== undefined && /^\d{1,18}$/.test(order) && { order }),
    ...(offset && { offset }),
  }
}

export const approvalsSearch = (raw: Record<string, unknown>): { offset?: number } => {
  const offset = wholeIn(raw, 'offset')
  return offset === undefined ? {} : { offset }
}
