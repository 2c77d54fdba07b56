import { operations, type Operation } from '@demarc/client'
import { listItems } from './list.ts'
import type { Item } from './output.ts'
import { textOf } from './table.ts'
import type { Completion } from './verb.ts'

/** Ids for shell completion, with descriptions. */

const offered_max = 50

/** The first ids of a list; `words` is the description of each. */
export const idsOf =
  (operation: Operation, words: (item: Item) => string, id = 'id'): Completion =>
  async (context) => {
    const found: { value: string; summary: string }[] = []
    const request = { params: accountOf(context.account_id), query: {}, page_max: offered_max }
    for await (const item of listItems(context, operation, request, offered_max))
      found.push({ value: textOf(item[id]), summary: words(item) })
    return found
  }

const accountOf = (account_id: string | undefined): Item => (account_id === undefined ? {} : { account_id })

const field = (name: string) => (item: Item) => textOf(item[name])

export const numberValues = idsOf(operations.listNumbers, field('alias'), 'value')
export const routeIds = idsOf(operations.listRoutes, field('alias'))
export const cnamIds = idsOf(operations.listCnams, field('value'))
export const e911Ids = idsOf(operations.listE911s, field('label'))
export const edgeStrategyIds = idsOf(operations.listEdgeStrategies, field('name'))
export const exportIds = idsOf(operations.listCdrExports, field('status'))
export const portOrderIds = idsOf(
  operations.listPortOrders,
  (item) => `${textOf(item['status'])} ${textOf(item['alias'])}`,
)
export const notificationIds = idsOf(
  operations.listNotifications,
  (item) => `${textOf(item['event_type'])} ${textOf(item['status'])}`,
)
export const datasetIds = idsOf(operations.listE911Datasets, field('name'))
export const accountIds = idsOf(operations.listAccounts, field('name'))
export const keyIds = idsOf(operations.listKeys, field('name'))
export const operatorKeyIds = idsOf(operations.listOperatorKeys, field('name'))
export const priceClassNames = idsOf(operations.listPriceClasses, field('monthly_cost'))
export const numberOrderIds = idsOf(operations.listNumberOrders, field('status'))
export const numberReservationIds = idsOf(operations.listNumberReservations, field('status'))
export const portoutIds = idsOf(operations.listPortouts, field('status'))
