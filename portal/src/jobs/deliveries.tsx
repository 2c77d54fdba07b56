import { countText } from '@demarc/client/rules'
import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { type Body, useList } from '../api.ts'
import { useAccountName } from '../shell/account-search.ts'
import { AttemptsDialog, DeliveryFilter, type Delivery } from '../developers/attempts.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { usePageSearch } from '../shell/change-search.ts'
import { Button, Card, EmptyState, FilterBar, Skeleton, Stack, Table } from '../ui/index.ts'
import { deliveryColumns, receiverColumns } from './delivery-columns.tsx'
import { useEach } from './use-each.ts'

const refresh_ms = 10_000

/** Failing endpoints, all deliveries with their attempts, and resending. */
export function Deliveries({ failing }: { failing: UseQueryResult<Body<'listFailingReceivers'>> }) {
  return (
    <Stack>
      <Loaded query={failing} skeleton={<Skeleton rows={3} tall />}>
        {({ data }) =>
          data.length === 0 ? null : (
            <Card title="Failing endpoints" flush>
              <Table label="Failing endpoints" columns={receiverColumns} rows={data} />
            </Card>
          )
        }
      </Loaded>
      <DeliveryList />
    </Stack>
  )
}

function DeliveryList() {
  const { search, filter, page, paging } = usePageSearch('/operator/jobs', 25)
  const { delivery: status, receiver, origin } = search
  const query = { ...page, status, account_id: receiver, origin }
  const deliveries = useList('listNotificationsAsOperator', { query }, { refetchInterval: refresh_ms })
  const filtered = status !== undefined || receiver !== undefined || origin !== undefined
  const none = { delivery: undefined, receiver: undefined, origin: undefined }
  const receiverName = useAccountName(receiver ?? null)
  const only = [receiver === undefined ? [] : (receiverName ?? `Account ${receiver}`), origin ?? []].flat()
  return (
    <Stack gap="narrow">
      <FilterBar
        onClear={filtered ? () => filter(none) : null}
        count={only.length === 0 ? undefined : `Only: ${only.join(', ')}`}
      >
        <DeliveryFilter value={status} onChange={(delivery) => filter({ delivery })} />
      </FilterBar>
      <PagedList query={deliveries} {...paging} empty={<NoDeliveries filtered={filtered} />}>
        {(rows, busy) => <DeliveryTable rows={rows} busy={busy} />}
      </PagedList>
    </Stack>
  )
}

function DeliveryTable({ rows, busy }: { rows: readonly Delivery[]; busy: boolean }) {
  const disabledReason = useReadOnlyReason()
  const [opened, setOpened] = useState<Delivery | null>(null)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const replay = useEach(
    'replayNotificationAsOperator',
    (count) => `Resending ${countText(count, 'delivery', 'deliveries')}.`,
  )
  const chosen = rows.filter(({ id }) => selected.has(id))
  const send = () => {
    replay.mutate(chosen.map(({ id }) => ({ params: { notification_id: id } })))
    setSelected(new Set())
  }
  return (
    <Stack gap="narrow">
      <Table
        label="Deliveries"
        columns={deliveryColumns(setOpened)}
        rows={rows}
        busy={busy}
        selection={{ selected, onChange: setSelected }}
      />
      {(chosen.length > 0 || replay.isPending) && (
        <div>
          <Button kind="primary" isPending={replay.isPending} disabledReason={disabledReason} onPress={send}>
            Resend {countText(chosen.length, 'delivery', 'deliveries')}
          </Button>
        </div>
      )}
      {opened !== null && (
        <AttemptsDialog
          replay="replayNotificationAsOperator"
          delivery={rows.find(({ id }) => id === opened.id) ?? opened}
          onClose={() => setOpened(null)}
        />
      )}
    </Stack>
  )
}

function NoDeliveries({ filtered }: { filtered: boolean }) {
  if (filtered)
    return <EmptyState title="No matching deliveries">Choose another status or clear the filter.</EmptyState>
  return (
    <EmptyState title="No deliveries yet">
      Customers set status URLs on port orders and callback URLs on exports. Deliveries to them appear here with every
      attempt: up to ten over three days.
    </EmptyState>
  )
}
