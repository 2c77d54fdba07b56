import { appendCalls, year } from '../call-records.ts'
import { exportCalls } from '../export-request.ts'
import type { Form } from '../results.ts'
import { newAccount, startService, watchMemory } from '../service.ts'
import { grow, time_ms } from './grow.ts'

/** Records of the account, and as many others, ten times and a hundred times as many. */
const own = { short: 5000, long: 100_000 }

/** One account's export as other accounts' records grow; and what an export needs that is as large as these. */
export async function growExports(form: Form): Promise<void> {
  const service = await startService({ DEMARC_REQUESTS_PER_MINUTE: '1000000000' })
  try {
    const account = await newAccount(service)
    const rows = own[form]
    const body = { data: { type: 'cdrexport' as const, attributes: { filter_parameters: year } } }
    await appendCalls(service, account.account_id, rows)
    const sizes = [rows, rows * 10, rows * 100]
    await grow({
      name: 'others',
      title: `Exporting the ${rows.toLocaleString('en-US')} call records of one account`,
      x: 'call records of other accounts',
      sizes,
      rounds: 5,
      measures: [time_ms],
      async fill(size, before) {
        const { account_id } = await newAccount(service)
        await appendCalls(service, account_id, size - before)
      },
      sides: [
        { name: 'export', run: async () => [(await exportCalls(service, account)).ms] },
        { name: 'estimate', run: () => timed(() => account.client.estimateCdrExport({ body })) },
      ],
    })
    await growSize(form, sizes)
  } finally {
    await service.stop()
  }
}

async function timed(work: () => Promise<unknown>): Promise<number[]> {
  const began = performance.now()
  await work()
  return [performance.now() - began]
}

/** Exports of more and more records: the peak memory of each process, and the time. */
async function growSize(form: Form, sizes: readonly number[]): Promise<void> {
  const service = await startService({ DEMARC_REQUESTS_PER_MINUTE: '1000000000' })
  try {
    const account = await newAccount(service)
    const exported = new Map<string, number>()
    const side = (name: string, first: boolean) => ({
      name,
      async run() {
        if (first) {
          const stopWatching = watchMemory(service.processes)
          await exportCalls(service, account)
          for (const [process, bytes] of Object.entries(stopWatching())) exported.set(process, bytes)
        }
        return [(exported.get(name) ?? 0) / 1e6]
      },
    })
    await grow({
      name: 'memory',
      title: 'Peak memory while an export is built',
      x: 'call records of the export',
      sizes,
      rounds: form === 'long' ? 3 : 5,
      measures: [{ name: 'resident memory', unit: 'MB', digits: 0 }],
      fill: async (size, before) => {
        await appendCalls(service, account.account_id, size - before, before)
      },
      sides: [side('api', true), side('worker', false), side('engine', false)],
    })
  } finally {
    await service.stop()
  }
}
