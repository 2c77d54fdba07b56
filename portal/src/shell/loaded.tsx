import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { refusalOf } from '../api.ts'
import { Stack, Skeleton } from '../ui/panels.tsx'
import { Problem } from '../ui/problem.tsx'

/** Renders a query's data, a skeleton while loading, or the API's refusal. */
export function Loaded<T>({
  query,
  children,
  skeleton = <Skeleton />,
  head,
}: {
  query: UseQueryResult<T>
  children(data: T): ReactNode
  skeleton?: ReactNode
  /** The page's heading while loading or after a refusal. */
  head?: ReactNode
}) {
  if (query.data !== undefined) return children(query.data)
  if (query.error !== null)
    return (
      <Stack>
        {head}
        <Problem refusal={refusalOf(query.error)} onRetry={() => void query.refetch()} />
      </Stack>
    )
  if (head === undefined) return skeleton
  return (
    <Stack>
      {head}
      {skeleton}
    </Stack>
  )
}
