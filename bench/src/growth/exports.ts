import { appendCalls, year } from '../call-records.ts'
import { exportCalls } from '../export-request.ts'
import { curve, loadNow, loadRange, median, significant } from '../report.ts'
import type { Form } from '../results.ts'
import { newAccount, startService, watchMemory, type Account, type Service } from '../service.ts'
import { grow, time_ms } from './grow.ts'

/** Records of the account. Others have as many, ten times and a hundred times as many. */
const own = { short: 5000, long: 100_000 }

/**
 * One account's export as another account's records grow; and what the export of that other account needs, which is as large as
 * all of them.
 */
export async function growExports(form: Form, rows: number = own[form]): Promise<void> {
  const service = await startService({ DEMARC_REQUESTS_PER_MINUTE: '1000000000' }, { restarted: true })
  try {
    const account = await newAccount(service)
    const other = await newAccount(service)
    const body = { data: { type: 'cdrexport' as const, attributes: { filter_parameters: year } } }
    await appendCalls(service, account.account_id, rows)
    const needs: Needs[] = []
    await grow({
      name: 'others',
      title: `Exporting the ${rows.toLocaleString('en-US')} call records of one account`,
      x: 'call records of another account',
      sizes: [rows, rows * 10, rows * 100],
      rounds: 5,
      measures: [time_ms],
      async fill(size, before) {
        await appendCalls(service, other.account_id, size - before, before)
        needs.push({ size, ...(await needsOf(service, other)) })
      },
      sides: [
        { name: 'export', run: async () => [(await exportCalls(service, account)).ms] },
        { name: 'estimate', run: () => timed(() => account.client.estimateCdrExport({ body })) },
      ],
    })
    reportNeeds(needs)
  } finally {
    await service.stop()
  }
}

async function timed(work: () => Promise<unknown>): Promise<number[]> {
  const began = performance.now()
  await work()
  return [performance.now() - began]
}

interface Needs {
  size: number
  load: number
  ms: number
  /** Peak resident memory of each process, bytes. */
  peak: Record<string, number>
}

const rounds = 5

/** Medians of several exports of all records of an account. */
async function needsOf(service: Service, account: Account): Promise<Omit<Needs, 'size'>> {
  const measured: { ms: number; peak: Record<string, number> }[] = []
  for (let round = 0; round < rounds; round++) {
    const stopWatching = watchMemory(service.processes)
    const { ms } = await exportCalls(service, account)
    measured.push({ ms, peak: stopWatching() })
  }
  const names = Object.keys(measured[0]?.peak ?? {})
  return {
    load: loadNow(),
    ms: median(measured.map(({ ms }) => ms)),
    peak: Object.fromEntries(names.map((name) => [name, median(measured.map(({ peak }) => peak[name] ?? 0))])),
  }
}

function reportNeeds(needs: readonly Needs[]): void {
  const common = {
    rounds,
    load: loadRange(needs.map(({ load }) => load)),
    x: 'call records of the export',
  }
  const line = (name: string, y: (of: Needs) => number) => ({
    name,
    points: needs.map((each) => ({ x: each.size, y: significant(y(each)) })),
  })
  curve({
    ...common,
    name: 'time',
    title: 'Exports by their size, request to completed',
    y: { name: 'time', unit: 's', digits: 2 },
    lines: [line('export', ({ ms }) => ms / 1000)],
  })
  curve({
    ...common,
    name: 'memory',
    title: 'Exports by their size, peak memory of each process',
    y: { name: 'resident memory', unit: 'MB', digits: 0 },
    lines: ['api', 'worker', 'engine', 'postgres'].map((name) => line(name, ({ peak }) => (peak[name] ?? 0) / 1e6)),
  })
}
