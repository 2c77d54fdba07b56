import { appendCalls } from './call-records.ts'
import { exportCalls } from './export-request.ts'
import { load } from './load.ts'
import { loadNow, mb, median, table } from './report.ts'
import type { Form } from './results.ts'
import { newAccount, startService, watchMemory, type Service } from './service.ts'

const accounts = 4
const rounds = 5
const connections = 32

/** What settings do that trade memory for time: each value with a service of its own. */
export async function benchSettings(form: Form): Promise<void> {
  const records = { short: 25_000, long: 500_000 }[form]
  const exported = []
  for (const value of ['1', '2', '4']) exported.push(await tried('DEMARC_EXPORTS_AT_ONCE', value, exportAll(records)))
  table(
    `DEMARC_EXPORTS_AT_ONCE: ${accounts} accounts request an export of ${records.toLocaleString('en-US')} call records each at once, medians of ${rounds} rounds, peak memory`,
    ['value', 'all completed after, s', 'worker MB', 'engine MB', 'load'],
    exported,
    'exports-at-once',
  )
  const read = []
  for (const value of ['2', '10', '30']) read.push(await tried('DEMARC_DATABASE_CONNECTIONS', value, readNumbers))
  table(
    `DEMARC_DATABASE_CONNECTIONS: GET /v2/numbers from ${connections} connections, medians of ${rounds} rounds, peak memory`,
    ['value', 'requests/s', 'p99 ms', 'PostgreSQL MB', 'load'],
    read,
    'database-connections',
  )
}

type Trial = (service: Service) => Promise<string[]>

async function tried(setting: string, value: string, trial: Trial): Promise<string[]> {
  const service = await startService(
    { DEMARC_REQUESTS_PER_MINUTE: '1000000000', [setting]: value },
    { restarted: true },
  )
  try {
    return [value, ...(await trial(service)), loadNow().toFixed(1)]
  } finally {
    await service.stop()
  }
}

const exportAll =
  (records: number): Trial =>
  async (service) => {
    const holders = []
    for (let i = 0; i < accounts; i++) {
      const account = await newAccount(service)
      await appendCalls(service, account.account_id, records)
      holders.push(account)
    }
    const times: number[] = []
    const stopWatching = watchMemory(service.processes)
    for (let round = 0; round < rounds; round++) {
      const began = performance.now()
      await Promise.all(holders.map((account) => exportCalls(service, account)))
      times.push((performance.now() - began) / 1000)
    }
    const peak = stopWatching()
    return [median(times).toFixed(2), mb(peak['worker'] ?? 0), mb(peak['engine'] ?? 0)]
  }

/** Lists, because a single number is read so fast that few connections do for many requests. */
const readNumbers: Trial = async (service) => {
  const { account_id, authorization } = await newAccount(service)
  const numbers = Array.from({ length: 200 }, (_, i) => ({
    value: String(12_065_560_000 + i),
    number_type: 'longcode' as const,
  }))
  await service.operator.addNumbers({ params: { account_id }, body: { numbers } })
  const port = Number(new URL(service.base_url).port)
  const request = () => `GET /v2/numbers?limit=50 HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`
  const results = []
  const stopWatching = watchMemory(service.processes)
  for (let round = 0; round < rounds; round++) {
    const result = await load({ port, request, connections, duration_s: 1 })
    if (result.errors > 0) throw new Error(`${result.errors} responses were not 200`)
    results.push(result)
  }
  const peak = stopWatching()
  return [
    median(results.map((each) => each.requests / each.duration_s)).toFixed(0),
    median(results.map((each) => each.p99_ms)).toFixed(1),
    mb(peak['postgres'] ?? 0),
  ]
}
