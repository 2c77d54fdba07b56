import {
  canTransition,
  nextSteps,
  transitions,
  transitionsFrom,
  type PortOrderStatus,
  type Transition,
  type Verb,
} from '@demarc/client/rules'
import { request, type Body } from '../api.ts'
import { meaningOf, type PortOrder } from '../port-orders/words.ts'
import type { Meaning } from '../ui/status.tsx'

/** What the clerk does with port orders, by the table of transitions. */

export type QueuedOrder = Body<'listPortOrderQueue'>['data'][number]

/** What a verb needs of an order: those of the queue and whole ones have it. */
export interface DeskOrder {
  readonly id: string
  readonly attributes: Pick<PortOrder['attributes'], 'status' | 'alias'>
}

export type DeskVerb = Exclude<Verb, 'sign' | 'resubmit' | 'expire'>

export interface VerbWords {
  verb: DeskVerb
  /** The letter that does it; a capital where it ends something. */
  key: string
  label: string
}

export const deskVerbs: readonly VerbWords[] = [
  { verb: 'submit', key: 's', label: 'Submit' },
  { verb: 'accept', key: 'a', label: 'Accept' },
  { verb: 'reject', key: 'r', label: 'Reject' },
  { verb: 'reschedule', key: 'd', label: 'Reschedule' },
  { verb: 'complete', key: 'c', label: 'Complete' },
  { verb: 'cancel', key: 'C', label: 'Cancel' },
]

/** What an order of the queue is called. */
export const deskTitle = ({ id, attributes: { alias } }: DeskOrder): string =>
  alias === '' ? `Port order ${id}` : alias

/** What a status means to the clerk. */
export const deskMeaning = (status: PortOrderStatus): Meaning =>
  nextSteps[status].who === 'operator'
    ? 'needs-you'
    : nextSteps[status].who === 'account' && status !== 'Rejected'
      ? 'moving'
      : meaningOf(status)

/** Transitions of a verb from a status. More than one: it depends on whether a completion date was ever given. */
export const transitionsOf = (verb: DeskVerb, { attributes: { status } }: DeskOrder): readonly Transition[] => [
  ...new Set(
    [false, true].flatMap((completion_date_given) =>
      transitionsFrom(status, 'operator', { completion_date_given }).filter((each) => each.verb === verb),
    ),
  ),
]

/** Why none of these orders can be transitioned so; null when one can. */
export function whyNotVerb(verb: DeskVerb, orders: readonly DeskOrder[]): string | null {
  const [first] = orders
  if (first === undefined) return 'Choose an order first.'
  if (orders.some((order) => transitionsOf(verb, order).length > 0)) return null
  const to = transitions.find((each) => each.verb === verb && each.actor === 'operator')?.to ?? first.attributes.status
  const permission = canTransition(first.attributes.status, to, 'operator', { completion_date_given: false })
  if (!permission.ok) return permission.reason
  // the same status by another verb: accepting an order that is accepted is rescheduling it
  const other = deskVerbs.find((each) => each.verb === permission.transition.verb)
  return `An order in status ${first.attributes.status} comes to ${to} by another verb: ${other?.label ?? permission.transition.verb}.`
}

/** What the clerk says with a transition. */
export interface Said {
  completion_date?: string
  reason_code?: string
  reason?: string
  comment?: string
}

/** Sends a transition. Where its end depends on the order's history, that is read first. */
export async function transition(verb: DeskVerb, order: DeskOrder, said: Said): Promise<Body<'transitionPortOrder'>> {
  const [only, other] = transitionsOf(verb, order)
  if (only === undefined) throw new Error('A transition was sent that the table does not have.')
  const to = other === undefined || !(await dateWasGiven(order)) ? only.to : other.to
  return await request('transitionPortOrder', { params: { portorder_id: order.id }, body: { to, ...said } })
}

/** Was a completion date ever given, also if the order was rejected since? */
async function dateWasGiven({ id }: DeskOrder): Promise<boolean> {
  const { data } = await request('getPortOrderTimeline', { params: { portorder_id: id }, query: { limit: 200 } })
  return data.some(({ attributes }) => attributes.event_type === 'portorder.accepted')
}
