import { canTransition, transitions, transitionsFrom, type Transition } from '@demarc/client/rules'
import type { Body } from '../api.ts'
import type { PortOrder } from '../port-orders/words.ts'
import { operatorVerbs, type OperatorVerb } from './keys.ts'

/** What the clerk does with port orders, by the table of transitions. */

export type QueuedOrder = Body<'listPortOrderQueue'>['data'][number]

/** What a verb needs of an order: those of the queue and whole ones have it. */
export interface OperatorOrder {
  readonly id: string
  readonly attributes: Pick<PortOrder['attributes'], 'status' | 'alias'>
}

/** What an order of the queue is called. */
export const operatorTitle = ({ id, attributes: { alias } }: OperatorOrder): string =>
  alias === '' ? `Port order ${id}` : alias

/** Transitions of a verb from a status. More than one: it depends on whether a completion date was ever given. */
export const transitionsOf = (verb: OperatorVerb, { attributes: { status } }: OperatorOrder): readonly Transition[] => [
  ...new Set(
    [false, true].flatMap((completion_date_given) =>
      transitionsFrom(status, 'operator', { completion_date_given }).filter((each) => each.verb === verb),
    ),
  ),
]

/** Why none of these orders can be transitioned so; null when one can. */
export function verbDisabledReason(verb: OperatorVerb, orders: readonly OperatorOrder[]): string | null {
  const [first] = orders
  if (first === undefined) return 'Choose an order first.'
  if (orders.some((order) => transitionsOf(verb, order).length > 0)) return null
  const to = transitions.find((each) => each.verb === verb && each.actor === 'operator')?.to ?? first.attributes.status
  const permission = canTransition(first.attributes.status, to, 'operator', { completion_date_given: false })
  if (!permission.ok) return permission.reason
  // the same status by another verb: accepting an order that is accepted is rescheduling it
  const other = operatorVerbs.find((each) => each.verb === permission.transition.verb)
  return `An order in status ${first.attributes.status} comes to ${to} by another verb: ${other?.label ?? permission.transition.verb}.`
}
