import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { qList } from '../api.ts'
import { PagedList } from '../shell/paged-list.tsx'
import { useChangeSearch } from '../shell/change-search.ts'
import { FilterBar } from '../ui/filter-bar.tsx'
import { EmptyState, Stack, Soft } from '../ui/panels.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { Time } from '../ui/values.tsx'
import { AttemptsButton, AttemptsDialog, DeliveryFilter, DeliveryState, type Delivery } from './attempts.tsx'
import css from './developers.module.css'
import type { DeliveriesSearch } from '../search.ts'

const limit = 20
/** Polling interval while deliveries are pending. */
const pending_ms = 2_000

/** Webhook deliveries with their attempts, and resending. */
export function Deliveries() {
  const { delivery: status, offset = 0 } = useSearch({ from: '/signed-in/developers/deliveries' })
  const change: (next: DeliveriesSearch) => void = useChangeSearch('/developers/deliveries')
  const query = { limit, ...(offset > 0 && { offset }), ...(status && { status }) }
  const deliveries = useQuery({
    ...qList('listNotifications', { query }),
    refetchInterval: ({ state }) => (state.data?.data.some(isPending) ? pending_ms : false),
  })
  const [opened, setOpened] = useState<Delivery | null>(null)
  return (
    <Stack gap="narrow">
      <h2>Deliveries</h2>
      <FilterBar>
        <DeliveryFilter of={status} onChange={(delivery) => change({ delivery, offset: undefined })} />
      </FilterBar>
      <PagedList
        query={deliveries}
        {...{ limit, offset }}
        onOffset={(next) => change({ offset: next })}
        skeleton_rows={5}
        empty={<NoDeliveries filtered={status !== undefined} />}
      >
        {(rows, busy) => <Table label="Deliveries" columns={columnsOf(setOpened)} rows={rows} busy={busy} />}
      </PagedList>
      {opened !== null && (
        <AttemptsDialog replay="replayNotification" delivery={opened} onClose={() => setOpened(null)} />
      )}
    </Stack>
  )
}

const isPending = ({ attributes }: Delivery) => attributes.status === 'pending'

const columnsOf = (open: (delivery: Delivery) => void): Column<Delivery>[] => [
  {
    title: 'Event and endpoint',
    head: true,
    cell: ({ attributes }) => (
      <>
        <code>{attributes.event_type}</code>
        <Soft below>
          <span className={css.url}>{attributes.url}</span>
        </Soft>
      </>
    ),
  },
  { title: 'Status', cell: ({ attributes }) => <DeliveryState {...attributes} /> },
  { title: 'Time', minor: true, cell: ({ attributes }) => <Time at={attributes.created_at} /> },
  {
    title: 'Attempts',
    verbs: true,
    cell: (delivery) => <AttemptsButton of={delivery} open={open} />,
  },
]

function NoDeliveries({ filtered }: { filtered: boolean }) {
  if (filtered)
    return <EmptyState title="No deliveries with this status">Choose another status or clear the filter.</EmptyState>
  return (
    <EmptyState title="No deliveries yet">
      <p>
        Set a status URL on a port order or a callback URL on an export. Demarc then sends each change there, signed,
        and retries until it arrives. Send a test event to check that your endpoint receives it.
      </p>
    </EmptyState>
  )
}
