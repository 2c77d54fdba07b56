import type { Body } from '../api.ts'
import { AccountName } from '../shell/account-search.ts'
import { AttemptsButton, type Delivery, DeliveryState, failureText } from '../developers/attempts.tsx'
import { Link } from '../ui/link.tsx'
import { Soft } from '../ui/soft.tsx'
import { Status } from '../ui/status.tsx'
import type { Column } from '../ui/table.tsx'
import { Count, Time } from '../ui/values.tsx'
import css from './jobs.module.css'

type Receiver = Body<'listFailingReceivers'>['data'][number]

export const receiverColumns: readonly Column<Receiver>[] = [
  {
    id: 'origin',
    title: 'Endpoint',
    head: true,
    cell: ({ attributes: { account_id, origin } }) => (
      <>
        <Link
          to="/operator/jobs"
          search={(before) => ({
            ...before,
            view: 'deliveries',
            receiver: account_id,
            origin,
            delivery: undefined,
            offset: undefined,
          })}
        >
          {origin}
        </Link>
        <Soft below>
          <AccountName of={account_id} />
        </Soft>
      </>
    ),
  },
  { id: 'failed', title: 'Failed', align: 'end', cell: ({ attributes }) => <Failed of={attributes.failed} /> },
  {
    id: 'retrying',
    title: 'Retrying',
    align: 'end',
    cell: ({ attributes: { retrying } }) => <Count of={retrying} />,
  },
  {
    id: 'last',
    title: 'Last response',
    cell: ({ attributes: { last_attempt } }) =>
      last_attempt === null ? (
        '—'
      ) : (
        <>
          {last_attempt.failure === null ? 'Already delivered.' : failureText(last_attempt.failure)}
          <Soft below>
            <Time at={last_attempt.attempted_at} />
          </Soft>
        </>
      ),
  },
  {
    id: 'next',
    title: 'Next attempt',
    cell: ({ attributes: { next_attempt_at: at } }) => (at === null ? 'None' : <Time at={at} />),
  },
]

const Failed = ({ of }: { of: number }) =>
  of === 0 ? (
    <Count of={0} />
  ) : (
    <Status meaning="refused">
      <Count of={of} />
    </Status>
  )

export const deliveryColumns = (open: (delivery: Delivery) => void): Column<Delivery>[] => [
  {
    id: 'event',
    title: 'Event',
    head: true,
    cell: ({ attributes: { event_type, account_id } }) => (
      <>
        <code className={css.event}>{event_type}</code>
        <Soft below>
          <AccountName of={account_id} />
        </Soft>
      </>
    ),
  },
  {
    id: 'url',
    title: 'To',
    cell: ({ attributes: { url, created_at } }) => (
      <>
        <span className={css.url}>{url}</span>
        <Soft below>
          <Time at={created_at} />
        </Soft>
      </>
    ),
  },
  {
    id: 'status',
    title: 'Status',
    cell: ({ attributes }) => {
      const failure = attributes.attempts.at(-1)?.failure ?? null
      return (
        <>
          <DeliveryState {...attributes} />
          {failure !== null && <Soft below>{failureText(failure)}</Soft>}
        </>
      )
    },
  },
  {
    id: 'attempts',
    title: 'Attempts',
    verbs: true,
    cell: (delivery) => <AttemptsButton of={delivery} open={open} />,
  },
]
