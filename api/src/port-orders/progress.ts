import { terminal, transitions } from './transitions.ts'
import type { PortOrderStatus } from './transitions.ts'

/** Whose move it is, until when, and what a group of orders looks like from outside. Times come in as values. */

/** A Pending order that nobody touches, and a Rejected one that nobody resubmits, are closed after this. */
export const idleDays = 45
const idle_ms = idleDays * 24 * 60 * 60 * 1000

/** `carrier` is the losing carrier. */
export type NextActor = 'account' | 'operator' | 'carrier' | 'nobody'

export const nextSteps = {
  Pending: { who: 'account', what: 'Complete the order and send the signed LOA.' },
  Processing: { who: 'operator', what: 'We check the order and send it to the losing carrier.' },
  Submitted: { who: 'carrier', what: 'The losing carrier answers with a date or a reason.' },
  Accepted: { who: 'carrier', what: 'The losing carrier releases the numbers on the completion date.' },
  Rejected: { who: 'account', what: 'Mend what the reason names and resubmit.' },
  Review: { who: 'operator', what: 'We check what was mended and send the order again.' },
  Completed: { who: 'nobody', what: 'The numbers are on the account.' },
  Canceled: { who: 'nobody', what: 'The order was cancelled before it was sent.' },
  Abandoned: { who: 'nobody', what: 'The order was given up after a rejection.' },
  Hard_canceled: { who: 'nobody', what: 'The order was cancelled after it was sent.' },
} as const satisfies Record<PortOrderStatus, { who: NextActor; what: string }>

export interface NextStep {
  who: NextActor
  /** What is waited for, in a sentence. */
  what: string
  /** When the move is due: the closing of an idle order, or the completion of an accepted one; null when nothing forces it. */
  due_at: Date | null
  /** The status that follows by itself at `due_at`; null when none does. */
  becomes: PortOrderStatus | null
}

export interface OrderClock {
  readonly status: PortOrderStatus
  /** Last edit that restarts the clock (`edits` in transitions.ts), or the creation. */
  readonly updated_at: Date
  /** When the order came into its status. */
  readonly entered_at: Date
  /** When an accepted order is to complete. */
  readonly completes_at?: Date | null
}

/** Who moves next and when it is due. An order is over its time once `now >= due_at`. */
export function nextStepOf(order: OrderClock): NextStep {
  const turn = nextSteps[order.status]
  const expiry = transitions.find((t) => t.from === order.status && t.verb === 'expire')
  if (expiry) {
    const since = order.status === 'Pending' ? order.updated_at : order.entered_at
    return { ...turn, due_at: new Date(since.getTime() + idle_ms), becomes: expiry.to }
  }
  return { ...turn, due_at: order.status === 'Accepted' ? (order.completes_at ?? null) : null, becomes: null }
}

export const groupStatuses = ['Requires Action', 'In Progress', 'Completed', 'Canceled'] as const
export type GroupStatus = (typeof groupStatuses)[number]

/**
 * One word for the orders that one request was split into: anything that waits for the account holder comes first,
 * then anything under way; a group is completed when at least one order ported and none is open. Null for no orders.
 */
export function groupStatus(statuses: readonly PortOrderStatus[]): GroupStatus | null {
  if (statuses.length === 0) return null
  if (statuses.some((s) => nextSteps[s].who === 'account')) return 'Requires Action'
  if (statuses.some((s) => !terminal(s))) return 'In Progress'
  return statuses.includes('Completed') ? 'Completed' : 'Canceled'
}
