import { countText } from '@demarc/client/rules'
import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { q, useList } from '../api.ts'
import { refresh_ms } from '../port-orders/queries.ts'
import { Loaded } from '../shell/loaded.tsx'
import { PastTheEnd } from '../shell/paged-list.tsx'
import { usePageSearch } from '../shell/change-search.ts'
import { Page } from '../shell/page.tsx'
import { Button, EmptyState, FilterBar, FilterBy, Pager, Skeleton, Stack, toast } from '../ui/index.ts'
import css from './operator.module.css'
import { queueKeys, type VerbWords } from './keys.ts'
import { OrderPane, VerbButtons } from './order-pane.tsx'
import { useQueueKeys } from './queue-keys.ts'
import { linkIdOf, QueueTable } from './queue-table.tsx'
import { queueSearch, sides, type QueueSearch } from './search.ts'
import { VerbDialog } from './verb-dialog.tsx'
import { verbDisabledReason, type OperatorOrder, type QueuedOrder } from './verbs.ts'

/** Which orders need work next? */
export function QueuePage() {
  const { search, change, filter, page } = usePageSearch('/operator/queue')
  const who = search.who ?? 'operator'
  const turnTo = (side: QueueSearch['who']) => filter({ who: side, order: undefined })
  const query = { ...page, who: who === 'all' ? undefined : who }
  // customers and carriers change orders in the meantime
  const queue = useList('listPortOrderQueue', { query }, { refetchInterval: refresh_ms })
  const command = `demarc queue list${who === 'all' ? '' : ` --who ${who}`}`
  return (
    <Page
      title="Queue"
      facts="Open port orders of all accounts, by due date."
      call={{ operation: 'listPortOrderQueue', input: { query }, command }}
    >
      <FilterBar>
        <FilterBy label="Waiting on" labels={sideWords} value={who} onChange={turnTo} />
      </FilterBar>
      <Loaded query={queue} skeleton={<Skeleton rows={10} tall />}>
        {({ data, links }) =>
          data.length === 0 && search.offset !== undefined ? (
            <PastTheEnd onFirst={() => change({ offset: undefined, order: undefined })} />
          ) : (
            <Stack gap="narrow">
              <QueuePanes
                key={who}
                orders={data}
                shown={search.order}
                advances={who !== 'all'}
                busy={queue.isPlaceholderData}
                onShow={(order) => change({ order })}
                onTurn={turnTo}
              />
              <Pager
                {...page}
                shown={data.length}
                hasNext={links.next !== undefined}
                onChange={(offset) => change({ offset, order: undefined })}
              />
            </Stack>
          )
        }
      </Loaded>
    </Page>
  )
}

const sideWords = {
  operator: 'Waiting on us',
  carrier: 'Waiting on carrier',
  account: 'Waiting on customer',
  all: 'All',
} as const satisfies Record<(typeof sides)[number], string>

interface QueuePanesProps {
  orders: readonly QueuedOrder[]
  /** The open order. */
  shown: string | undefined
  /** After a transition, opens the next order because this one leaves the list. */
  advances: boolean
  busy: boolean
  onShow(order: string | undefined): void
  onTurn(side: (typeof sides)[number]): void
}

/** The list, the open order, and their keys. */
function QueuePanes({ orders, shown, advances, busy, onShow, onTurn }: QueuePanesProps) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [opened, setOpened] = useState<{ words: VerbWords; orders: readonly OperatorOrder[] } | null>(null)
  const chosen = orders.filter(({ id }) => selected.has(id))
  const act = (words: VerbWords, of: readonly OperatorOrder[]) => setOpened({ words, orders: of })
  usePaneKeys({ orders, chosen, onShow, onTurn, setSelected, onAct: act })
  const onDone = () => {
    const done = new Set(opened?.orders.map(({ id }) => id))
    setOpened(null)
    setSelected(new Set())
    if (advances && shown !== undefined && done.has(shown)) onShow(nextAfter(shown, orders, done))
  }
  return (
    <>
      <div className={css.queueLayout} data-open={shown !== undefined}>
        <div className={css.list}>
          {orders.length === 0 ? (
            <NothingLeft />
          ) : (
            <Stack gap="narrow">
              <QueueTable orders={orders} current={shown} selection={{ selected, onChange: setSelected }} busy={busy} />
              <Legend />
            </Stack>
          )}
        </div>
        {shown !== undefined && <OrderPane key={shown} id={shown} onAct={act} />}
      </div>
      {chosen.some(({ id }) => id !== shown) && (
        <Bulk orders={chosen} onAct={act} onClear={() => setSelected(new Set())} />
      )}
      {opened !== null && <VerbDialog {...opened} onClose={() => setOpened(null)} onDone={onDone} />}
    </>
  )
}

/** The next order that is not done; the previous one if there is none. */
function nextAfter(id: string, orders: readonly QueuedOrder[], done: ReadonlySet<string>): string | undefined {
  const at = orders.findIndex((each) => each.id === id)
  const isLeft = (each: QueuedOrder) => !done.has(each.id)
  return (orders.slice(at + 1).find(isLeft) ?? orders.slice(0, Math.max(0, at)).findLast(isLeft))?.id
}

interface PaneKeysProps extends Pick<QueuePanesProps, 'orders' | 'onShow' | 'onTurn'> {
  chosen: readonly QueuedOrder[]
  setSelected(change: (before: ReadonlySet<string>) => ReadonlySet<string>): void
  onAct(words: VerbWords, orders: readonly OperatorOrder[]): void
}

function usePaneKeys({ orders, chosen, onShow, onTurn, setSelected, onAct }: PaneKeysProps): void {
  const cache = useQueryClient()
  const navigate = useNavigate()
  const shownNow = useShownNow()
  const readOnly = useReadOnlyReason()
  const placeOf = (id: string | undefined) => orders.findIndex((each) => each.id === id)
  const step = (by: 1 | -1) => {
    const at = placeOf(shownNow())
    const next = orders[at === -1 ? 0 : at + by]
    if (next === undefined) return
    onShow(next.id)
    document.getElementById(linkIdOf(next.id))?.focus()
  }
  useQueueKeys({
    step,
    toggle() {
      const id = shownNow()
      if (id !== undefined) setSelected((before) => before.symmetricDifference(new Set([id])))
    },
    gather() {
      const id = shownNow()
      if (id !== undefined) setSelected((before) => before.union(new Set([id])))
      step(1)
    },
    turnTo(place) {
      const side = sides[place]
      if (side !== undefined) onTurn(side)
    },
    open() {
      const id = shownNow()
      if (id === undefined) return
      const account = (orders[placeOf(id)] ?? holderShown(cache, id))?.attributes.account_id
      void navigate({ to: '/port-orders/$order', params: { order: id }, search: account ? { account } : {} })
    },
    act(words) {
      const id = shownNow()
      const of = chosen.length > 0 ? chosen : id === undefined ? [] : [orderShown(cache, id) ?? orders[placeOf(id)]]
      const able = of.filter((each) => each !== undefined)
      const disabledReason = readOnly ?? verbDisabledReason(words.verb, able)
      if (disabledReason === null) onAct(words, able)
      else toast(disabledReason)
    },
  })
}

/** The order the keys are on. The page follows a little later, and fast typing must not hit the previous order. */
function useShownNow(): () => string | undefined {
  const router = useRouter()
  return () => queueSearch(router.latestLocation.search).order
}

/** The open order, which is newer than its row. */
const orderShown = (cache: QueryClient, id: string): OperatorOrder | undefined =>
  cache.getQueryData(q('getPortOrder', { params: { portorder_id: id } }).queryKey)?.data

/** The account of an order that is not in the list. */
const holderShown = (cache: QueryClient, id: string): QueuedOrder | undefined =>
  cache.getQueryData(q('getQueuedPortOrder', { params: { portorder_id: id } }).queryKey)?.data

interface BulkProps {
  orders: readonly QueuedOrder[]
  onAct(words: VerbWords, orders: readonly OperatorOrder[]): void
  onClear(): void
}

function Bulk({ orders, onAct, onClear }: BulkProps) {
  return (
    <section className={css.bulk} aria-label="Selected orders">
      <strong>{countText(orders.length, 'order')} selected</strong>
      <VerbButtons orders={orders} onAct={onAct} />
      <Button kind="plain" size="small" onPress={onClear}>
        Clear
      </Button>
    </section>
  )
}

function Legend() {
  return (
    <p className={css.legend}>
      {queueKeys.map(([key, does]) => (
        <span key={key}>
          <kbd>{key}</kbd> {does}
        </span>
      ))}
      <span>Press the key shown on a button to use it.</span>
    </p>
  )
}

function NothingLeft() {
  return (
    <EmptyState title="No orders here">
      Orders appear when a customer signs or resubmits, or when a carrier needs to respond. Choose another filter above
      to see the other open orders.
    </EmptyState>
  )
}
