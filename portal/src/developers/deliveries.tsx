import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { qList } from '../api.ts'
import { PagedList } from '../shell/paged-list.tsx'
import { FilterBar } from '../ui/filter-bar.tsx'
import { EmptyState, Stack } from '../ui/panels.tsx'
import { Soft } from '../ui/soft.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { Time } from '../ui/values.tsx'
import { AttemptsButton, AttemptsDialog, DeliveryFilter, DeliveryState, type Delivery } from './attempts.tsx'
import css from './developers.module.css'
import type { DeliveriesSearch } from './search.ts'

const limit = 20
/** How often those that are on their way are looked at. */
const pending_ms = 2_000

/** What was sent to one's URLs, how each attempt went, and sending again. */
export function Deliveries() {
  const { delivery: status, offset = 0 } = useSearch({ from: '/signed-in/developers/deliveries' })
  const navigate = useNavigate()
  const change = (next: DeliveriesSearch) =>
    void navigate({ to: '/developers/deliveries', search: (before) => ({ ...before, ...next }), replace: true })
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
        {(rows, busy) => (
          <Table label="Deliveries" columns={columnsOf(setOpened)} rows={rows} keyOf={({ id }) => id} busy={busy} />
        )}
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
    id: 'event',
    title: 'Event and receiver',
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
  { id: 'status', title: 'Status', cell: ({ attributes }) => <DeliveryState {...attributes} /> },
  { id: 'at', title: 'At', minor: true, cell: ({ attributes }) => <Time at={attributes.created_at} /> },
  {
    id: 'attempts',
    title: 'Attempts',
    verbs: true,
    cell: (delivery) => <AttemptsButton of={delivery} open={open} />,
  },
]

function NoDeliveries({ filtered }: { filtered: boolean }) {
  if (filtered) return <EmptyState title="No delivery has this status">Choose another status, or none.</EmptyState>
  return (
    <EmptyState title="Nothing was sent yet">
      <p>
        Give a port order a status URL or an export a callback URL, and each change is sent there, signed and tried
        again until it arrives. A test event shows at once whether your receiver gets it.
      </p>
    </EmptyState>
  )
}
