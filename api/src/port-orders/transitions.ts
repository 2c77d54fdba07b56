/**
 * The transitions table of port orders (statuses, actor, required input), and the statuses that allow each edit. The server
 * enforces these tables; portal, CLI and guides show them.
 */

export const portOrderStatuses = [
  'Pending',
  'Processing',
  'Submitted',
  'Accepted',
  'Rejected',
  'Review',
  'Completed',
  'Canceled',
  'Abandoned',
  'Hard_canceled',
] as const
export type PortOrderStatus = (typeof portOrderStatuses)[number]

/** `operator`: the carrier's staff or the simulated carrier. `system` closes idle orders. */
export const transitionActors = ['account', 'operator', 'system'] as const
export type TransitionActor = (typeof transitionActors)[number]

/** Input that a transition requires. */
export type RequiredInput = 'signatures' | 'reason_code' | 'completion_date'

/** A condition on the order, besides its status. */
export type Condition = 'idle_45_days' | 'completion_date_given' | 'no_completion_date_given'

export interface Transition {
  readonly from: PortOrderStatus
  readonly to: PortOrderStatus
  readonly verb: 'sign' | 'cancel' | 'expire' | 'resubmit' | 'submit' | 'accept' | 'reschedule' | 'reject' | 'complete'
  readonly actor: TransitionActor
  readonly needs?: readonly RequiredInput[]
  readonly when?: Condition
  /** The reason or the effect, in a sentence for the guides. */
  readonly description: string
}
export type Verb = Transition['verb']

export const transitions = [
  {
    from: 'Pending',
    to: 'Processing',
    verb: 'sign',
    actor: 'account',
    needs: ['signatures'],
    description: 'The signed LOA was submitted; its PDF becomes a document.',
  },
  { from: 'Pending', to: 'Canceled', verb: 'cancel', actor: 'account', description: 'No fee.' },
  {
    from: 'Pending',
    to: 'Canceled',
    verb: 'expire',
    actor: 'system',
    when: 'idle_45_days',
    description: 'Not updated or submitted for 45 days. No fee.',
  },
  {
    from: 'Processing',
    to: 'Submitted',
    verb: 'submit',
    actor: 'operator',
    description: 'The order goes to the losing carrier.',
  },
  {
    from: 'Processing',
    to: 'Rejected',
    verb: 'reject',
    actor: 'operator',
    needs: ['reason_code'],
    description: 'Something was missing or wrong, so the order was not sent.',
  },
  {
    from: 'Processing',
    to: 'Canceled',
    verb: 'cancel',
    actor: 'operator',
    description: 'By support ticket, or because the numbers cannot be ported.',
  },
  {
    from: 'Submitted',
    to: 'Accepted',
    verb: 'accept',
    actor: 'operator',
    needs: ['completion_date'],
    description: 'The losing carrier agreed to a date.',
  },
  {
    from: 'Submitted',
    to: 'Rejected',
    verb: 'reject',
    actor: 'operator',
    needs: ['reason_code'],
    description: 'The losing carrier rejected the order.',
  },
  {
    from: 'Submitted',
    to: 'Hard_canceled',
    verb: 'cancel',
    actor: 'operator',
    description: 'By support ticket. A fee may apply.',
  },
  {
    from: 'Accepted',
    to: 'Completed',
    verb: 'complete',
    actor: 'operator',
    description: 'The numbers are on the account, presets are applied.',
  },
  {
    from: 'Accepted',
    to: 'Accepted',
    verb: 'reschedule',
    actor: 'operator',
    needs: ['completion_date'],
    description: 'A new completion date.',
  },
  {
    from: 'Accepted',
    to: 'Rejected',
    verb: 'reject',
    actor: 'operator',
    needs: ['reason_code'],
    description: 'The losing carrier withdrew its acceptance.',
  },
  {
    from: 'Accepted',
    to: 'Hard_canceled',
    verb: 'cancel',
    actor: 'operator',
    description: 'By support ticket. A fee may apply.',
  },
  {
    from: 'Rejected',
    to: 'Review',
    verb: 'resubmit',
    actor: 'account',
    description: 'Corrected and submitted again, at no extra cost.',
  },
  { from: 'Rejected', to: 'Abandoned', verb: 'cancel', actor: 'account', description: 'No fee.' },
  {
    from: 'Rejected',
    to: 'Abandoned',
    verb: 'expire',
    actor: 'system',
    when: 'idle_45_days',
    description: 'Not resubmitted for 45 days. No fee.',
  },
  {
    from: 'Review',
    to: 'Submitted',
    verb: 'submit',
    actor: 'operator',
    description: 'The order goes to the losing carrier again.',
  },
  {
    from: 'Review',
    to: 'Rejected',
    verb: 'reject',
    actor: 'operator',
    needs: ['reason_code'],
    description: 'The errors are not corrected.',
  },
  {
    from: 'Review',
    to: 'Abandoned',
    verb: 'cancel',
    actor: 'operator',
    when: 'no_completion_date_given',
    description: 'By support ticket. No fee.',
  },
  {
    from: 'Review',
    to: 'Hard_canceled',
    verb: 'cancel',
    actor: 'operator',
    when: 'completion_date_given',
    description: 'By support ticket. A fee may apply.',
  },
] as const satisfies readonly Transition[]

const table: readonly Transition[] = transitions

/**
 * The edits that a customer can make, and the statuses that allow them. The statuses of `cancel`, `loa` and `resubmit` are
 * derived from the transitions. `restarts_clock`: counts as an update of a Pending order and restarts its 45 days.
 */
export const edits = {
  numbers: { words: 'change the numbers', allowed_in: ['Pending'], restarts_clock: true },
  details: { words: 'change the details', allowed_in: ['Pending', 'Rejected'], restarts_clock: true },
  presets: {
    words: 'change the presets',
    allowed_in: ['Pending', 'Processing', 'Submitted', 'Rejected', 'Review', 'Accepted'],
    restarts_clock: true,
  },
  pull: { words: 'have a document pulled', allowed_in: ['Pending', 'Rejected'], restarts_clock: true },
  upload: { words: 'upload a document', allowed_in: ['Pending', 'Rejected'], restarts_clock: true },
  comment: { words: 'comment', allowed_in: portOrderStatuses, restarts_clock: false },
  loa: { words: 'submit the LOA', allowed_in: accountStatusesWith('sign'), restarts_clock: false },
  cancel: { words: 'cancel', allowed_in: accountStatusesWith('cancel'), restarts_clock: false },
  resubmit: { words: 'resubmit', allowed_in: accountStatusesWith('resubmit'), restarts_clock: false },
} as const satisfies Record<string, { words: string; allowed_in: readonly PortOrderStatus[]; restarts_clock: boolean }>
export type Edit = keyof typeof edits

/** Allowed, or the reason why not and the statuses that would allow it. */
export type Permission<Allowed = object> =
  | ({ ok: true } & Allowed)
  | { ok: false; reason: string; allowed_in: readonly PortOrderStatus[] }

/** What a transition depends on besides the status. `completion_date_given`: at any time, even if the order was rejected later. */
export interface OrderHistory {
  readonly completion_date_given: boolean
}

/** Can `actor` move an order from `from` to `to`? Does not evaluate `idle_45_days`, which needs the time: see `nextStepOf` in progress.ts. */
export function canTransition(
  from: PortOrderStatus,
  to: PortOrderStatus,
  actor: TransitionActor,
  order: OrderHistory,
): Permission<{ transition: Transition }> {
  const transition = transitionsFrom(from, actor, order).find((t) => t.to === to)
  if (transition) return { ok: true, transition }
  const allowed_in = distinct(
    table.filter((t) => t.to === to && t.actor === actor && t.from !== from).map((t) => t.from),
  )
  const reachable = distinct(transitionsFrom(from, actor, order).map((t) => t.to))
  const alternative =
    reachable.length > 0 ? `From ${from} it can go to ${or(reachable)}.` : terminal(from) ? `${from} is final.` : ''
  const reason = `A port order in status ${from} cannot be moved to ${to} by the ${actorWords[actor]}. ${statusesWords(allowed_in)} ${alternative}`
  return { ok: false, reason: reason.trimEnd(), allowed_in }
}

/** The transitions that `actor` can make now. */
export function transitionsFrom(
  from: PortOrderStatus,
  actor: TransitionActor,
  order: OrderHistory,
): readonly Transition[] {
  return table.filter((t) => t.from === from && t.actor === actor && conditionMet(t.when, order))
}

/** Can the customer make this edit in this status? */
export function editAllowed(edit: Edit, status: PortOrderStatus): Permission {
  const { words } = edits[edit]
  const allowed_in: readonly PortOrderStatus[] = edits[edit].allowed_in
  if (allowed_in.includes(status)) return { ok: true }
  const ticket = edit === 'cancel' && ticketFrom.has(status) ? ' Contact support to cancel it. A fee may apply.' : ''
  return {
    ok: false,
    reason: `Cannot ${words} while the port order is in status ${status}. ${statusesWords(allowed_in)}${ticket}`,
    allowed_in,
  }
}

/** Is this status final? */
export const terminal = (status: PortOrderStatus): boolean => !table.some((t) => t.from === status)

/** Statuses that are not final. The numbers of such an order cannot be on another order. */
export const activeStatuses: readonly PortOrderStatus[] = portOrderStatuses.filter((s) => !terminal(s))

/** Reads a status in upper or lower case, with either spelling of canceled; null when it is not a status. */
export function parseStatus(text: string): PortOrderStatus | null {
  const wanted = text.trim().toLowerCase().replace('cancelled', 'canceled')
  return portOrderStatuses.find((s) => s.toLowerCase() === wanted) ?? null
}

const actorWords = { account: 'customer', operator: 'operator', system: 'service' } as const satisfies Record<
  TransitionActor,
  string
>

const ticketFrom = new Set(table.filter((t) => t.verb === 'cancel' && t.actor === 'operator').map((t) => t.from))

function conditionMet(when: Condition | undefined, order: OrderHistory): boolean {
  if (when === 'completion_date_given') return order.completion_date_given
  if (when === 'no_completion_date_given') return !order.completion_date_given
  return true
}

/** The statuses from which the customer can make this transition. */
function accountStatusesWith(verb: Verb): readonly PortOrderStatus[] {
  return distinct(table.filter((t) => t.verb === verb && t.actor === 'account').map((t) => t.from))
}

function statusesWords(statuses: readonly PortOrderStatus[]): string {
  return statuses.length === 0 ? 'No status allows that.' : `Statuses that allow it: ${statuses.join(', ')}.`
}

const or = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}
