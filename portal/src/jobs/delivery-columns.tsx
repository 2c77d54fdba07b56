import { deliveryFailureText } from '@demarc/client/rules'
import type { Body } from '../api.ts'
import { AccountName } from '../shell/account-search.ts'
import { AttemptsButton, type Delivery, DeliveryState } from '../developers/attempts.tsx'
import { type Column, Count, Link, Soft, Status, Time, TwoLines } from '../ui/index.ts'
import css from './jobs.module.css'

type Receiver = Body<'listFailingReceivers'>['data'][number]

export const receiverColumns: readonly Column<Receiver>[] = [
  {
    title: 'Endpoint',
    head: true,
    cell: ({ attributes: { account_id, origin } }) => (
      <TwoLines below={<AccountName of={account_id} />}>
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
      </TwoLines>
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
        <TwoLines below={<Time at={last_attempt.attempted_at} />}>
          {last_attempt.failure === null ? 'Already delivered.' : deliveryFailureText(last_attempt.failure)}
        </TwoLines>
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
      <TwoLines below={<AccountName of={account_id} />}>
        <code className={css.event}>{event_type}</code>
      </TwoLines>
    ),
  },
  {
    title: 'To',
    cell: ({ attributes: { url, created_at } }) => (
      <TwoLines below={<Time at={created_at} />}>
        <span className={css.url}>{url}</span>
      </TwoLines>
    ),
  },
  {
    title: 'Status',
    cell: ({ attributes }) => {
      const failure = attributes.attempts.at(-1)?.failure ?? null
      return (
        <>
          <DeliveryState {...attributes} />
          {failure !== null && <Soft below>{deliveryFailureText(failure)}</Soft>}
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
