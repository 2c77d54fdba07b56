import { appendCalls } from './call-records.ts'
import { exportCalls } from './export-request.ts'
import { load } from './load.ts'
import { comparison, inTurns, type Side } from './report.ts'
import type { Comparison, Form } from './results.ts'
import { newAccount, startService, watchMemory, type Account, type Service } from './service.ts'

const accounts = 4
const rounds = 5
const connections = 32

/** Each service has one value of each: lists use no exports, and exports hardly the connections. */
const values = [
  { exports: 1, connections: 2 },
  { exports: 2, connections: 10 },
  { exports: 4, connections: 30 },
] as const

/** What settings do that trade memory for time: a service for each value, measured in turns. */
export async function benchSettings(form: Form, rows: number | undefined): Promise<void> {
  const services: Configured[] = []
  try {
    for (const value of values) {
      const env = {
        DEMARC_REQUESTS_PER_MINUTE: '1000000000',
        DEMARC_EXPORTS_AT_ONCE: String(value.exports),
        DEMARC_DATABASE_CONNECTIONS: String(value.connections),
      }
      services.push({ ...value, service: await startService(env, { restarted: true }) })
    }
    await compareLists(services)
    await compareExports(services, rows ?? { short: 15_000, long: 500_000 }[form])
  } finally {
    for (const { service } of services) await service.stop()
  }
}

interface Configured {
  exports: number
  connections: number
  service: Service
}

const measure = (name: string, unit: string, digits: number): Comparison['measures'][number] => ({
  name,
  unit,
  digits,
  ratio: false,
})

async function compareExports(services: readonly Configured[], records: number): Promise<void> {
  comparison({
    ...(await inTurns(await oneByOne(services, (of) => exportsSide(of, records)), rounds)),
    name: 'exports-at-once',
    title: `${accounts} accounts request an export of ${records.toLocaleString('en-US')} call records each at once`,
    measures: [measure('all completed', 's', 2), measure('worker', 'MB', 0), measure('engine', 'MB', 0)],
    skipped: [],
  })
}

async function compareLists(services: readonly Configured[]): Promise<void> {
  comparison({
    ...(await inTurns(await oneByOne(services, listsSide), rounds)),
    name: 'database-connections',
    title: `GET /v2/numbers from ${connections} connections`,
    measures: [measure('throughput', 'requests/s', 0), measure('p99', 'ms', 1), measure('PostgreSQL', 'MB', 0)],
    skipped: [],
  })
}

/** Sides whose services are filled one after the other: all at once would be more than a small machine sustains. */
async function oneByOne(services: readonly Configured[], side: (of: Configured) => Promise<Side>): Promise<Side[]> {
  const sides: Side[] = []
  for (const of of services) sides.push(await side(of))
  return sides
}

async function exportsSide({ exports, service }: Configured, records: number): Promise<Side> {
  const holders: Account[] = []
  for (let i = 0; i < accounts; i++) {
    const account = await newAccount(service)
    await appendCalls(service, account.account_id, records)
    holders.push(account)
  }
  return {
    name: `\`DEMARC_EXPORTS_AT_ONCE=${exports}\``,
    async run() {
      const stopWatching = watchMemory(service.processes)
      const began = performance.now()
      await Promise.all(holders.map((account) => exportCalls(service, account)))
      const seconds = (performance.now() - began) / 1000
      const peak = stopWatching()
      return [seconds, (peak['worker'] ?? 0) / 1e6, (peak['engine'] ?? 0) / 1e6]
    },
  }
}

/** Lists, because a single number is read so fast that few connections do for many requests. */
async function listsSide({ connections: of_database, service }: Configured): Promise<Side> {
  const { account_id, authorization } = await newAccount(service)
  const number_type = 'longcode'
  const numbers = Array.from({ length: 200 }, (_, i) => ({ value: String(12_065_560_000 + i), number_type }) as const)
  await service.operator.addNumbers({ params: { account_id }, body: { numbers } })
  const port = Number(new URL(service.base_url).port)
  const request = () => `GET /v2/numbers?limit=50 HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`
  return {
    name: `\`DEMARC_DATABASE_CONNECTIONS=${of_database}\``,
    async run() {
      const stopWatching = watchMemory(service.processes)
      const result = await load({ port, request, connections, duration_s: 0.6 })
      if (result.errors > 0) throw new Error(`${result.errors} responses were not 200`)
      return [result.requests / result.duration_s, result.p99_ms, (stopWatching()['postgres'] ?? 0) / 1e6]
    },
  }
}
