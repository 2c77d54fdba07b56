import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { request, seenAccount, type Body } from '../api.ts'
import type { PortOrder } from './words.ts'

/** What is asked of one port order in more than one place of its pages. */

export type Finding = Body<'checkPortOrder'>['data']['attributes']['findings'][number]

/** Everything for which the order would be rejected. The check is a POST that changes nothing, so it is read like a query. */
export const checkOf = (id: string) =>
  queryOptions({
    queryKey: ['checkPortOrder', seenAccount(), id],
    queryFn: ({ signal }) => request('checkPortOrder', { params: { portorder_id: id } }, signal),
  })

/** The attribute that a finding is about: `/data/attributes/numbers/3` is of `numbers`. */
export const fieldOfFinding = ({ pointer }: Finding): string => pointer.split('/')[3] ?? ''

/** How often a page asks again while somebody else has the next move. */
export const refresh_ms = 3_000

/** The same where one looks at many orders at once. */
export const listRefresh_ms = 10_000

/**
 * When somebody else has changed the order, what hangs on it is asked for again. The cache keeps the object of an order that is
 * as it was; its times are of whole seconds, in which it may change twice.
 */
export function useOthersWith(order: PortOrder): void {
  const cache = useQueryClient()
  const shown = useRef(order)
  useEffect(() => {
    if (shown.current === order) return
    shown.current = order
    void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'getPortOrder' })
  }, [cache, order])
}

/** Which of these numbers can be ported. */
export const portabilityOf = (numbers: readonly string[]) =>
  queryOptions({
    queryKey: ['checkPortability', seenAccount(), numbers],
    queryFn: ({ signal }) => request('checkPortability', { body: { numbers: [...numbers] } }, signal),
  })
