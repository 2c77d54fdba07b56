import type { TestAccount, TestServer } from './server.ts'

/** Port orders for tests. */

let numbers = 0
/** A local number that no other test of the file uses. */
export const freshNumber = (area = '206'): string => `+1${area}5${String(++numbers).padStart(6, '0')}`

export const details = {
  billing_name: 'Anna Berg',
  street: '88 Pine Street',
  city: 'Seattle',
  state: 'WA',
  zip: '98101',
  country: 'US' as const,
  provider: 'Old Telephone Company',
  usage_type: 'Residential' as const,
}

type OrderInput = Partial<
  Parameters<TestAccount['client']['createPortOrder']>[0]['body'] extends infer B
    ? B extends { data: { attributes: infer A } }
      ? A
      : never
    : never
>

/** A valid request body with the attributes that a test needs overridden. */
export const orderBody = (attributes: OrderInput = {}) => ({
  data: { type: 'portorder', attributes: { numbers: [freshNumber()], ...details, ...attributes } },
})

/** A new order, Pending; the first one if several are created. */
export async function newOrder({ client }: Pick<TestAccount, 'client'>, attributes: OrderInput = {}) {
  const { body } = await client.createPortOrder({ body: orderBody(attributes) })
  if (!('included' in body)) throw new Error('not a dry run')
  return body.data
}

/** Signs the LOA; the order becomes Processing. */
export async function sign({ client }: Pick<TestAccount, 'client'>, id: string) {
  const { body } = await client.getLoa({ params: { portorder_id: id } })
  const attributes = { ...body.data.attributes, signature_name: 'Anna Berg', signature_title: 'Owner' }
  return (await client.submitLoa({ params: { portorder_id: id }, body: { data: { ...body.data, attributes } } })).body
    .data
}

type Statuses =
  | 'Pending'
  | 'Processing'
  | 'Submitted'
  | 'Accepted'
  | 'Rejected'
  | 'Review'
  | 'Completed'
  | 'Canceled'
  | 'Abandoned'
  | 'Hard_canceled'
type Transition = Parameters<TestServer['operator']['transitionPortOrder']>[0]['body']

const transition = async ({ operator }: Pick<TestServer, 'operator'>, id: string, body: Transition) =>
  (await operator.transitionPortOrder({ params: { portorder_id: id }, body })).body

/** The steps that bring an order to each status. */
const stepsTo: Record<Statuses, readonly (Transition | 'sign' | 'resubmit' | 'cancel')[]> = {
  Pending: [],
  Processing: ['sign'],
  Submitted: ['sign', { to: 'Submitted' }],
  Accepted: ['sign', { to: 'Submitted' }, { to: 'Accepted', completion_date: '2099-06-16' }],
  Rejected: ['sign', { to: 'Rejected', reason_code: 'pin_mismatch' }],
  Review: ['sign', { to: 'Rejected', reason_code: 'pin_mismatch' }, 'resubmit'],
  Completed: ['sign', { to: 'Submitted' }, { to: 'Accepted', completion_date: '2099-06-16' }, { to: 'Completed' }],
  Canceled: ['cancel'],
  Abandoned: ['sign', { to: 'Rejected', reason_code: 'pin_mismatch' }, 'cancel'],
  Hard_canceled: ['sign', { to: 'Submitted' }, { to: 'Hard_canceled' }],
}

/** A new order in a status, reached over HTTP. */
export async function orderIn(
  server: Pick<TestServer, 'operator'> & { account: Pick<TestAccount, 'client'> },
  status: Statuses,
  attributes: OrderInput = {},
) {
  const { id } = await newOrder(server.account, attributes)
  const { client } = server.account
  const params = { portorder_id: id }
  for (const step of stepsTo[status])
    if (step === 'sign') await sign(server.account, id)
    else if (step === 'resubmit') await client.resubmitPortOrder({ params })
    else if (step === 'cancel')
      await client.cancelPortOrder({
        params,
        body: { data: { type: 'portorder', attributes: { status: 'cancelled' } } },
      })
    else await transition(server, id, step)
  return (await client.getPortOrder({ params })).body.data
}
