import { request, type Body } from '../api.ts'
import type { OperatorVerb } from './keys.ts'
import { transitionsOf, type OperatorOrder } from './verbs.ts'

/** What the clerk says with a transition. */
export interface TransitionInput {
  completion_date?: string
  reason_code?: string
  reason?: string
  comment?: string
}

/** Sends a transition. Where its end depends on the order's history, that is read first. */
export async function transition(
  verb: OperatorVerb,
  order: OperatorOrder,
  input: TransitionInput,
): Promise<Body<'transitionPortOrder'>> {
  const [only, other] = transitionsOf(verb, order)
  if (only === undefined) throw new Error('A transition was sent that the table does not have.')
  const to = other === undefined || !(await dateWasGiven(order)) ? only.to : other.to
  return await request('transitionPortOrder', { params: { portorder_id: order.id }, body: { to, ...input } })
}

/** Was a completion date ever given, also if the order was rejected since? */
async function dateWasGiven({ id }: OperatorOrder): Promise<boolean> {
  const { data } = await request('getPortOrderTimeline', { params: { portorder_id: id }, query: { limit: 200 } })
  return data.some(({ attributes }) => attributes.event_type === 'portorder.accepted')
}
