import { useParams } from '@tanstack/react-router'
import { Printer } from 'lucide-react'
import { terminal } from '@demarc/client/rules'
import { useRead } from '../api.ts'
import { IfAllowed, Page } from '../shell/page.tsx'
import { Loaded } from '../shell/loaded.tsx'
import {
  Card,
  Columns,
  Copyable,
  IconButton,
  Link,
  PageHead,
  PrimaryLink,
  Row,
  Skeleton,
  Stack,
  Status,
} from '../ui/index.ts'
import { CancelOrder } from './cancel.tsx'
import { Comments } from './comments.tsx'
import { DetailsCard } from './details-card.tsx'
import { Documents } from './documents.tsx'
import { GroupSummary } from './group.tsx'
import { LoaCard } from './loa.tsx'
import { Move } from './move.tsx'
import { NumbersCard } from './numbers-card.tsx'
import { PresetsCard } from './presets.tsx'
import { getOrderCall, refresh_ms, useRefetchOnChange } from './queries.ts'
import { RejectionCard } from './rejection.tsx'
import { Timeline } from './timeline.tsx'
import { meaningOf, numbersText, orderTitle, statusText, type PortOrder } from './words.ts'

/** What is this order waiting on, and until when? */
export function PortOrderPage() {
  const { order: id } = useParams({ from: '/signed-in/port-orders/$order' })
  const order = useRead(
    'getPortOrder',
    { params: { portorder_id: id } },
    {
      // the carrier and the operator change the order in the meantime
      refetchInterval: ({ state }) =>
        state.data === undefined || terminal(state.data.data.attributes.status) ? false : refresh_ms,
    },
  )
  return (
    <Loaded
      query={order}
      skeleton={<Skeleton rows={6} tall />}
      head={<PageHead before={<Link to="/port-orders">Port orders</Link>} title={`Port order ${id}`} />}
    >
      {({ data }) => <OrderView order={data} />}
    </Loaded>
  )
}

function OrderView({ order }: { order: PortOrder }) {
  const { status, rejection, group_id, numbers_count, provider } = order.attributes
  useRefetchOnChange(order)
  return (
    <Page
      before={<Link to="/port-orders">Port orders</Link>}
      title={orderTitle(order)}
      facts={
        <Row>
          <Status meaning={meaningOf(status)}>{statusText(status)}</Status>
          <span>
            Order <Copyable text={order.id} label="the order’s id" /> · {numbersText(numbers_count)} from {provider}
          </span>
        </Row>
      }
      call={getOrderCall(order.id)}
      verb={<OrderVerbs order={order} />}
    >
      <Move order={order} />
      {status === 'Rejected' && rejection !== null && <RejectionCard order={order} rejection={rejection} />}
      <Columns>
        <Stack>
          <Timeline order={order} />
          <Comments order={order} />
          <LoaCard order={order} />
        </Stack>
        <Stack>
          <GroupSummary id={group_id} without={order.id} />
          <NumbersCard order={order} />
          <PresetsCard order={order} />
          <Card title="Documents">
            <Documents order={order} />
          </Card>
          <DetailsCard order={order} />
        </Stack>
      </Columns>
    </Page>
  )
}

const OrderVerbs = ({ order }: { order: PortOrder }) => (
  <>
    <IconButton name="Print" icon={<Printer />} onPress={() => window.print()} />
    <CancelOrder order={order} />
    {order.attributes.status === 'Pending' && (
      <IfAllowed>
        <PrimaryLink to="/port-orders/new" search={{ order: order.id }}>
          Continue
        </PrimaryLink>
      </IfAllowed>
    )}
  </>
)
