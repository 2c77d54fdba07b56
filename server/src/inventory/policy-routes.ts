import {
  numberOrders as ordersApi,
  numberPolicy as policyApi,
  priceClasses as pricesApi,
  type Body,
} from '@demarc/client'
import type { Deps } from '../platform/context.ts'
import { bind, type Binding } from '../platform/http/binding.ts'
import { paged, pageOf } from '../platform/http/pages.ts'
import * as approvals from './approvals.ts'
import { accountPriceResource, orderResourceOfAccount, priceClassResource } from './document.ts'
import * as ordersStore from './orders-store.ts'
import { getPolicy, setPolicy } from './policy.ts'
import * as prices from './prices.ts'
import * as pricesStore from './prices-store.ts'

/** What the operator decides about prices and orders. */

const page_default = 10

export const policyBindings = (deps: Deps): Binding[] => [...approvalBindings(deps), ...limitBindings, ...priceBindings]

const approvalBindings = (deps: Deps): Binding[] => {
  const documentOfAccount = (row: ordersStore.OrderRow) => {
    const data = orderResourceOfAccount(deps, row)
    return { data, links: data.links }
  }
  return [
    bind(ordersApi.listNumberOrdersAsOperator, async ({ context, query: { status, account_id, ...query }, self }) => {
      const page = pageOf(query, page_default)
      const rows = await ordersStore.listOrders(context.tx, context.actor, { status, account_id, ...page.fetch })
      const data = rows.map((row) => orderResourceOfAccount(deps, row))
      return { body: paged(self, page, data) }
    }),
    bind(ordersApi.approveNumberOrder, async ({ context, params }) => ({
      body: documentOfAccount(await approvals.approveOrder(context, params.numberorder_id)),
    })),
    bind(ordersApi.rejectNumberOrder, async ({ context, params, body }) => ({
      body: documentOfAccount(await approvals.rejectOrder(context, params.numberorder_id, body.reason)),
    })),
  ]
}

const priceBindings: Binding[] = [
  bind(pricesApi.listPriceClasses, async ({ context }) => ({
    body: { data: (await pricesStore.listClasses(context.tx)).map(priceClassResource) },
  })),
  bind(pricesApi.setPriceClass, async ({ context, params, body }) => ({
    body: { data: priceClassResource(await prices.setPriceClass(context, params.price_class, body)) },
  })),
  bind(pricesApi.listAccountPrices, async ({ context, params }) => ({
    body: { data: (await prices.accountPrices(context, params.account_id)).map(accountPriceResource) },
  })),
  bind(pricesApi.setAccountPrice, async ({ context, params, body }) => ({
    body: { data: accountPriceResource(await prices.setAccountPrice(context, params, body)) },
  })),
  bind(pricesApi.removeAccountPrice, async ({ context, params }) => {
    await prices.removeAccountPrice(context, params.account_id, params.price_class)
    return { body: undefined }
  }),
]

const limitBindings: Binding[] = [
  bind(policyApi.getNumberPolicy, async ({ context, params }) => ({
    body: policyDocument(await getPolicy(context, params.account_id)),
  })),
  bind(policyApi.setNumberPolicy, async ({ context, params, body }) => ({
    body: policyDocument(await setPolicy(context, policyOf(params.account_id, body))),
  })),
]

const policyDocument = ({ account_id: id, ...attributes }: ordersStore.PolicyRow) => ({
  data: { type: 'number_policy' as const, id, attributes },
})

const policyOf = (account_id: string, body: Body<typeof policyApi.setNumberPolicy>) => ({
  account_id,
  ...body,
  approval_quantity_max: body.approval_quantity_max ?? null,
  approval_monthly_cost_max: body.approval_monthly_cost_max ?? null,
})
