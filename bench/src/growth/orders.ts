import { portOrder } from '../../../acceptance/support/cast.ts'
import type { Form } from '../results.ts'
import { newAccount, startService, watchMemory, type Account } from '../service.ts'
import { grow, time_ms } from './grow.ts'

const sizes = { short: [10, 200, 2000], long: [10, 200, 2000, 20_000] }

/** Making and reading port orders of more and more numbers: time, and the memory of the API. */
export async function growOrders(form: Form): Promise<void> {
  const service = await startService({ DEMARC_REQUESTS_PER_MINUTE: '1000000000' }, { restarted: true })
  try {
    const account = await newAccount(service)
    const made: string[] = []
    let next = 0
    const side = (name: string, run: (size: number) => Promise<unknown>) => (size: number) => ({
      name,
      async run() {
        const stopWatching = watchMemory(service.processes)
        const began = performance.now()
        await run(size)
        const ms = performance.now() - began
        return [ms, (stopWatching()['api'] ?? 0) / 1e6]
      },
    })
    const sides = [
      side('make', async (size) => {
        made.push(await newOrder(account, next, size))
        next += size
      }),
      side('read', () => account.client.getPortOrder({ params: { portorder_id: made.at(-1) ?? '' } })),
      side('list', () => account.client.listPortOrders({ query: { limit: 10 } })),
    ]
    await grow({
      name: 'orders',
      title: 'Port orders by their size',
      x: 'numbers of the order',
      sizes: sizes[form],
      rounds: 5,
      measures: [time_ms, { name: 'memory of the API', unit: 'MB', digits: 0 }],
      fill: () => Promise.resolve(),
      sides: (size) => sides.map((each) => each(size)),
    })
  } finally {
    await service.stop()
  }
}

async function newOrder({ client }: Account, from: number, size: number): Promise<string> {
  const numbers = Array.from({ length: size }, (_, i) => numberAt(from + i))
  const { body } = await client.createPortOrder({
    body: { data: { type: 'portorder', attributes: portOrder(numbers) } },
  })
  const [order] = [body.data].flat()
  if (order?.type !== 'portorder') throw new Error('the order was not made')
  return order.id
}

/** Codes that end in 11 are service numbers, and no exchange. */
const exchanges = Array.from({ length: 800 }, (_, i) => 200 + i).filter((code) => code % 100 !== 11)

const numberAt = (i: number): string =>
  `+1206${exchanges[Math.floor(i / 10_000)]}${String(i % 10_000).padStart(4, '0')}`
