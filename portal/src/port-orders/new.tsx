import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useRead } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Page } from '../shell/page.tsx'
import { Link, Skeleton, type Step, Stepper } from '../ui/index.ts'
import { DraftCarrierStep, SavedCarrierStep } from './carrier-step.tsx'
import { useDraft } from './draft.ts'
import { GroupSummary } from './group.tsx'
import { LoaStep } from './loa-step.tsx'
import { DraftNumbersStep, SavedNumbersStep } from './numbers-step.tsx'
import { checkOf, getOrderCall } from './queries.ts'
import { newOrderSteps, type NewOrderStep } from '../search.ts'
import { DocumentsStep, DoneStep, PresetsStep } from './steps.tsx'
import { orderTitle, type PortOrder } from './words.ts'

const titles = {
  numbers: 'Numbers',
  carrier: 'Losing carrier',
  documents: 'Documents',
  presets: 'On completion',
  loa: 'Letter of Agency',
  done: 'Done',
} as const satisfies Record<NewOrderStep, string>

/** Creates a port order, step by step. */
export function NewPortOrderPage() {
  const { order, step } = useSearch({ from: '/signed-in/port-orders/new' })
  return order === undefined ? (
    <DraftSteps at={step === 'carrier' ? 'carrier' : 'numbers'} />
  ) : (
    <OrderSteps id={order} />
  )
}

/** Opens a step; includes the order's id once it exists. */
function useGo(order: string | undefined) {
  const navigate = useNavigate()
  return (step: NewOrderStep) => void navigate({ to: '/port-orders/new', search: { order, step } })
}

/** The steps before the order is created. */
function DraftSteps({ at }: { at: 'numbers' | 'carrier' }) {
  const go = useGo(undefined)
  const [{ numbers }] = useDraft()
  const shown = numbers.length === 0 ? 'numbers' : at
  return (
    <Page
      before={<Link to="/port-orders">Port orders</Link>}
      title="Port numbers"
      facts="Move numbers from another carrier to this account. Nothing is sent to the carrier until you sign."
      call={{ operation: 'createPortOrder', command: 'demarc port create' }}
    >
      <Stepper
        label="Steps of a port order"
        steps={newOrderSteps.map((id): Step => ({
          id,
          title: titles[id],
          disabledReason:
            id === 'numbers'
              ? null
              : numbers.length === 0
                ? 'Start with the numbers.'
                : id === 'carrier'
                  ? null
                  : 'Start with the losing carrier.',
        }))}
        at={shown}
        done={new Set(numbers.length === 0 ? [] : ['numbers'])}
        onGo={(id) => go(id === 'carrier' ? 'carrier' : 'numbers')}
      >
        {shown === 'numbers' ? <DraftNumbersStep onDone={() => go('carrier')} /> : <DraftCarrierStep />}
      </Stepper>
    </Page>
  )
}

function OrderSteps({ id }: { id: string }) {
  const order = useRead('getPortOrder', { params: { portorder_id: id } })
  return (
    <Loaded query={order} skeleton={<Skeleton rows={6} tall />}>
      {({ data }) => <StepsOfOrder order={data} />}
    </Loaded>
  )
}

/** The steps of a created order. Each is saved as it is completed, so the customer can leave and return. */
function StepsOfOrder({ order }: { order: PortOrder }) {
  const { step } = useSearch({ from: '/signed-in/port-orders/new' })
  const go = useGo(order.id)
  const check = useQuery(checkOf(order.id))
  const { status, presets, business_documents, group_id } = order.attributes
  const signed = status !== 'Pending'
  const done = new Set<NewOrderStep>([
    'numbers',
    ...(check.data?.data.attributes.ok === true || signed ? (['carrier'] as const) : []),
    ...(business_documents.length > 0 ? (['documents'] as const) : []),
    ...(Object.values(presets).some((each) => each !== null) ? (['presets'] as const) : []),
    ...(signed ? (['loa', 'done'] as const) : []),
  ])
  const at = signed ? 'done' : step === undefined || step === 'done' ? firstOpen(done) : step
  return (
    <Page
      before={<Link to="/port-orders">Port orders</Link>}
      title={orderTitle(order)}
      facts={
        <>
          <Link to="/port-orders/$order" params={{ order: order.id }}>
            Order {order.id}
          </Link>{' '}
          is saved. You can leave and come back later.
        </>
      }
      call={getOrderCall(order.id)}
    >
      <GroupSummary id={group_id} without={order.id} />
      <Stepper
        label="Steps of a port order"
        steps={newOrderSteps.map((each): Step => ({
          id: each,
          title: titles[each],
          disabledReason: stepDisabledReason(each, signed),
        }))}
        at={at}
        done={done}
        onGo={(each) => go(newOrderSteps.find((name) => name === each) ?? 'numbers')}
      >
        <StepOfOrder key={at} at={at} order={order} go={go} />
      </Stepper>
    </Page>
  )
}

const firstOpen = (done: ReadonlySet<NewOrderStep>): NewOrderStep =>
  (['carrier', 'documents'] as const).find((each) => !done.has(each)) ?? 'loa'

function stepDisabledReason(step: NewOrderStep, signed: boolean): string | null {
  if (signed) return step === 'done' ? null : 'The letter is signed. Further changes are on the order’s page.'
  return step === 'done' ? 'Sign the LOA first.' : null
}

function StepOfOrder({ at, order, go }: { at: NewOrderStep; order: PortOrder; go(step: NewOrderStep): void }) {
  switch (at) {
    case 'numbers':
      return <SavedNumbersStep order={order} onDone={() => go('carrier')} />
    case 'carrier':
      return <SavedCarrierStep order={order} onDone={() => go('documents')} />
    case 'documents':
      return <DocumentsStep order={order} onDone={() => go('presets')} />
    case 'presets':
      return <PresetsStep order={order} onDone={() => go('loa')} />
    case 'loa':
      return <LoaStep order={order} go={go} />
    case 'done':
      return <DoneStep order={order} />
  }
}
