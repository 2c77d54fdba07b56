import { countText } from '@demarc/client/rules'
import type { UseQueryResult } from '@tanstack/react-query'
import { type Body, useRead } from '../api.ts'
import { operatorTitle, type QueuedOrder } from '../operator/verbs.ts'
import { isOverdue } from '../ingest/words.ts'
import { failingText } from '../jobs/words.ts'
import { refresh_ms } from '../port-orders/queries.ts'
import { statusText } from '../port-orders/words.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Page } from '../shell/page.tsx'
import { Card, Link, Skeleton, Stack } from '../ui/index.ts'
import { More, Tasks, type Task } from './tasks.tsx'

/** Rows shown; the queue has all. */
const shown_max = 6
/** Names counted here; the approvals page has all. */
const names_max = 20
const queue = { who: 'operator', limit: shown_max } as const

/** Which orders and service problems need the operator? */
export function OperatorOverview() {
  return (
    <Page
      title="Overview"
      facts="Open tasks and service health."
      call={{
        operation: 'listPortOrderQueue',
        input: { query: queue },
        command: 'demarc queue list --who operator',
      }}
    >
      <NeedsUs />
    </Page>
  )
}

function NeedsUs() {
  const orders = useRead('listPortOrderQueue', { query: queue }, { refetchInterval: refresh_ms })
  const requests = useCustomerRequests()
  const { names, numberOrders, portouts } = requests
  const kinds = useRead('listJobKinds')
  const failing = useRead('listFailingReceivers')
  const arrivals = useRead('getCdrIngestSummary')
  const datasets = useRead('listE911Datasets')
  const alerts = useRead('listAlerts', { query: { limit: shown_max } }, { refetchInterval: refresh_ms })
  const accounts = useRead('listAccounts', { query: { limit: 1 } })
  const missing = firstMissing([
    orders,
    ...Object.values(requests),
    kinds,
    failing,
    arrivals,
    datasets,
    alerts,
    accounts,
  ])
  const hasAccount = accounts.data?.data.length !== 0
  const hasStreets = datasets.data?.data.some(({ attributes }) => attributes.status === 'active') === true
  const hasCalls = arrivals.data?.data.attributes.last_received_at != null
  // many installations use only one of the two
  const isNew = !hasAccount || (!hasStreets && !hasCalls)
  const tasks = [
    ...(alerts.data?.data ?? []).map(alertTask),
    ...(orders.data?.data ?? []).map(orderTask),
    ...portoutTask(portouts.data?.data ?? []),
    ...nameTask(names.data?.data.length ?? 0),
    ...numberOrderTask(numberOrders.data?.data.length ?? 0),
    ...jobTask((kinds.data?.data ?? []).reduce((sum, { attributes }) => sum + attributes.dead, 0)),
    ...receiverTask(failing.data?.data.length ?? 0),
    ...arrivalTask(arrivals.data),
  ]
  if (missing !== undefined)
    return (
      <Loaded query={missing} skeleton={<Skeleton rows={6} tall />}>
        {() => null}
      </Loaded>
    )
  return (
    <Stack>
      {isNew && (
        <Card title="First steps" flush>
          <Tasks tasks={firstSteps({ hasAccount, hasStreets, hasCalls })} empty="" />
        </Card>
      )}
      {(tasks.length > 0 || !isNew) && (
        <Card title="Needs your attention" flush>
          <Tasks
            tasks={tasks}
            more={orders.data?.links.next !== undefined && <More to="/operator/queue">View queue</More>}
            empty="Port orders waiting on you, port-outs, names and orders to approve, failed jobs, failing endpoints, and damaged data appear here."
          />
        </Card>
      )}
    </Stack>
  )
}

/** What customers and other carriers have asked for. */
const useCustomerRequests = () => ({
  names: useRead('listCnams', { query: { is_approved: false, is_rejected: false, limit: names_max } }),
  numberOrders: useRead('listNumberOrdersAsOperator', { query: { status: 'pending_approval', limit: names_max } }),
  portouts: useRead('listPortouts', { query: { status: 'open', limit: names_max } }),
})

/** The failed query, or else one still loading. */
const firstMissing = (queries: readonly UseQueryResult[]): UseQueryResult | undefined => {
  const missing = queries.filter(({ data }) => data === undefined)
  return missing.find(({ error }) => error !== null) ?? missing[0]
}

const orderTask = (order: QueuedOrder): Task => ({
  id: `order ${order.id}`,
  state: statusText(order.attributes.status),
  what: (
    <Link to="/operator/queue" search={{ order: order.id }}>
      {operatorTitle(order)}
    </Link>
  ),
  todo: `${order.attributes.account_name}: ${order.attributes.next.what}`,
  due_at: order.attributes.next.due_at,
})

const alertTask = ({ id, attributes }: Body<'listAlerts'>['data'][number]): Task => ({
  id: `alert ${id}`,
  state: attributes.kind === 'file-damaged' ? 'File damaged' : 'Calls missing',
  meaning: 'refused',
  what: (
    <Link to="/operator/audit" search={{ subject: 'alert', subject_id: id }}>
      {attributes.message}
    </Link>
  ),
  todo: 'It is not served until it is restored.',
})

const nameTask = (count: number): Task[] =>
  oneOf(count, {
    id: 'names',
    state: 'To approve',
    what: (
      <Link to="/operator/approvals">
        {count === 1
          ? '1 caller ID name awaiting approval'
          : `${count === names_max ? 'At least ' : ''}${count} caller ID names awaiting approval`}
      </Link>
    ),
    todo: 'Customers can’t use a name until it is approved.',
  })

const numberOrderTask = (count: number): Task[] =>
  oneOf(count, {
    id: 'number orders',
    state: 'To approve',
    what: (
      <Link to="/operator/approvals/orders">
        {count === 1
          ? '1 number order awaiting approval'
          : `${count === names_max ? 'At least ' : ''}${count} number orders awaiting approval`}
      </Link>
    ),
    todo: 'Their numbers are reserved until you decide.',
  })

const portoutTask = (open: Body<'listPortouts'>['data']): Task[] =>
  oneOf(open.length, {
    id: 'port-outs',
    state: 'Open',
    what: (
      <Link to="/operator/port-outs" search={{ status: 'open' }}>
        {open.length === 1
          ? '1 open port-out'
          : `${open.length === names_max ? 'At least ' : ''}${open.length} open port-outs`}
      </Link>
    ),
    todo: 'Confirm or reject each before its deadline.',
    due_at: open.map(({ attributes }) => `${attributes.complete_by}T12:00:00Z`).toSorted()[0] ?? null,
  })

const jobTask = (count: number): Task[] =>
  oneOf(count, {
    id: 'jobs',
    state: 'Failed',
    meaning: 'refused',
    what: (
      <Link to="/operator/jobs" search={{ job: 'dead' }}>
        {countText(count, 'job')} failed permanently
      </Link>
    ),
    todo: 'Each job lists its effect. Fix the cause, then retry.',
  })

const receiverTask = (count: number): Task[] =>
  oneOf(count, {
    id: 'receivers',
    state: 'Failing',
    what: (
      <Link to="/operator/jobs" search={{ view: 'deliveries' }}>
        {failingText(count)}
      </Link>
    ),
    todo: 'Notifications are retried for three days.',
  })

const arrivalTask = (summary: Body<'getCdrIngestSummary'> | undefined): Task[] =>
  oneOf(summary !== undefined && isOverdue(summary.data.attributes) ? 1 : 0, {
    id: 'call records',
    state: 'Overdue',
    what: <Link to="/operator/ingest">Call records are overdue</Link>,
    todo: 'Check that the switch is delivering them.',
  })

const oneOf = (count: number, task: Task): Task[] => (count === 0 ? [] : [task])

/** Setup steps of a new installation. */
const firstSteps = ({
  hasAccount,
  hasStreets,
  hasCalls,
}: Record<'hasAccount' | 'hasStreets' | 'hasCalls', boolean>): Task[] => [
  {
    id: 'account',
    ...stepState(hasAccount),
    what: <Link to="/operator/accounts">Create an account</Link>,
    todo: 'Accounts hold numbers, port orders, and call records. Then invite the first owner or create an access key.',
  },
  {
    id: 'streets',
    ...stepState(hasStreets),
    what: <Link to="/operator/street-data">Load street data</Link>,
    todo: 'Without it, only the city, state, and postal code of an emergency address are checked.',
  },
  {
    id: 'calls',
    ...stepState(hasCalls),
    what: <Link to="/operator/ingest">Deliver call records</Link>,
    todo: 'Your switch or rating system sends them to POST /operator/cdrs. To try it, upload a file.',
  },
  {
    id: 'people',
    state: 'Optional',
    meaning: 'quiet',
    what: <Link to="/settings">Invite your colleagues</Link>,
    todo: 'Each person gets their own sign-in, and the audit log records actions by name.',
  },
]

const stepState = (done: boolean): Pick<Task, 'state' | 'meaning'> =>
  done ? { state: 'Done', meaning: 'done' } : { state: 'To do' }
