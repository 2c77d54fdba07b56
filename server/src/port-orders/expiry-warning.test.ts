import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newOrder } from '../../test/support/port-orders.ts'
import { startTestServer } from '../../test/support/server.ts'

const server = await startTestServer({ worker: true })
const { account } = server
const advance = (interval: string) => server.operator.moveClock({ body: { advance: interval } })

test('an idle order causes one warning ten days and one three days before it is closed', async () => {
  const params = { portorder_id: (await newOrder(account)).id }
  const warnings = async () => {
    const { data } = (await account.client.getPortOrderTimeline({ params, query: { limit: 200 } })).body
    return data.flatMap(({ attributes: { event_type, data: details } }) =>
      event_type === 'portorder.expiring'
        ? [details['days_left']]
        : event_type === 'portorder.expired'
          ? ['closed']
          : [],
    )
  }
  await advance('34 days')
  assert.deepEqual(await warnings(), [])
  await advance('1 day 1 hour')
  assert.deepEqual(await warnings(), [10])
  // an edit restarts the 45 days
  const body = { data: { type: 'portorder', attributes: { company: 'Changed' } } } as const
  await account.client.updatePortOrder({ params, body })
  await advance('34 days')
  assert.deepEqual(await warnings(), [10])
  await advance('5 days')
  assert.deepEqual(await warnings(), [10, 10])
  await advance('3 days 1 hour')
  assert.deepEqual(await warnings(), [10, 10, 3])
  await advance('4 days')
  assert.deepEqual(await warnings(), [10, 10, 3, 'closed'])
})
