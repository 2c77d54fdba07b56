import type { portOrders } from '@demarc/client'
import type { TestAccount, TestServer } from '../../../test/support/server.ts'

/** For tests: a Pending port order of one number, no two with the same. */
export async function newOrder(of: TestAccount): Promise<string> {
  const number = `+1206555${String(line++).padStart(4, '0')}`
  const { body } = await of.client.createPortOrder({
    body: {
      data: {
        type: 'portorder',
        attributes: {
          numbers: [number],
          billing_name: 'Zoë Núñez',
          street: '1 Market Street',
          city: 'Seattle',
          state: 'WA',
          zip: '98101',
          country: 'US',
          provider: 'Cascade Telephone',
          usage_type: 'Residential',
        },
      },
    },
  })
  if (!('meta' in body)) throw new Error('not a dry run')
  return body.data.id
}
let line = 1000

/** For tests: sets the status of an order without a transition. */
export async function setStatus(server: TestServer, id: string, status: portOrders.PortOrderStatus): Promise<void> {
  await server.db.updateTable('port_order').set({ status }).where('id', '=', id).execute()
}
