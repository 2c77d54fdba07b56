import type { Body } from '../api.ts'
import { Status, type Meaning } from '../ui/status.tsx'

/** The statuses of number orders, as customers and the operator see them. */

export type NumberOrder = Body<'getNumberOrder'>['data']

export const orderWords: Readonly<Record<NumberOrder['attributes']['status'], { label: string; meaning: Meaning }>> = {
  pending_approval: { label: 'Awaiting approval', meaning: 'needs-you' },
  completed: { label: 'Completed', meaning: 'done' },
  partial: { label: 'Partly completed', meaning: 'needs-you' },
  failed: { label: 'Failed', meaning: 'refused' },
  rejected: { label: 'Rejected', meaning: 'refused' },
  canceled: { label: 'Canceled', meaning: 'quiet' },
  expired: { label: 'Expired', meaning: 'quiet' },
}

export const OrderStatus = ({ of }: { of: NumberOrder['attributes']['status'] }) => (
  <Status meaning={orderWords[of].meaning}>{orderWords[of].label}</Status>
)
