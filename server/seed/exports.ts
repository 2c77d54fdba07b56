import type { Readable } from 'node:stream'
import { cdrs, type Body } from '@demarc/client'
import { createExport } from '../src/cdrs/actions.ts'
import { completeExport, failExport } from '../src/cdrs/build.ts'
import { failureReason, files, storedFilter } from '../src/cdrs/rules.ts'
import { listExports } from '../src/cdrs/store.ts'
import { systemActor } from '../src/platform/actor.ts'
import { inTransaction } from '../src/platform/db.ts'
import { listEvents } from '../src/platform/events.ts'
import type { Runtime } from '../src/runtime.ts'
import { atTime } from './at-time.ts'

/** Call-record exports of the practice, requested today: one completed and one failed. */

const minute_ms = 60_000
const day_ms = 86_400_000

/** Creates them unless the account has exports, or has later activity. */
export async function seedExports({ deps, ...runtime }: Runtime, account_id: string): Promise<void> {
  const actor = systemActor('demo', account_id)
  const now = deps.clock.now()
  const ago = (minutes: number) => new Date(now.getTime() - minutes * minute_ms)
  const [latest] = await listEvents(deps.db, { chain_id: account_id, limit: 1, offset: 0 })
  const [existing] = await listExports(deps.db, actor, { status: undefined, limit: 1, offset: 0 })
  if (existing || !latest || latest.occurred_at >= ago(180)) return
  const today = Math.floor(now.getTime() / day_ms) * day_ms
  const daysBefore = (count: number) => new Date(today - count * day_ms).toISOString()
  await inTransaction(deps.db, async (tx) => {
    const c = { ...deps, tx, actor }
    const week = { start_call_start_time: daysBefore(7), start_call_end_time: daysBefore(0) }
    const { row } = await createExport(atTime(c, ago(180)), runtime, exportBody('csv', week))
    const filter = storedFilter(row.filter)
    const { format, compression } = files.csv
    const stage = (body: Readable) => deps.files.stage(body)
    const { totals, result } = await runtime.warehouse.export({ account_id, filter }, format, stage, { compression })
    try {
      await completeExport(atTime(c, ago(179)), row, totals, result, runtime.config.export_life_h)
    } finally {
      await result.discard()
    }
    const all = { start_call_start_time: daysBefore(90), start_call_end_time: daysBefore(0) }
    const failed = await createExport(atTime(c, ago(60)), runtime, exportBody('parquet', all))
    await failExport(atTime(c, ago(52)), failed.row, failureReason('241'))
  })
}

const exportBody = (
  format: 'csv' | 'parquet',
  filter_parameters: Record<string, string>,
): Body<typeof cdrs.createCdrExport> =>
  cdrs.createCdrExport.body.parse({
    data: { type: 'cdrexport', attributes: { format, filter_parameters } },
  })
