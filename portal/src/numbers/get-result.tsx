import { useQuery } from '@tanstack/react-query'
import { q, type Body } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Link, LinkButton, PrimaryLink } from '../ui/link.tsx'
import { Card, Figures, Row, Skeleton, Soft, Stack } from '../ui/panels.tsx'
import { Status } from '../ui/status.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { Count, Money, PhoneNumber } from '../ui/values.tsx'

type Ordered = Body<'getNumberOrder'>['data']['attributes']['numbers'][number]

/** What was ordered, what was not, and why. */
export function OrderedNumbers({ id }: { id: string }) {
  const order = useQuery(q('getNumberOrder', { params: { numberorder_id: id } }))
  return (
    <Loaded query={order} skeleton={<Skeleton rows={6} tall />}>
      {({ data: { attributes } }) => (
        <Stack>
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
                ['Ordered', <Count key="ordered" of={attributes.ordered_count} />],
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
        {outcome === 'ordered' ? (
          <Status meaning="done">Ordered</Status>
        ) : (
          <Status meaning="refused">Not ordered</Status>
        )}
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
