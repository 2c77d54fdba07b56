import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Operations, RequestInput } from '@demarc/client'
import { refusalOf, request } from '../api.ts'
import { toast } from '../ui/toast.tsx'

/** Sends one request after another and continues past refusals. Reports how many succeeded and why the others failed. */
export function useEach<K extends 'retryJob' | 'replayNotificationAsOperator'>(
  operation: K,
  done: (count: number) => string,
) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: async (inputs: readonly RequestInput<Operations[K]>[]) => {
      const refused: unknown[] = []
      for (const input of inputs)
        try {
          await request(operation, input)
        } catch (error) {
          refused.push(error)
        }
      return { done: inputs.length - refused.length, refused }
    },
    onSuccess({ done: count, refused }) {
      if (count > 0) toast(done(count), { kind: 'done' })
      const [first] = refused
      if (first === undefined) return
      const { title, findings } = refusalOf(first)
      toast(`${refused.length} refused: ${findings[0]?.message ?? title}`, { kind: 'refused' })
    },
    onSettled: () => cache.invalidateQueries(),
  })
}
