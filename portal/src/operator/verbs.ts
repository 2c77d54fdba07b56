import {
  canTransition,
  nextSteps,
  type PortOrderStatus,
  type Transition,
  transitions,
  transitionsFrom,
} from '@demarc/client/rules'
import type { Body } from '../api.ts'
import { meaningOf, type PortOrder } from '../port-orders/words.ts'
import { type OperatorVerb, operatorVerbs } from './keys.ts'
import type { Meaning } from '../ui/status.tsx'

/** The clerk's verbs, from the transition table. */

export type QueuedOrder = Body<'listPortOrderQueue'>['data'][number]

/** The attributes verbs need, present in queue entries and in full orders. */
export interface OperatorOrder {
  readonly id: string
  readonly attributes: Pick<PortOrder['attributes'], 'status' | 'alias'>
}

/** The title of an order. */
export const operatorTitle = ({ id, attributes: { alias } }: OperatorOrder): string =>
  alias === '' ? `Port order ${id}` : alias

/** A verb's transitions from a status; two if the target depends on whether a completion date was ever set. */
export const transitionsOf = (verb: OperatorVerb, { attributes: { status } }: OperatorOrder): readonly Transition[] => [
  ...new Set(
    [false, true].flatMap((completion_date_given) =>
      transitionsFrom(status, 'operator', { completion_date_given }).filter((each) => each.verb === verb),
    ),
  ),
]

/** Why the verb applies to none of these orders; null if it applies to at least one. */
export function verbDisabledReason(verb: OperatorVerb, orders: readonly OperatorOrder[]): string | null {
  const [first] = orders
  if (first === undefined) return 'Choose an order first.'
  if (orders.some((order) => transitionsOf(verb, order).length > 0)) return null
  const to = transitions.find((each) => each.verb === verb && each.actor === 'operator')?.to ?? first.attributes.status
  const permission = canTransition(first.attributes.status, to, 'operator', { completion_date_given: false })
  if (!permission.ok) return permission.reason
  // another verb leads to the same status: an accepted order is rescheduled, not accepted
  const other = operatorVerbs.find((each) => each.verb === permission.transition.verb)
  return `To move an order from ${first.attributes.status} to ${to}, use ${other?.label ?? permission.transition.verb}.`
}

/** What a status means to the clerk. */
export const operatorMeaning = (status: PortOrderStatus): Meaning =>
  nextSteps[status].who === 'operator'
    ? 'needs-you'
    : nextSteps[status].who === 'account' && status !== 'Rejected'
      ? 'moving'
      : meaningOf(status)
