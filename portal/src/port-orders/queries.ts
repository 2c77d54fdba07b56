import { queryOptions, useQueryClient, type Query, type QueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { request, seenAccount, type Body } from '../api.ts'
import type { PortOrder } from './words.ts'

/** Port-order queries used in several places. */

export type Finding = Body<'checkPortOrder'>['data']['attributes']['findings'][number]

/** The order check's findings. The check is a POST without side effects, so it is used as a query. */
export const checkOf = (id: string) =>
  queryOptions({
    queryKey: ['checkPortOrder', seenAccount(), id],
    queryFn: ({ signal }) => request('checkPortOrder', { params: { portorder_id: id } }, signal),
  })

/** The attribute a finding is about: `numbers` for `/data/attributes/numbers/3`. */
export const fieldOfFinding = ({ pointer }: Finding): string => pointer.split('/')[3] ?? ''

/** How a program gets an order, for *Show as API call*. */
export const getOrderCall = (id: string) => ({
  operation: 'getPortOrder' as const,
  input: { params: { portorder_id: id } },
  command: `demarc port get ${id}`,
})

/** Polling interval of an order page while it waits on someone else. */
export const refresh_ms = 3_000

/** Polling interval of order lists. */
export const listRefresh_ms = 10_000

/**
 * Refetches everything else on the page when the order has changed. Compares the object, which the cache keeps while the order is
 * unchanged: its times are in whole seconds, in which it may change twice.
 */
export function useRefetchOnChange(order: PortOrder): void {
  const cache = useQueryClient()
  const shown = useRef(order)
  useEffect(() => {
    if (shown.current === order) return
    shown.current = order
    void refetchRelated(cache)
  }, [cache, order])
}

/** Invalidating joins a first load in progress, whose response may be older than the order: that load starts again. */
async function refetchRelated(cache: QueryClient): Promise<void> {
  const isRelated = ({ queryKey }: Query) => queryKey[0] !== 'getPortOrder'
  const isFirstLoad = (query: Query) => isRelated(query) && query.state.data === undefined
  await cache.cancelQueries({ type: 'active', predicate: isFirstLoad })
  await cache.invalidateQueries({ predicate: isRelated })
}

/** The portability of these numbers. */
export const portabilityOf = (numbers: readonly string[]) =>
  queryOptions({
    queryKey: ['checkPortability', seenAccount(), numbers],
    queryFn: ({ signal }) => request('checkPortability', { body: { numbers: [...numbers] } }, signal),
  })
