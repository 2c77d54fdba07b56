import { createDemarcClient, type DemarcClient } from '@demarc/client'
import { portOrder } from '../../acceptance/support/cast.ts'
import { printLoopDelay } from './loop-delay.ts'
import { median, table } from './report.ts'
import { startService } from './service.ts'

const orders = 11
const numbers_each = 20_000
const rounds = 7

/** Lists of orders with as many numbers as an order may have: their size, their time, and the event loop meanwhile. */
export async function benchPortOrders(): Promise<void> {
  const service = await startService({ DEMARC_REQUESTS_PER_MINUTE: '1000000000' })
  try {
    const { operator, base_url } = service
    const account_id = (await operator.createAccount({ body: { name: 'Bench' } })).body.data.id
    const { access_key, secret_key } = (await operator.createKey({ params: { account_id }, body: { name: 'bench' } }))
      .body.data.attributes
    const client = createDemarcClient({ retry: false, base_url, credentials: { access_key, secret_key } })
    for (let order = 0; order < orders; order++) await newOrder(client, order)
    await printLoopDelay(service, 'while the orders were made')
    const authorization = `Basic ${Buffer.from(`${access_key}:${secret_key}`).toString('base64')}`
    const measured: { bytes: number; ms: number }[] = []
    for (let round = 0; round < rounds; round++) {
      const began = performance.now()
      const response = await fetch(`${base_url}/v2/portorders?limit=200`, { headers: { authorization } })
      const { byteLength: bytes } = await response.arrayBuffer()
      measured.push({ bytes, ms: performance.now() - began })
    }
    table(
      `GET /v2/portorders with ${orders} orders of ${numbers_each} numbers, median of ${rounds}`,
      ['KB', 'ms'],
      [[(median(measured.map((m) => m.bytes)) / 1000).toFixed(1), median(measured.map((m) => m.ms)).toFixed(1)]],
    )
    await printLoopDelay(service, 'while they were listed')
  } finally {
    await service.stop()
  }
}

async function newOrder(client: DemarcClient, order: number): Promise<void> {
  const numbers = Array.from({ length: numbers_each }, (_, i) => `+1206${5_120_000 + order * numbers_each + i}`)
  await client.createPortOrder({ body: { data: { type: 'portorder', attributes: portOrder(numbers) } } })
}
