import { useList } from '../api.ts'
import { PagedList } from '../shell/paged-list.tsx'
import { usePageSearch } from '../shell/change-search.ts'
import { useDialog } from '../shell/change-buttons.tsx'
import { type Column, EmptyState, FilterBar, Stack, Table, Time, TwoLines } from '../ui/index.ts'
import { AttemptsButton, AttemptsDialog, DeliveryFilter, DeliveryState, type Delivery } from './attempts.tsx'
import css from './developers.module.css'

/** Polling interval while deliveries are pending. */
const pending_ms = 2_000

/** Webhook deliveries with their attempts, and resending. */
export function Deliveries() {
  const { search, filter, page, paging } = usePageSearch('/developers/deliveries', 20)
  const status = search.delivery
  const deliveries = useList(
    'listNotifications',
    { query: { ...page, status } },
    { refetchInterval: ({ state }) => (state.data?.data.some(isPending) ? pending_ms : false) },
  )
  const [dialog, open] = useDialog()
  const onOpen = (delivery: Delivery) =>
    open((close) => <AttemptsDialog replay="replayNotification" delivery={delivery} onClose={close} />)
  return (
    <Stack gap="narrow">
      <h2>Deliveries</h2>
      <FilterBar>
        <DeliveryFilter value={status} onChange={(delivery) => filter({ delivery })} />
      </FilterBar>
      <PagedList query={deliveries} {...paging} empty={<NoDeliveries filtered={status !== undefined} />}>
        {(rows, busy) => <Table label="Deliveries" columns={columnsOf(onOpen)} rows={rows} busy={busy} />}
      </PagedList>
      {dialog}
    </Stack>
  )
}

const isPending = ({ attributes }: Delivery) => attributes.status === 'pending'

const columnsOf = (open: (delivery: Delivery) => void): Column<Delivery>[] => [
  {
    title: 'Event and endpoint',
    head: true,
    cell: ({ attributes }) => (
      <TwoLines below={<span className={css.url}>{attributes.url}</span>}>
        <code>{attributes.event_type}</code>
      </TwoLines>
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
      Set a status URL on a port order or a callback URL on an export. Demarc then sends each change there, signed, and
      retries until it arrives. Send a test event to check that your endpoint receives it.
    </EmptyState>
  )
}
