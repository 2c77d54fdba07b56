import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { transition, type TransitionInput } from './transition.ts'
import type { OperatorVerb } from './keys.ts'
import type { OperatorOrder } from './verbs.ts'

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
          const { meta } = await transition(verb, order, input)
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
