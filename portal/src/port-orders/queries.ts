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

/** When somebody else has changed the order, what hangs on it is asked for again. */
export function useOthersWith({ attributes: { modified_at, status_updated_at, comments } }: PortOrder): void {
  const cache = useQueryClient()
  const version = `${modified_at} ${status_updated_at} ${comments.length}`
  const shown = useRef(version)
  useEffect(() => {
    if (shown.current === version) return undefined
    shown.current = version
    const askAgain = () => void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'getPortOrder' })
    askAgain()
    // what a job does of the last change comes a moment later, when the order itself is not asked for any more
    const later = setTimeout(askAgain, refresh_ms)
    return () => clearTimeout(later)
  }, [cache, version])
}

/** Which of these numbers can be ported. */
export const portabilityOf = (numbers: readonly string[]) =>
  queryOptions({
    queryKey: ['checkPortability', seenAccount(), numbers],
    queryFn: ({ signal }) => request('checkPortability', { body: { numbers: [...numbers] } }, signal),
  })
