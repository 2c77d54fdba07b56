import { useReadOnlyReason } from '../account.ts'
import { useRead } from '../api.ts'
import { Comments } from '../port-orders/comments.tsx'
import { NumbersCard } from '../port-orders/numbers-card.tsx'
import { refresh_ms, useRefetchOnChange } from '../port-orders/queries.ts'
import { Timeline } from '../port-orders/timeline.tsx'
import { numbersText, type PortOrder, stageOf, stagesInShort, statusText } from '../port-orders/words.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Button, Card, Day, Facts, Link, Row, Skeleton, Soft, Stack, StageStrip, Status, Time } from '../ui/index.ts'
import css from './operator.module.css'
import { keyText, operatorVerbs, type VerbWords } from './keys.ts'
import { operatorMeaning, type OperatorOrder, operatorTitle, type QueuedOrder, verbDisabledReason } from './verbs.ts'

type OnAct = (words: VerbWords, orders: readonly OperatorOrder[]) => void

/** The selected order with its history. */
export function OrderPane({ id, onAct }: { id: string; onAct: OnAct }) {
  // closed orders are not in the queue
  const queued = useRead('getQueuedPortOrder', { params: { portorder_id: id } })
  const order = useRead('getPortOrder', { params: { portorder_id: id } }, { refetchInterval: refresh_ms })
  return (
    <section className={css.pane} aria-label="Order details">
      <p className={css.onlyNarrow}>
        <Link to="/operator/queue" search={(before) => ({ ...before, order: undefined })}>
          Back to the queue
        </Link>
      </p>
      <Loaded query={order} skeleton={<Skeleton rows={6} tall />}>
        {({ data }) => (
          <>
            <Work order={data} holder={queued.data?.data.attributes ?? null} onAct={onAct} />
            <Timeline order={data} />
            <Comments order={data} />
            <NumbersCard order={data} />
          </>
        )}
      </Loaded>
    </section>
  )
}

type Holder = Pick<QueuedOrder['attributes'], 'account_id' | 'account_name'>

function Work({ order, holder, onAct }: { order: PortOrder; holder: Holder | null; onAct: OnAct }) {
  const { status, next } = order.attributes
  const at = stageOf[status]
  useRefetchOnChange(order)
  return (
    <Card title={operatorTitle(order)} aside={<Status meaning={operatorMeaning(status)}>{statusText(status)}</Status>}>
      <Stack gap="narrow">
        {at !== null && (
          <StageStrip label="Progress" stages={stagesInShort} at={at} meaning={operatorMeaning(status)} terse />
        )}
        <p role="status">{next.what}</p>
        <VerbButtons orders={[order]} onAct={onAct} />
        <OrderFacts order={order} holder={holder} />
        <p>
          <Link
            to="/port-orders/$order"
            params={{ order: order.id }}
            search={holder === null ? {} : { account: holder.account_id }}
          >
            View as customer
          </Link>
        </p>
      </Stack>
    </Card>
  )
}

function OrderFacts({ order: { id, attributes }, holder }: { order: PortOrder; holder: Holder | null }) {
  const { completion_date, desired_completion_date, next, numbers_count, provider, provider_account } = attributes
  return (
    <Facts
      facts={[
        ['Order', id],
        ...(holder === null
          ? []
          : [
              [
                'Account',
                <Link key="account" to="/operator/accounts/$account" params={{ account: holder.account_id }}>
                  {holder.account_name}
                </Link>,
              ] as const,
            ]),
        ['Numbers', numbersText(numbers_count)],
        [
          'Losing carrier',
          <span key="carrier">
            {provider}
            {provider_account !== '' && <Soft below>Account number: {provider_account}</Soft>}
          </span>,
        ],
        ...(desired_completion_date === null
          ? []
          : [['Requested date', <Day key="d" value={desired_completion_date} weekday />] as const]),
        ...(completion_date === null ? [] : [['FOC date', <Day key="f" value={completion_date} weekday />] as const]),
        ...(next.due_at === null ? [] : [['Due', <Time key="t" at={next.due_at} />] as const]),
      ]}
    />
  )
}

/** All verbs of the queue; those that the transition table forbids say why. */
export function VerbButtons({ orders, onAct }: { orders: readonly OperatorOrder[]; onAct: OnAct }) {
  const readOnly = useReadOnlyReason()
  return (
    <Row>
      {operatorVerbs.map((words) => (
        <Button
          key={words.verb}
          size="small"
          kind={words.verb === 'cancel' ? 'danger' : 'secondary'}
          disabledReason={readOnly ?? verbDisabledReason(words.verb, orders)}
          onPress={() => onAct(words, orders)}
          aria-keyshortcuts={words.verb === 'cancel' ? 'Shift+C' : words.key}
        >
          {words.label}{' '}
          <kbd aria-hidden="true" className={css.key}>
            {keyText(words)}
          </kbd>
        </Button>
      ))}
    </Row>
  )
}
