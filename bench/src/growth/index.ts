import { appendCalls, exportCalls, year } from '../call-records.ts'
import { formatNumber, loadNow, mb, median, table } from '../report.ts'
import { newAccount, newOrder, withService, watchMemory, type Account, type Service } from '../service.ts'
import { grow, time_ms, timed } from './grow.ts'
import { growInventory } from './inventory.ts'
import { growDeliveries, growEvents, growNumbers } from './rows.ts'

/** How cost grows with the amount of data. */
export const growth = {
  'growth-numbers': growNumbers,
  'growth-inventory': growInventory,
  'growth-exports': growExports,
  'growth-orders': growOrders,
  'growth-deliveries': growDeliveries,
  'growth-events': growEvents,
} as const

/** Exports one account's records while another account's records grow, and exports that other account at each size. */
async function growExports(long: boolean, rows: number = long ? 100_000 : 5000): Promise<void> {
  await withService({ restarted: true }, async (service) => {
    const account = await newAccount(service)
    const other = await newAccount(service)
    const body = { data: { type: 'cdrexport' as const, attributes: { filter_parameters: year } } }
    await appendCalls(service, account.account_id, rows)
    const sizes: string[][] = []
    const loads: number[] = []
    await grow({
      name: 'others',
      title: `Exporting the ${formatNumber(rows)} call records of one account`,
      x: 'call records of another account',
      sizes: [rows, rows * 10, rows * 100],
      measure: time_ms,
      async fill(size, before) {
        await appendCalls(service, other.account_id, size - before, before)
        sizes.push([formatNumber(size), ...(await timeAndMemory(service, other))])
        loads.push(loadNow())
      },
      sides: () => [
        timed('export', () => exportCalls(service, account)),
        timed('estimate', () => account.client.estimateCdrExport({ body })),
      ],
    })
    table({
      name: 'sizes',
      title: 'Exports by size: time from the request until completed, and peak memory per process; medians of 5',
      head: ['call records', 'time, s', 'API, MB', 'worker, MB', 'engine, MB', 'PostgreSQL, MB'],
      rows: sizes,
      loads,
    })
  })
}

async function timeAndMemory(service: Service, account: Account): Promise<string[]> {
  const times: number[] = []
  const peaks: Record<string, number>[] = []
  for (let round = 0; round < 5; round++) {
    const stopWatching = watchMemory(service.processes)
    times.push((await exportCalls(service, account)).ms / 1000)
    peaks.push(stopWatching())
  }
  const memory = ['api', 'worker', 'engine', 'postgres'].map((name) => mb(median(peaks.map((peak) => peak[name] ?? 0))))
  return [formatNumber(median(times), 2), ...memory]
}

async function growOrders(long: boolean): Promise<void> {
  await withService({ restarted: true }, async (service) => {
    const account = await newAccount(service)
    const orders: string[] = []
    let next = 0
    await grow({
      name: 'orders',
      title: 'Port orders by size',
      x: 'numbers per order',
      sizes: long ? [10, 200, 2000, 20_000] : [10, 200, 2000],
      measure: time_ms,
      fill: () => Promise.resolve(),
      sides: (size) => [
        timed('create', async () => {
          orders.push(
            await newOrder(
              account,
              Array.from({ length: size }, () => numberAt(next++)),
            ),
          )
        }),
        timed('read', () => account.client.getPortOrder({ params: { portorder_id: orders.at(-1) ?? '' } })),
        timed('list', () => account.client.listPortOrders({ query: { limit: 10 } })),
      ],
    })
  })
}

/** N11 codes are service numbers and cannot be exchanges. */
const exchanges = Array.from({ length: 800 }, (_, i) => 200 + i).filter((code) => code % 100 !== 11)

const numberAt = (i: number): string =>
  `+1206${exchanges[Math.floor(i / 10_000)]}${String(i % 10_000).padStart(4, '0')}`
