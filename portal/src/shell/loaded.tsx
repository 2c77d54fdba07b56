import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { refusalOf } from '../api.ts'
import { Stack } from '../ui/panels.tsx'
import { Problem } from '../ui/problem.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

/** What a query returns once it is there; before that its shape, and a refusal in the API's own words. */
export function Loaded<T>({
  query,
  children,
  skeleton = <Skeleton />,
  head,
}: {
  query: UseQueryResult<T>
  children(data: T): ReactNode
  skeleton?: ReactNode
  /** What a page is called until its data are there, and when they are refused. */
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
