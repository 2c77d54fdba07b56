import { useReadOnlyReason } from '../account.ts'
import { useChange, useRead } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Page } from '../shell/page.tsx'
import { Refused } from '../shell/refused.tsx'
import {
  Button,
  Card,
  Count,
  Figures,
  Link,
  LinkButton,
  PhoneNumber,
  PrimaryLink,
  Skeleton,
  SkeletonLike,
  Soft,
  Stack,
  StatusOf,
  Table,
  Time,
  type Column,
} from '../ui/index.ts'
import { costFigures } from './costs.tsx'
import { orderWords, type NumberOrder } from './order-status.ts'

type Ordered = NumberOrder['numbers'][number]

const Placed = ({ at }: { at: string }) => (
  <>
    Placed <Time at={at} />
  </>
)
const placedExample = <SkeletonLike>Placed Nov 26, 2026, 8:10 AM PST</SkeletonLike>

/** What was ordered, what was not, and why? */
export function OrderedNumbers({ id }: { id: string }) {
  const params = { numberorder_id: id }
  const order = useRead('getNumberOrder', { params })
  return (
    <Page
      before={<Link to="/numbers">Numbers</Link>}
      title={`Number order ${id}`}
      facts={order.isPending ? placedExample : order.data && <Placed at={order.data.data.attributes.created_at} />}
      call={{ operation: 'getNumberOrder', input: { params }, command: `demarc number-order get ${id}` }}
      verb={
        <>
          <LinkButton to="/numbers/get">Get more numbers</LinkButton>
          <PrimaryLink to="/numbers">Go to your numbers</PrimaryLink>
        </>
      }
    >
      <Loaded query={order} skeleton={<Skeleton rows={6} tall />}>
        {({ data: { attributes } }) => (
          <>
            <Decision id={id} order={attributes} />
            <Card>
              <Figures figures={figuresOf(attributes)} />
            </Card>
            <Table
              label="Numbers of the order"
              columns={columns}
              rows={attributes.numbers.toSorted(
                (a, b) => Number(a.outcome === 'ordered') - Number(b.outcome === 'ordered'),
              )}
              keyOf={({ value }) => value}
            />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function figuresOf({ status, numbers, ordered_count, missing_count, ...costs }: NumberOrder) {
  const [label, count] =
    status === 'pending_approval' ? ['Reserved', numbers.length - missing_count] : ['Ordered', ordered_count]
  return [
    [label, <Count key="count" of={count} />],
    ['Not ordered', <Count key="missing" of={missing_count} />],
    ...costFigures(costs),
  ] as const
}

const decided = ['pending_approval', 'rejected', 'canceled', 'expired'] as const

/** The state of an order that the operator approves; nothing for the others. */
function Decision({ id, order: { status, expires_at, rejection_reason } }: { id: string; order: NumberOrder }) {
  const cancel = useChange('cancelNumberOrder')
  const readOnly = useReadOnlyReason()
  if (!decided.some((each) => each === status)) return null
  const isPending = status === 'pending_approval'
  const until = expires_at !== null && (
    <>
      {' '}
      until <Time at={expires_at} />
    </>
  )
  return (
    <Card
      title={<StatusOf words={orderWords} value={status} />}
      aside={
        isPending && (
          <Button
            size="small"
            isPending={cancel.isPending}
            disabledReason={readOnly}
            onPress={() => cancel.mutate({ params: { numberorder_id: id } })}
          >
            Cancel the order
          </Button>
        )
      }
    >
      <Stack gap="narrow">
        {isPending ? (
          <p>The operator approves this order before it completes. Its numbers are reserved for you{until}.</p>
        ) : (
          <p>{rejection_reason ?? 'The order was not approved. Its numbers are for sale again.'}</p>
        )}
        <Refused error={cancel.error} onConfirmed={() => cancel.reset()} />
      </Stack>
    </Card>
  )
}

const outcomes = {
  ordered: { label: 'Ordered', meaning: 'done' },
  pending: { label: 'Reserved', meaning: 'moving' },
  refused: { label: 'Not ordered', meaning: 'refused' },
} as const

const columns: Column<Ordered>[] = [
  {
    title: 'Number',
    head: true,
    cell: ({ value, outcome }) =>
      outcome === 'ordered' ? (
        <Link to="/numbers/$number" params={{ number: value }}>
          <PhoneNumber value={value} />
        </Link>
      ) : (
        <PhoneNumber value={value} />
      ),
  },
  {
    title: 'Result',
    cell: ({ outcome, reason, warnings }) => (
      <>
        <StatusOf words={outcomes} value={outcome} />
        {[...(reason === null ? [] : [reason]), ...warnings].map((text) => (
          <Soft key={text} below>
            {text}
          </Soft>
        ))}
      </>
    ),
  },
]
