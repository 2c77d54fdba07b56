import { portOrders as api } from '@demarc/client'
import { accountNames } from '../accounts/index.ts'
import { partyOf } from '../platform/actor.ts'
import type { Context, Deps, WriteContext } from '../platform/context.ts'
import type { Executor } from '../platform/db.ts'
import { bind, link, type Binding } from '../platform/http/binding.ts'
import { paged, pageOf } from '../platform/http/pages.ts'
import { streamedList } from '../platform/http/streamed-list.ts'
import { invalid } from '../platform/problem.ts'
import type { Storage } from '../platform/storage.ts'
import { ownTurn } from '../platform/turns.ts'
import * as actions from './actions.ts'
import { previewCompletion } from './completion.ts'
import { createOrders, orderCost, previewOrders } from './create.ts'
import * as document from './document.ts'
import * as edits from './edits.ts'
import type { PortOrderDependencies } from './dependencies.ts'
import { calendarRoutes } from './foc-calendar/routes.ts'
import { newOrderErrors } from './new-order.ts'
import { changeNumbers, numberChangeErrors } from './number-edits.ts'
import { withFirstNumbers, withNumbers } from './numbers-store.ts'
import { limits, numberFilter, toSecond } from './rules.ts'
import { formOf, signingFieldErrors, signLoa, verifyLoa } from './signing.ts'
import * as store from './store.ts'
import { loadOrder, requireOrder, seesPrivate, viewOf, viewsOf } from './view.ts'

export const portOrderRoutes =
  (dependencies: PortOrderDependencies & { storage: Storage }) =>
  (deps: Deps): Binding[] => [
    ...orderRoutes(deps, dependencies),
    ...editRoutes(deps, dependencies),
    ...timelineRoutes(deps),
    ...checkRoutes(dependencies),
    ...loaRoutes(deps, dependencies),
    ...operatorRoutes(deps, dependencies),
    ...calendarRoutes(),
  ]

const responseOf = async (c: Context, order: store.Order) => ({
  body: document.orderDocument(c, await viewOf(c.tx, order, seesPrivate(c.actor))),
})

/** The attributes of an order as a GET shows them, to compare with a body that repeats them; null when there is no such order. */
const attributesOf = async (
  c: Context,
  id: string,
  load: (db: Executor, row: store.OrderRow) => Promise<store.Order>,
) => {
  const row = await store.findOrder(c.tx, c.actor, id)
  return row && document.orderResource(c, await viewOf(c.tx, await load(c.tx, row), seesPrivate(c.actor))).attributes
}

/** For a body with writable `numbers`: they are not compared here. */
const currentWithoutNumbers = async ({ context }: { context: Context }, id: string) =>
  (await attributesOf(context, id, (_, row) => Promise.resolve({ ...row, numbers: [] }))) ?? null

const orderRoutes = (deps: Deps, dependencies: PortOrderDependencies): Binding[] => [
  bind(
    api.createPortOrder,
    async ({ context, query, body }) =>
      query.dry_run === true
        ? { status: 200 as const, body: await previewOf(context, dependencies, body) }
        : { status: 201 as const, body: await createdOrders(context, dependencies, body) },
    {
      current: currentWithoutNumbers,
      check: ({ context, query }, valid, failing) =>
        newOrderErrors(context, dependencies, valid, query.dry_run === true ? 'shown' : 'refused', failing),
    },
  ),
  bind(
    api.listPortOrders,
    async ({ context, query: { limit = 10, offset = 0, number, group_id, status, who, ...filter }, self }) => {
      const value = number === undefined ? undefined : numberFilter(number)
      if (value === null) throw invalid({ number: ['Must be a US or Canadian number.'] })
      const statuses = status === undefined && who === undefined ? undefined : statusesOf(status, who)
      const none = (group_id !== undefined && !/^\d{1,18}$/.test(group_id)) || statuses?.length === 0
      const { tx, actor } = context
      return {
        stream: await streamedList({
          self,
          limit,
          offset,
          batch: limits.list_batch,
          fetch: async (page) => {
            const rows = none
              ? []
              : await store.listOrders(tx, actor, { ...filter, statuses, group_id, number: value }, page)
            const orders = rows.length === 0 ? [] : await withFirstNumbers(tx, rows, limits.listed_numbers)
            const views = await viewsOf(tx, orders, seesPrivate(actor))
            return views.map((view) => ({ ...view, id: view.order.id }))
          },
          show: (view) => document.orderResource(deps, view),
        }),
      }
    },
  ),
  bind(api.getPortOrder, async ({ context, params }) =>
    responseOf(context, await loadOrder(context, params.portorder_id)),
  ),
  bind(api.getPortOrderGroup, async ({ context, params }) => ({
    body: document.groupDocument(deps, params.group_id, await actions.requireGroup(context, params.group_id)),
  })),
]

const editRoutes = (deps: Deps, dependencies: PortOrderDependencies): Binding[] => [
  bind(
    api.updatePortOrder,
    async ({ context, params: { portorder_id: id }, body }) => {
      const { order, kind } = await edits.changeOrder(context, dependencies, id, body)
      return kind === 'cancel' ? { body: document.statusDocument(deps, order) } : await responseOf(context, order)
    },
    {
      current: currentWithoutNumbers,
      check: ({ context, params }, valid) => edits.changeFieldErrors(context, dependencies, params.portorder_id, valid),
    },
  ),
  bind(
    api.cancelPortOrder,
    async ({ context, params, body }) => {
      const { order } = await edits.changeOrder(context, dependencies, params.portorder_id, body)
      return { body: document.statusDocument(deps, order) }
    },
    { current: async ({ context }, id) => (await attributesOf(context, id, withNumbers)) ?? null },
  ),
  bind(api.getPortOrderStatus, async ({ context, params }) => ({
    body: document.statusDocument(deps, await requireOrder(context, params.portorder_id)),
  })),
  bind(
    api.changePortOrderNumbers,
    async ({ context, params, body: { add = [], remove = [] } }) =>
      responseOf(context, await changeNumbers(context, dependencies, params.portorder_id, { add, remove })),
    {
      check: async ({ context, params }, valid) =>
        numberChangeErrors(context, dependencies, await loadOrder(context, params.portorder_id), valid),
    },
  ),
  bind(api.resubmitPortOrder, async ({ context, params }) =>
    responseOf(context, await edits.resubmitOrder(context, dependencies, params.portorder_id)),
  ),
]

const timelineRoutes = (deps: Deps): Binding[] => [
  bind(api.listPortOrderComments, async ({ context, params, query, self }) => {
    const page = pageOf(query, 10)
    const { id } = await requireOrder(context, params.portorder_id)
    const rows = await store.listComments(context.tx, [id], seesPrivate(context.actor), page.fetch)
    return {
      body: paged(
        self,
        page,
        rows.map((row) => document.commentResource(deps, row)),
      ),
    }
  }),
  bind(
    api.addPortOrderComment,
    async ({ context, params, body }) => {
      const data = document.commentResource(deps, await edits.addComment(context, params.portorder_id, body))
      return { body: { data, links: data.links } }
    },
    {
      current: async ({ context, params }, id) => {
        const order = await requireOrder(context, params.portorder_id)
        const rows = await store.listComments(context.tx, [order.id], seesPrivate(context.actor))
        const row = rows.find((comment) => comment.id === id)
        return row ? document.commentResource(deps, row).attributes : null
      },
      check: async ({ context }, { private: requested }) => edits.commentErrors(context, requested),
    },
  ),
  bind(api.getPortOrderTimeline, async ({ context, params, query, self }) => {
    const page = pageOf(query, 10)
    const row = await requireOrder(context, params.portorder_id)
    const without = seesPrivate(context.actor) ? null : edits.privateComment
    const events = await store.listTimeline(context.tx, row, without, page.fetch)
    return { body: paged(self, page, events.map(timelineResource)) }
  }),
]

const checkRoutes = (dependencies: PortOrderDependencies): Binding[] => [
  bind(api.checkPortability, async ({ context, body }) => ({
    body: { data: await actions.portability(context, dependencies, body.numbers) },
  })),
  bind(api.checkPortOrder, async ({ context, params: { portorder_id: id } }) => {
    const attributes = await actions.checkOrder(context, dependencies, await loadOrder(context, id))
    return { body: { data: { type: 'portorder_check' as const, id, attributes } } }
  }),
  bind(api.previewCompletion, async ({ context, params: { portorder_id: id } }) => {
    const attributes = await previewCompletion(context, await loadOrder(context, id))
    return { body: { data: { type: 'portorder_completion' as const, id, attributes } } }
  }),
]

async function previewOf(c: WriteContext, dependencies: PortOrderDependencies, body: api.NewPortOrder) {
  const { orders, dispositions } = await previewOrders(c, dependencies, body)
  const priced = orders.map(({ carrier, ...order }) => ({
    ...order,
    provider: carrier,
    cost: orderCost(dependencies, order.numbers),
  }))
  return { data: { type: 'portorder_preview' as const, attributes: { orders: priced, dispositions } } }
}

async function createdOrders(c: WriteContext, dependencies: PortOrderDependencies, body: api.NewPortOrder) {
  const { orders, group_id, split } = await createOrders(c, dependencies, body)
  const views = await viewsOf(c.tx, orders, seesPrivate(c.actor))
  await ownTurn(split.dispositions.length)
  const [data, ...included] = views.map((view) => document.orderResource(c, view))
  if (!data) throw new Error('a valid request has at least one order')
  const dispositions = split.dispositions.map(({ given, number, order, reason }) => ({
    given,
    number,
    portorder_id: order === null ? null : (orders[order]?.id ?? null),
    reason,
  }))
  return { data, included, links: data.links, meta: { group_id, dispositions } }
}

type EventRow = Awaited<ReturnType<typeof store.listTimeline>>[number]

function timelineResource({ id, occurred_at, actor, type, data }: EventRow) {
  const by = partyOf(actor)
  // recordEvent writes an object
  const details = data as Record<string, unknown>
  const attributes = { event_type: type, occurred_at: toSecond(occurred_at), by, data: details }
  return { type: 'portorder_event' as const, id, attributes }
}

const loaRoutes = (deps: Deps, dependencies: PortOrderDependencies & { storage: Storage }): Binding[] => [
  bind(api.getLoa, async ({ context, params: { portorder_id: id } }) => {
    const attributes = await formOf(context, dependencies, id)
    const links = { self: link(deps, `/v2/portorders/${id}/loa`) }
    return { body: { data: { type: 'loa' as const, id, attributes, links }, links } }
  }),
  bind(
    api.submitLoa,
    async ({ context, params, body, headers, remote_ip }) => {
      const signer = { ip: remote_ip, user_agent: headers['user-agent'] ?? null }
      const { order, headers: sent } = await signLoa(context, dependencies, params.portorder_id, body, signer)
      return { ...(await responseOf(context, order)), headers: sent }
    },
    {
      check: ({ context, params }, valid) => signingFieldErrors(context, dependencies, params.portorder_id, valid),
    },
  ),
  bind(api.verifyLoa, async ({ context, params: { portorder_id: id }, stream }) => {
    const attributes = await verifyLoa(context, id, stream)
    return { body: { data: { type: 'loa_verification' as const, id, attributes } } }
  }),
]

/** The statuses, or the given one, in which `who` acts next. */
const statusesOf = (status: api.PortOrderStatus | undefined, who: api.NextActor | undefined) =>
  api.portOrderStatuses.filter(
    (s) => (status === undefined || s === status) && (who === undefined || api.nextSteps[s].who === who),
  )

const operatorRoutes = (deps: Deps, dependencies: PortOrderDependencies): Binding[] => [
  bind(api.listPortOrderQueue, async ({ context, query, self }) => {
    const page = pageOf(query, 10)
    const now = context.clock.now()
    const { status, who, overdue, account_id } = query
    const statuses = statusesOf(status, who).filter((s) => !api.terminal(s))
    const due = overdue === undefined ? {} : overdue ? { due_before: now } : { due_from: now }
    const filter = { statuses, account_id, ...due, ...page.fetch }
    const rows = statuses.length === 0 ? [] : await store.listQueue(context.tx, filter)
    return {
      body: paged(self, page, rows.map(await queuedResource(deps, context, rows))),
    }
  }),
  bind(api.getQueuedPortOrder, async ({ context, params: { portorder_id } }) => {
    const row = await requireOrder(context, portorder_id)
    const data = (await queuedResource(deps, context, [row]))(row)
    return { body: { data, links: data.links } }
  }),
  bind(api.transitionPortOrder, async ({ context, params, body }) => {
    const { order, warnings } = await actions.operatorTransition(context, dependencies, params.portorder_id, body)
    return { body: { ...(await responseOf(context, order)).body, meta: { warnings } } }
  }),
]

/** Returns how the queue shows these orders, with the names of their accounts. */
async function queuedResource(deps: Deps, { tx, clock }: Context, rows: readonly store.OrderRow[]) {
  const names = await accountNames(tx, [...new Set(rows.map(({ account_id }) => account_id))])
  const now = clock.now()
  return (row: store.OrderRow) => document.queuedResource(deps, row, names.get(row.account_id) ?? '', now)
}
