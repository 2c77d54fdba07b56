import { nextSteps, type PortOrderStatus } from '@demarc/client/rules'
import { meaningOf } from '../port-orders/words.ts'
import type { Meaning } from '../ui/status.tsx'

/** What a status means to the clerk. */
export const operatorMeaning = (status: PortOrderStatus): Meaning =>
  nextSteps[status].who === 'operator'
    ? 'needs-you'
    : nextSteps[status].who === 'account' && status !== 'Rejected'
      ? 'moving'
      : meaningOf(status)
