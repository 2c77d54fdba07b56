import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useWhyReadOnly } from '../account.ts'
import { qList, refusalOf, useChange, type Body } from '../api.ts'
import { PagedList } from '../shell/paged-list.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FilterBar, FilterChips } from '../ui/filter-bar.tsx'
import { EmptyState, Facts, Stack } from '../ui/panels.tsx'
import { Problem } from '../ui/problem.tsx'
import { Soft } from '../ui/soft.tsx'
import { Status, type Meaning } from '../ui/status.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { toast } from '../ui/toast.tsx'
import { Time } from '../ui/values.tsx'
import css from './developers.module.css'
import { deliveryStates, type DeliveriesSearch } from './search.ts'

type Delivery = Body<'listNotifications'>['data'][number]
type State = Delivery['attributes']['status']

const limit = 20
/** How often those that are on their way are looked at. */
const pending_ms = 2_000

const states: Readonly<Record<State, { label: string; meaning: Meaning }>> = {
  pending: { label: 'On its way', meaning: 'moving' },
  delivered: { label: 'Delivered', meaning: 'done' },
  failed: { label: 'Failed', meaning: 'refused' },
  stopped: { label: 'Stopped', meaning: 'quiet' },
}

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
        <FilterChips
          label="Status"
          options={deliveryStates.map((value) => ({ value, label: states[value].label }))}
          value={status ?? null}
          onChange={(next) => change({ delivery: next ?? undefined, offset: undefined })}
        />
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
      {opened !== null && <AttemptsDialog delivery={opened} onClose={() => setOpened(null)} />}
    </Stack>
  )
}

const isPending = ({ attributes }: Delivery) => attributes.status === 'pending'

const columnsOf = (open: (delivery: Delivery) => void): Column<Delivery>[] => [
  { id: 'event', title: 'Event', head: true, cell: ({ attributes }) => <code>{attributes.event_type}</code> },
  { id: 'url', title: 'To', cell: ({ attributes }) => <span className={css.url}>{attributes.url}</span> },
  { id: 'status', title: 'Status', cell: ({ attributes }) => <DeliveryState {...attributes} /> },
  { id: 'at', title: 'At', minor: true, cell: ({ attributes }) => <Time at={attributes.created_at} /> },
  {
    id: 'attempts',
    title: 'Attempts',
    verbs: true,
    cell: (delivery) => (
      <Button
        size="small"
        aria-label={`${attemptsText(delivery)}: ${delivery.attributes.event_type}, delivery ${delivery.id}`}
        onPress={() => open(delivery)}
      >
        {attemptsText(delivery)}
      </Button>
    ),
  },
]

const attemptsText = ({ attributes: { attempts } }: Delivery): string =>
  attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`

/** One that was tried and did not arrive is not simply on its way. */
const DeliveryState = ({ status, attempts }: Delivery['attributes']) =>
  status === 'pending' && attempts.length > 0 ? (
    <Status meaning="needs-you">Tried again later</Status>
  ) : (
    <Status meaning={states[status].meaning}>{states[status].label}</Status>
  )

function AttemptsDialog({ delivery: { id, attributes }, onClose }: { delivery: Delivery; onClose(): void }) {
  const replay = useChange('replayNotification')
  const whyNot = useWhyReadOnly()
  const { event_type, url, attempts, next_attempt_at } = attributes
  const send = () =>
    replay.mutate(
      { params: { notification_id: id } },
      {
        onSuccess: () => {
          toast('It is sent again.', { kind: 'done' })
          onClose()
        },
      },
    )
  return (
    <Dialog
      title={event_type}
      isOpen
      onClose={onClose}
      wide
      verbs={
        <Button kind="primary" isPending={replay.isPending} whyNot={whyNot} onPress={send}>
          Send it again
        </Button>
      }
    >
      <Stack gap="narrow">
        <Facts
          facts={[
            [
              'To',
              <span key="url" className={css.url}>
                {url}
              </span>,
            ],
            ['Status', <DeliveryState key="state" {...attributes} />],
            ['Next attempt', next_attempt_at === null ? 'None' : <Time key="next" at={next_attempt_at} />],
          ]}
        />
        {attempts.length === 0 && <p>It has not been tried yet.</p>}
        <ol className={css.attempts}>
          {attempts.map((attempt) => (
            <li key={attempt.attempted_at}>
              <Status meaning={attempt.failure === null ? 'done' : 'refused'}>
                {attempt.response_status ?? 'No response'}
              </Status>
              <span>
                {attempt.response_status === null && `${attempt.failure ?? ''} `}
                <Soft>
                  <Time at={attempt.attempted_at} />, {attempt.duration_ms.toLocaleString('en-US')} ms
                </Soft>
              </span>
            </li>
          ))}
        </ol>
        {replay.error !== null && <Problem refusal={refusalOf(replay.error)} />}
      </Stack>
    </Dialog>
  )
}

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
