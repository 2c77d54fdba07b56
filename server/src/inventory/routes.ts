import { inventory as api, inventoryOperator as operatorApi, numberOrders as ordersApi } from '@demarc/client'
import { numberDocument, prefixRange, requireNumber } from '../numbers/index.ts'
import type { Context, Deps } from '../platform/context.ts'
import { bind, bindPrepared, type Binding, type Routes } from '../platform/http/binding.ts'
import { pageLinks, paged, pageOf, type Page } from '../platform/http/pages.ts'
import * as actions from './actions.ts'
import * as approvals from './approvals.ts'
import type { Outbound } from '../platform/outbound/index.ts'
import { throwIfInvalid } from '../platform/problem.ts'
import { createAvailability, type Availability } from './availability.ts'
import {
  availableResource,
  groupResource,
  inventoryResource,
  orderDocument,
  orderResource,
  releaseDocument,
  reservationDocument,
  reservationResource,
} from './document.ts'
import { loadInventory } from './load.ts'
import { changeInventory, listStock, listUtilization } from './operator.ts'
import * as orders from './orders.ts'
import * as ordersStore from './orders-store.ts'
import { portoutBindings } from './portouts/routes.ts'
import { policyBindings } from './policy-routes.ts'
import * as reservations from './reservations.ts'
import type { AgingDays } from './rules.ts'
import * as store from './store.ts'

const page_default = 10

interface Dependencies {
  config: { aging_days: AgingDays; inventory_low_below: number }
  outbound: Outbound
}

export const inventoryRoutes =
  ({ config, outbound }: Dependencies): Routes =>
  (deps) => {
    const availability = createAvailability(deps.db)
    return [
      ...searchBindings(deps, availability),
      ...numberBindings(deps, config.aging_days),
      ...orderBindings(deps, availability, outbound),
      ...reservationBindings(deps, outbound),
      ...portoutBindings(deps),
      ...operatorBindings(config.inventory_low_below),
      ...policyBindings(deps),
    ]
  }

const searchBindings = (deps: Deps, availability: Availability): Binding[] => [
  bind(api.listAvailableNumbers, async ({ context: { actor }, query: { limit, offset, ...filter }, self }) => {
    const page = pageOf({ limit, offset }, page_default)
    return await availability.search(filter, actor.account_id, (found) => {
      const data = found
        .page(page.limit, page.offset)
        .map(({ number, profile_id }) => availableResource(deps, String(number), found.profileOf(profile_id)))
      return { body: counted(self, page, data, found.total) }
    })
  }),
  bind(api.listAvailableAreaCodes, async ({ context: { actor }, query: { limit, offset, max_setup_cost }, self }) => {
    const groups = await availability.search({ max_setup_cost }, actor.account_id, (found) =>
      found.groups(areacode_size),
    )
    const page = pageOf({ limit, offset }, page_default)
    const data = partOf(groups, page).map((group) => groupResource(deps, 'areacode', group))
    return { body: counted(self, page, data, groups.length) }
  }),
  bind(
    api.listAvailableExchanges,
    async ({ context: { actor }, query: { limit, offset, areacode, max_setup_cost }, self }) => {
      const starts_with = areacode === undefined ? undefined : `1${areacode}`
      const groups = await availability.search({ starts_with, max_setup_cost }, actor.account_id, (found) =>
        found.groups(exchange_size),
      )
      const page = pageOf({ limit, offset }, page_default)
      const data = partOf(groups, page).map((group) => groupResource(deps, 'exchange', group))
      return { body: counted(self, page, data, groups.length) }
    },
  ),
]

const numberBindings = (deps: Deps, aging_days: AgingDays): Binding[] => [
  bind(ordersApi.orderNumber, async ({ context, params, body }) => {
    const pending = await actions.orderNumber(context, params.number, body)
    if (pending) return { status: 202 as const, body: orderDocument(deps, pending) }
    return documentOf(deps, context, params.number)
  }),
  bind(api.releaseNumber, async ({ context, params, query }) => {
    if (query.dry_run)
      return { body: releaseDocument(await actions.previewRelease(context, params.number, aging_days)) }
    await actions.releaseNumber(context, params.number, aging_days)
    return { status: 204 as const, body: undefined }
  }),
  bind(api.restoreNumber, async ({ context, params }) => {
    await actions.restoreNumber(context, params.number)
    return documentOf(deps, context, params.number)
  }),
]

const documentOf = async (deps: Deps, context: Context, number: string) => ({
  body: numberDocument(deps, await requireNumber(context, number)),
})

/** Errors of a callback URL that can be refused without DNS. */
const callbackErrors = (outbound: Outbound, url: string | undefined): Record<string, string[]> => {
  const refusal = url === undefined ? null : outbound.checkUrl(url)
  return refusal ? { callback_url: [refusal.detail] } : {}
}

const orderBindings = (deps: Deps, availability: Availability, outbound: Outbound): Binding[] => [
  bindPrepared(
    ordersApi.createNumberOrder,
    async ({ context, body }) => await orders.findCandidates(availability, context.actor.account_id, body),
    async ({ context, body }, candidates) => {
      throwIfInvalid(callbackErrors(outbound, body.callback_url))
      const row = await orders.createOrder(context, body, candidates)
      return {
        status: row.status === 'pending_approval' ? (202 as const) : (201 as const),
        body: orderDocument(deps, row),
      }
    },
    { check: async (_, { callback_url }) => callbackErrors(outbound, callback_url) },
  ),
  bind(ordersApi.listNumberOrders, async ({ context, query: { status, ...query }, self }) => {
    const page = pageOf(query, page_default)
    const rows = await ordersStore.listOrders(context.tx, context.actor, { status, ...page.fetch })
    const data = rows.map((row) => orderResource(deps, row))
    return { body: paged(self, page, data) }
  }),
  bind(ordersApi.getNumberOrder, async ({ context, params }) => ({
    body: orderDocument(deps, await orders.getOrder(context, params.numberorder_id)),
  })),
  bind(ordersApi.cancelNumberOrder, async ({ context, params }) => ({
    body: orderDocument(deps, await approvals.cancelOrder(context, params.numberorder_id)),
  })),
]

const reservationBindings = (deps: Deps, outbound: Outbound): Binding[] => [
  bind(
    ordersApi.createNumberReservation,
    async ({ context, body }) => {
      throwIfInvalid(callbackErrors(outbound, body.callback_url))
      return { body: reservationDocument(deps, await reservations.createReservation(context, body)) }
    },
    { check: async (_, { callback_url }) => callbackErrors(outbound, callback_url) },
  ),
  bind(ordersApi.listNumberReservations, async ({ context, query: { status, ...query }, self }) => {
    const page = pageOf(query, page_default)
    const rows = await ordersStore.listReservations(context.tx, context.actor, { status, ...page.fetch })
    const data = rows.map((row) => reservationResource(deps, row))
    return { body: paged(self, page, data) }
  }),
  bind(ordersApi.getNumberReservation, async ({ context, params }) => ({
    body: reservationDocument(deps, await reservations.getReservation(context, params.numberreservation_id)),
  })),
  bind(ordersApi.extendNumberReservation, async ({ context, params }) => ({
    body: reservationDocument(deps, await reservations.extendReservation(context, params.numberreservation_id)),
  })),
  bind(ordersApi.releaseNumberReservation, async ({ context, params }) => {
    await reservations.releaseReservation(context, params.numberreservation_id)
    return { body: undefined }
  }),
]

const operatorBindings = (low_default: number): Binding[] => [
  bind(operatorApi.listInventory, async ({ context, query: { limit, offset, starts_with, ...filter }, self }) => {
    const page = pageOf({ limit, offset }, page_default)
    const range = starts_with === undefined ? undefined : prefixRange(starts_with)
    const rows = range === null ? [] : await store.listNumbers(context.tx, { range, ...filter }, page.fetch)
    return { body: paged(self, page, rows.map(inventoryResource)) }
  }),
  bind(operatorApi.loadInventory, async ({ context, stream, query }) => ({
    body: { data: await loadInventory(context, stream, query.dry_run === true) },
  })),
  bind(operatorApi.changeInventory, async ({ context, body }) => {
    const data = await changeInventory(context, body)
    return { body: { data, meta: { changed_count: data.filter(({ outcome }) => outcome === 'changed').length } } }
  }),
  bind(
    operatorApi.listInventoryStock,
    async ({ context, query: { limit, offset, is_low, low_below = low_default }, self }) => {
      const page = pageOf({ limit, offset }, page_default)
      return { body: paged(self, page, await listStock(context, { is_low, low_below }, page)) }
    },
  ),
  bind(operatorApi.listInventoryUtilization, async ({ context, query: { limit, offset, starts_with }, self }) => {
    const page = pageOf({ limit, offset }, page_default)
    return { body: paged(self, page, await listUtilization(context, starts_with, page)) }
  }),
]

/** How many numbers begin with the same area code, and with the same area code and exchange. */
const areacode_size = 10_000_000
const exchange_size = 10_000

const partOf = <T>(all: readonly T[], { limit, offset }: Page): T[] => all.slice(offset, offset + limit)

/** A page of a list whose total is known. */
const counted = <T>(self: string, { limit, offset }: Page, data: T[], total_count: number) => ({
  data,
  links: pageLinks(self, { limit, offset }, total_count > offset + limit),
  meta: { total_count },
})
