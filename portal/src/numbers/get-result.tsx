import { useQuery } from '@tanstack/react-query'
import { useReadOnlyReason } from '../account.ts'
import { q, useChange } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Refused } from '../shell/refused.tsx'
import { Button } from '../ui/button.tsx'
import { Link, LinkButton, PrimaryLink } from '../ui/link.tsx'
import { Card, Figures, Row, Skeleton, Soft, Stack } from '../ui/panels.tsx'
import { Status } from '../ui/status.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { Count, Money, PhoneNumber, Time } from '../ui/values.tsx'
import { OrderStatus, type NumberOrder } from './order-status.tsx'

type Order = NumberOrder['attributes']
type Ordered = Order['numbers'][number]

/** What was ordered, what was not, and why. */
export function OrderedNumbers({ id }: { id: string }) {
  const order = useQuery(q('getNumberOrder', { params: { numberorder_id: id } }))
  return (
    <Loaded query={order} skeleton={<Skeleton rows={6} tall />}>
      {({ data: { attributes } }) => (
        <Stack>
          <Decision id={id} order={attributes} />
          <Card
            title={`Order ${id}`}
            aside={
              <Row>
                <LinkButton to="/numbers/get">Get more numbers</LinkButton>
                <PrimaryLink to="/numbers">Go to your numbers</PrimaryLink>
              </Row>
            }
          >
            <Figures
              figures={[
                attributes.status === 'pending_approval'
                  ? ['Reserved', <Count key="reserved" of={attributes.numbers.length - attributes.missing_count} />]
                  : ['Ordered', <Count key="ordered" of={attributes.ordered_count} />],
                ['Not ordered', <Count key="missing" of={attributes.missing_count} />],
                ['Each month', <Money key="monthly" amount={attributes.monthly_cost} />],
                ['Once', <Money key="once" amount={attributes.setup_cost} />],
              ]}
            />
          </Card>
          <Table
            label="Numbers of the order"
            columns={columns}
            rows={attributes.numbers.toSorted(
              (a, b) => Number(a.outcome === 'ordered') - Number(b.outcome === 'ordered'),
            )}
            keyOf={({ value }) => value}
          />
        </Stack>
      )}
    </Loaded>
  )
}

/** The state of an order that the operator approves; nothing for the others. */
function Decision({ id, order: { status, expires_at, rejection_reason } }: { id: string; order: Order }) {
  const cancel = useChange('cancelNumberOrder')
  const readOnly = useReadOnlyReason()
  if (!decided.some((each) => each === status)) return null
  return (
    <Card
      title={<OrderStatus of={status} />}
      aside={
        status === 'pending_approval' && (
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
        <p>
          {status === 'pending_approval' ? (
            <>
              The operator approves this order before it completes. Its numbers are reserved for you
              {expires_at !== null && (
                <>
                  {' '}
                  until <Time at={expires_at} />
                </>
              )}
              .
            </>
          ) : (
            (rejection_reason ?? 'The order was not approved. Its numbers are for sale again.')
          )}
        </p>
        <Refused error={cancel.error} onConfirmed={() => cancel.reset()} />
      </Stack>
    </Card>
  )
}

const decided = ['pending_approval', 'rejected', 'canceled', 'expired'] as const

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
        <Status meaning={outcomes[outcome].meaning}>{outcomes[outcome].label}</Status>
        {[reason, ...warnings].map(
          (text) =>
            text !== null && (
              <Soft key={text} below>
                {text}
              </Soft>
            ),
        )}
      </>
    ),
  },
]
