import { table } from './report.ts'
import type { Service } from './service.ts'

/** Prints how long the event loop of the API process was delayed since this was called before; `when` says what happened meanwhile. */
export async function printLoopDelay(service: Service, when = 'since the last reading'): Promise<void> {
  const text = await (await fetch(`${service.base_url}/metrics`)).text()
  const value = (name: string) =>
    (Number(new RegExp(`^demarc_nodejs_eventloop_lag_${name}_seconds (\\S+)`, 'm').exec(text)?.[1]) * 1000).toFixed(1)
  table(
    `Event loop of the API process, delay ${when}, ms`,
    ['mean', 'p99', 'max'],
    [[value('mean'), value('p99'), value('max')]],
  )
}
