import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button, EmptyState, Pager, Skeleton, Stack } from '../ui/index.ts'
import { Loaded } from './loaded.tsx'

interface PageOfList<Row> {
  data: readonly Row[]
  links: { next?: string | undefined }
}

/** Which page of a list is shown. */
export interface Paging {
  limit: number
  offset: number | undefined
  onOffset(offset: number | undefined): void
}

interface PagedListProps<Row> extends Paging {
  query: UseQueryResult<PageOfList<Row>>
  skeleton_rows?: number
  empty: ReactNode
  /** `busy`: the rows are stale and newer data is loading. */
  children(rows: readonly Row[], busy: boolean): ReactNode
}

/** One page of an API list: skeleton, refusal, empty state, or rows. */
export function PagedList<Row>({ query, skeleton_rows = 8, empty, children, ...paging }: PagedListProps<Row>) {
  const { limit, offset = 0, onOffset } = paging
  return (
    <Loaded query={query} skeleton={<Skeleton rows={skeleton_rows} tall />}>
      {({ data, links }) =>
        data.length > 0 ? (
          <Stack gap="narrow">
            {children(data, query.isPlaceholderData)}
            <Pager {...{ limit, offset }} shown={data.length} hasNext={links.next !== undefined} onChange={onOffset} />
          </Stack>
        ) : offset === 0 ? (
          empty
        ) : (
          <PastTheEnd onFirst={() => onOffset(undefined)} />
        )
      }
    </Loaded>
  )
}

/** The offset is past the end: the list got shorter, or the URL is old. */
export const PastTheEnd = ({ onFirst }: { onFirst(): void }) => (
  <EmptyState title="This page is empty" verb={<Button onPress={onFirst}>Go to the first page</Button>}>
    The list got shorter. The remaining entries are on earlier pages.
  </EmptyState>
)
