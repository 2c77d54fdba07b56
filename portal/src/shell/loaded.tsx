import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { refusalOf } from '../api.ts'
import { Problem, Skeleton, Stack } from '../ui/index.ts'

interface LoadedProps<T> {
  query: UseQueryResult<T>
  children(data: T): ReactNode
  skeleton?: ReactNode
  /** The page's heading while loading or after a refusal. */
  head?: ReactNode
}

/** Renders a query's data, a skeleton while loading, or the API's refusal. */
export function Loaded<T>({ query, children, skeleton = <Skeleton />, head }: LoadedProps<T>) {
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
