import { request, type Body } from '../api.ts'
import type { OperatorVerb } from './keys.ts'
import { transitionsOf, type OperatorOrder } from './verbs.ts'

/** The clerk's input for a transition. */
export interface TransitionInput {
  completion_date?: string
  reason_code?: string
  reason?: string
  comment?: string
}

/** Sends a transition. Reads the order's history first if the target status depends on it. */
export async function transition(
  verb: OperatorVerb,
  order: OperatorOrder,
  input: TransitionInput,
): Promise<Body<'transitionPortOrder'>> {
  const [only, other] = transitionsOf(verb, order)
  if (only === undefined) throw new Error('The transition table does not allow this transition.')
  const to = other === undefined || !(await dateWasGiven(order)) ? only.to : other.to
  return await request('transitionPortOrder', { params: { portorder_id: order.id }, body: { to, ...input } })
}

/** Whether the order ever had a completion date, even if it was rejected since. */
async function dateWasGiven({ id }: OperatorOrder): Promise<boolean> {
  const { data } = await request('getPortOrderTimeline', { params: { portorder_id: id }, query: { limit: 200 } })
  return data.some(({ attributes }) => attributes.event_type === 'portorder.accepted')
}
