import type { Body } from '../api.ts'
import type { StatusWords } from '../ui/index.ts'

export type NumberOrder = Body<'getNumberOrder'>['data']['attributes']
export type OrderStatus = NumberOrder['status']

/** The statuses of number orders, as customers and the operator see them. */
export const orderWords: StatusWords<OrderStatus> = {
  pending_approval: { label: 'Awaiting approval', meaning: 'needs-you' },
  completed: { label: 'Completed', meaning: 'done' },
  partial: { label: 'Partly completed', meaning: 'needs-you' },
  failed: { label: 'Failed', meaning: 'refused' },
  rejected: { label: 'Rejected', meaning: 'refused' },
  canceled: { label: 'Canceled', meaning: 'quiet' },
  expired: { label: 'Expired', meaning: 'quiet' },
}
