import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Pager } from '../ui/filter-bar.tsx'
import { EmptyState, Stack, Skeleton } from '../ui/panels.tsx'
import { Loaded } from './loaded.tsx'

interface PageOfList<Row> {
  data: readonly Row[]
  links: { next?: string | undefined }
}

/** One page of an API list: skeleton, refusal, empty state, or rows. */
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
  /** `busy`: the rows are stale and newer data is loading. */
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

/** The offset is past the end: the list got shorter, or the URL is old. */
export const PastTheEnd = ({ onFirst }: { onFirst(): void }) => (
  <EmptyState title="This page is empty" verb={<Button onPress={onFirst}>Go to the first page</Button>}>
    <p>The list got shorter. The remaining entries are on earlier pages.</p>
  </EmptyState>
)
