import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newOrder, orderIn } from '../../test/support/port-orders.ts'
import { newDemoFolder, removeFolder, startService } from '../../test/support/service.ts'
import { eventually } from '../../test/support/eventually.ts'

/** The service as started from the command line. Its worker is killed repeatedly while orders become due. */
const folder = await newDemoFolder()
const service = await startService(folder)
after(async () => {
  await service.stop()
  await removeFolder(folder)
})
const account = { client: service.account }
const orders_count = 60

test('orders that expire while their worker is killed repeatedly are closed, once each', async () => {
  const both = { account, operator: service.operator }
  // sequentially: orders of an account wait for each other, and a busy machine refuses some of many concurrent ones
  const pending = await Array.fromAsync({ length: orders_count }, () => newOrder(account))
  const rejected = await Array.fromAsync({ length: 10 }, () => orderIn(both, 'Rejected'))
  const clockMove = service.operator.moveClock({ body: { advance: '45 days 1 hour' } })
  let kills = 0
  const clock_moved = new AbortController()
  const killing = (async () => {
    while (!clock_moved.signal.aborted && kills < 5) {
      await sleep(150)
      const pid = service.pid('worker')
      if (pid === undefined) continue
      process.kill(pid, 'SIGKILL')
      kills++
      await eventually(() => service.pid('worker') !== undefined && service.pid('worker') !== pid)
    }
  })()
  await clockMove
  clock_moved.abort()
  await killing
  assert.ok(kills > 0)
  for (const [orders, status] of [
    [pending, 'Canceled'],
    [rejected, 'Abandoned'],
  ] as const)
    for (const { id } of orders) {
      const params = { portorder_id: id }
      assert.equal((await service.account.getPortOrderStatus({ params })).body.data.attributes.status, status)
      const events = (await service.account.getPortOrderTimeline({ params, query: { limit: 200 } })).body.data
      assert.equal(events.filter((e) => e.attributes.event_type === 'portorder.expired').length, 1)
    }
})
