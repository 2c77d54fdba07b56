import { portOrderStatuses, terminal, transitions } from './transitions.ts'
import type { Condition, PortOrderStatus, Transition } from './transitions.ts'

/** Who acts next on an order and by when, and the common status of a group of orders. Pure: times are arguments. */

/** Pending orders that are not updated, and Rejected orders that are not resubmitted, are closed after this many days. */
export const idleDays = 45
const idle_ms = idleDays * 24 * 60 * 60 * 1000

/** `carrier` is the losing carrier. */
export type NextActor = 'account' | 'operator' | 'carrier' | 'nobody'

export const nextSteps = {
  Pending: { who: 'account', what: 'Complete the order and sign the LOA.' },
  Processing: { who: 'operator', what: 'We check the order and send it to the losing carrier.' },
  Submitted: { who: 'carrier', what: 'The losing carrier responds with a date or a reason.' },
  Accepted: { who: 'carrier', what: 'The losing carrier releases the numbers on the completion date.' },
  Rejected: { who: 'account', what: 'Correct the order as the reason says, then resubmit it.' },
  Review: { who: 'operator', what: 'We check the corrections and send the order again.' },
  Completed: { who: 'nobody', what: 'The numbers are on the account.' },
  Canceled: { who: 'nobody', what: 'The order was canceled before it was sent.' },
  Abandoned: { who: 'nobody', what: 'The order was abandoned after a rejection.' },
  Hard_canceled: { who: 'nobody', what: 'The order was canceled after it was sent.' },
} as const satisfies Record<PortOrderStatus, { who: NextActor; what: string }>

export interface NextStep {
  who: NextActor
  /** What to do next, in a sentence. */
  what: string
  /** When an idle order closes, or an accepted one completes; null if there is no due time. */
  due_at: Date | null
  /** The status that the order gets automatically at `due_at`; null when it stays. */
  becomes: PortOrderStatus | null
}

export interface OrderClock {
  readonly status: PortOrderStatus
  /** Creation, or the last edit that restarts the clock (`edits` in transitions.ts). */
  readonly updated_at: Date
  /** When the order entered its status. */
  readonly entered_at: Date
  /** When an accepted order is to complete. */
  readonly completes_at?: Date | null
}

/** Who acts next and when it is due. An order is overdue once `now >= due_at`. */
export function nextStepOf(order: OrderClock): NextStep {
  const step = nextSteps[order.status]
  const expiry = transitions.find((t) => t.from === order.status && t.verb === 'expire')
  if (expiry) {
    const since = order.status === 'Pending' ? order.updated_at : order.entered_at
    return { ...step, due_at: new Date(since.getTime() + idle_ms), becomes: expiry.to }
  }
  return { ...step, due_at: order.status === 'Accepted' ? (order.completes_at ?? null) : null, becomes: null }
}

export const groupStatuses = ['Requires Action', 'In Progress', 'Completed', 'Canceled'] as const
export type GroupStatus = (typeof groupStatuses)[number]

/**
 * The common status of the orders that one request was split into: `Requires Action` if any waits for the customer, `In
 * Progress` if any is open, `Completed` if any completed. Null for no orders.
 */
export function groupStatus(statuses: readonly PortOrderStatus[]): GroupStatus | null {
  if (statuses.length === 0) return null
  if (statuses.some((s) => nextSteps[s].who === 'account')) return 'Requires Action'
  if (statuses.some((s) => !terminal(s))) return 'In Progress'
  return statuses.includes('Completed') ? 'Completed' : 'Canceled'
}

const conditionWords = {
  idle_45_days: 'after 45 days',
  completion_date_given: 'a date had been given',
  no_completion_date_given: 'no date had been given',
} as const satisfies Record<Condition, string>

/** The life of a port order as a Mermaid state diagram, drawn from the transitions. Ends in a line break. */
export function mermaid(): string {
  const lines = ['stateDiagram-v2', '  [*] --> Pending']
  for (const t of transitions) lines.push(`  ${t.from} --> ${t.to}: ${label(t)}`)
  for (const status of portOrderStatuses) if (terminal(status)) lines.push(`  ${status} --> [*]`)
  return `${lines.join('\n')}\n`
}

function label(t: Transition): string {
  return t.when ? `${t.verb} (${t.actor}, ${conditionWords[t.when]})` : `${t.verb} (${t.actor})`
}
