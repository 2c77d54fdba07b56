import assert from 'node:assert/strict'
import type { Stage } from './stage.ts'

/** Creates an unsigned order without findings and returns its id. */
export async function newOrder({ service: { account } }: Stage, own: { numbers: string[]; alias?: string }) {
  const attributes = {
    ...own,
    provider: 'Lakeside Bell',
    billing_name: 'Elena Núñez',
    street: '318 Center St',
    city: 'Friendship',
    state: 'WI',
    zip: '53934',
    country: 'US' as const,
    usage_type: 'Residential',
  }
  const { body } = await account.createPortOrder({ body: { data: { type: 'portorder', attributes } } })
  return body.data.type === 'portorder' ? body.data.id : assert.fail('no order was created')
}

/** Signs an order's LOA; the order then waits on the operator. */
export async function signLoa({ service: { account } }: Stage, id: string): Promise<void> {
  const { data } = (await account.getLoa({ params: { portorder_id: id } })).body
  const signed = { ...data.attributes, signature_name: 'Elena Núñez', signature_title: 'Owner' }
  await account.submitLoa({ params: { portorder_id: id }, body: { data: { ...data, attributes: signed } } })
}
