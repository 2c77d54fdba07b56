import type { Body } from '../api.ts'
import { AccountName } from '../shell/account-search.ts'
import { AttemptsButton, type Delivery, DeliveryState, failureText } from '../developers/attempts.tsx'
import { Link } from '../ui/link.tsx'
import { Soft } from '../ui/panels.tsx'
import { Status } from '../ui/status.tsx'
import type { Column } from '../ui/table.tsx'
import { Count, Time } from '../ui/values.tsx'
import css from './jobs.module.css'

type Receiver = Body<'listFailingReceivers'>['data'][number]

export const receiverColumns: readonly Column<Receiver>[] = [
  {
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
  { title: 'Failed', align: 'end', cell: ({ attributes }) => <Failed of={attributes.failed} /> },
  {
    title: 'Retrying',
    align: 'end',
    cell: ({ attributes: { retrying } }) => <Count of={retrying} />,
  },
  {
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
    title: 'Attempts',
    verbs: true,
    cell: (delivery) => <AttemptsButton of={delivery} open={open} />,
  },
]
