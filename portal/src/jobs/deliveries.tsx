import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { qList, type Body } from '../api.ts'
import { useAccountName } from '../shell/account-search.ts'
import { AttemptsDialog, DeliveryFilter, type Delivery } from '../developers/attempts.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { useChangeSearch } from '../shell/change-search.ts'
import { Button } from '../ui/button.tsx'
import { FilterBar } from '../ui/filter-bar.tsx'
import { Card, EmptyState, Stack, Skeleton } from '../ui/panels.tsx'
import { Table } from '../ui/table.tsx'
import { deliveryColumns, receiverColumns } from './delivery-columns.tsx'
import type { JobsSearch } from '../operator/search.ts'
import { useEach } from './use-each.ts'

const limit = 25
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
  const { delivery: status, receiver, origin, offset } = useSearch({ from: '/signed-in/operator/jobs' })
  const change: (next: JobsSearch) => void = useChangeSearch('/operator/jobs')
  const of = { ...(receiver !== undefined && { account_id: receiver }), ...(origin !== undefined && { origin }) }
  const query = { limit, ...(offset && { offset }), ...(status && { status }), ...of }
  const deliveries = useQuery({ ...qList('listNotificationsAsOperator', { query }), refetchInterval: refresh_ms })
  const filtered = status !== undefined || receiver !== undefined || origin !== undefined
  const none = { delivery: undefined, receiver: undefined, origin: undefined, offset: undefined }
  const receiverName = useAccountName(receiver ?? null)
  const only = [receiver === undefined ? [] : (receiverName ?? `Account ${receiver}`), origin ?? []].flat()
  return (
    <Stack gap="narrow">
      <FilterBar
        onClear={filtered ? () => change(none) : null}
        count={only.length === 0 ? undefined : `Only: ${only.join(', ')}`}
      >
        <DeliveryFilter of={status} onChange={(delivery) => change({ delivery, offset: undefined })} />
      </FilterBar>
      <PagedList
        query={deliveries}
        {...{ limit, offset }}
        onOffset={(next) => change({ offset: next })}
        skeleton_rows={6}
        empty={<NoDeliveries filtered={filtered} />}
      >
        {(rows, busy) => <DeliveryTable rows={rows} busy={busy} />}
      </PagedList>
    </Stack>
  )
}

function DeliveryTable({ rows, busy }: { rows: readonly Delivery[]; busy: boolean }) {
  const disabledReason = useReadOnlyReason()
  const [opened, setOpened] = useState<Delivery | null>(null)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const replay = useEach('replayNotificationAsOperator', (count) =>
    count === 1 ? 'Resending 1 delivery.' : `Resending ${count} deliveries.`,
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
            {chosen.length === 1 ? 'Resend 1 delivery' : `Resend ${chosen.length} deliveries`}
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
      <p>
        Customers set status URLs on port orders and callback URLs on exports. Deliveries to them appear here with every
        attempt: up to ten over three days.
      </p>
    </EmptyState>
  )
}
