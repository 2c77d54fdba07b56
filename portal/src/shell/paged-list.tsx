import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Pager } from '../ui/filter-bar.tsx'
import { EmptyState, Stack } from '../ui/panels.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Loaded } from './loaded.tsx'

interface PageOfList<Row> {
  data: readonly Row[]
  links: { next?: string | undefined }
}

/** A list of the API, one page at a time: its shape, a refusal, what it means that it is empty, or its rows. */
export function PagedList<Row>({
  query,
  limit,
  offset,
  onOffset,
  skeleton_rows,
  empty,
  children,
}: {
  query: UseQueryResult<PageOfList<Row>>
  limit: number
  offset: number | undefined
  onOffset(offset: number | undefined): void
  skeleton_rows: number
  empty: ReactNode
  /** `busy`: what is shown is from before, and newer data is on its way. */
  children(rows: readonly Row[], busy: boolean): ReactNode
}) {
  return (
    <Loaded query={query} skeleton={<Skeleton rows={skeleton_rows} tall />}>
      {({ data, links }) =>
        data.length === 0 ? (
          offset === undefined || offset === 0 ? (
            empty
          ) : (
            <PastTheEnd onFirst={() => onOffset(undefined)} />
          )
        ) : (
          <Stack gap="narrow">
            {children(data, query.isPlaceholderData)}
            <Pager
              offset={offset}
              limit={limit}
              shown={data.length}
              hasNext={links.next !== undefined}
              onChange={onOffset}
            />
          </Stack>
        )
      }
    </Loaded>
  )
}

/** A page behind the last: all that was on it has been dealt with, or its address is old. */
export const PastTheEnd = ({ onFirst }: { onFirst(): void }) => (
  <EmptyState title="Nothing is on this page any more" verb={<Button onPress={onFirst}>Show the first page</Button>}>
    <p>The list has become shorter. What is left of it is on the pages before.</p>
  </EmptyState>
)
