import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { OperatorVerb } from './keys.ts'
import { type OperatorOrder, transitionsOf } from './verbs.ts'
import { type Body, q, request } from '../api.ts'

export interface Refused {
  order: OperatorOrder
  error: unknown
}

/** Sends transitions for several orders in sequence and continues past refusals. */
export function useTransitions(verb: OperatorVerb) {
  const cache = useQueryClient()
  const [done, setDone] = useState<ReadonlySet<string>>(new Set())
  const { mutate, isPending, data } = useMutation({
    mutationFn: async ({ orders, input }: { orders: readonly OperatorOrder[]; input: TransitionInput }) => {
      const refused: Refused[] = []
      const warnings = new Set<string>()
      for (const order of orders) {
        try {
          const { data, meta } = await transition(verb, order, input)
          // an order that was open before is shown again before its next response, and keys act on what is shown
          const { queryKey } = q('getPortOrder', { params: { portorder_id: order.id } })
          cache.setQueryData(queryKey, (shown) => shown && { ...shown, data })
          for (const { message } of meta.warnings) warnings.add(message)
          setDone((before) => before.union(new Set([order.id])))
        } catch (error) {
          refused.push({ order, error })
        }
      }
      return { refused, warnings: [...warnings] }
    },
    onSettled: () => cache.invalidateQueries(),
  })
  return { send: mutate, isPending, done, refused: data?.refused ?? [] }
}

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
