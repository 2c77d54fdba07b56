import { dateIn, type inventoryOperator as api, type Body } from '@demarc/client'
import { prefixRange } from '../numbers/index.ts'
import type { Context, WriteContext } from '../platform/context.ts'
import { recordEvent } from '../platform/events.ts'
import type { Page } from '../platform/http/pages.ts'
import { cancelJob } from '../platform/jobs.ts'
import { throwIfInvalid } from '../platform/problem.ts'
import { endAgingJob } from './actions.ts'
import { forecastOf, forecast_days, period_days } from './forecast.ts'
import * as reports from './report-store.ts'
import { inventoryChange, numberErrors, statusAfter } from './rules.ts'
import { rateCenterId } from './stock.ts'
import * as store from './store.ts'

/** What the operator does with the inventory, and its reports. */

type Change = Body<typeof api.changeInventory>

interface ChangeOutcome {
  value: string
  outcome: 'changed' | 'unchanged' | 'refused'
  reason: string | null
}

/** An event names at most this many numbers. */
const namedNumbers_max = 100

/** Holds, recalls, or makes numbers available. Those that an account has are refused. Throws 422 without a reason. */
export async function changeInventory(c: WriteContext, { numbers, action, reason }: Change): Promise<ChangeOutcome[]> {
  throwIfInvalid({
    ...numberErrors(numbers, () => null),
    ...(reason === undefined && action !== 'make_available' ? { reason: ['Is required to hold or recall.'] } : {}),
  })
  const rows = new Map((await store.lockNumbersForUpdate(c.tx, numbers)).map((row) => [row.number, row]))
  const outcomes = numbers.map((value) => ({ value, ...inventoryChange(rows.get(value)?.status, action) }))
  const changed = outcomes.filter(({ outcome }) => outcome === 'changed').map(({ value }) => value)
  if (changed.length === 0) return outcomes
  const status = statusAfter(action)
  const status_reason = action === 'make_available' ? null : (reason ?? null)
  await store.setStatus(c.tx, changed, { status, status_reason, changed_at: c.clock.now() })
  for (const number of changed) if (rows.get(number)?.status === 'aging') await cancelJob(c.tx, endAgingJob, number)
  await recordEvent(c, null, {
    type: 'inventory.changed',
    subject_type: 'inventory',
    subject_id: changed[0] ?? '',
    data: { action, reason, numbers_count: changed.length, numbers: changed.slice(0, namedNumbers_max) },
  })
  return outcomes
}

const day_ms = 86_400_000

/** Counts by rate center, with a forecast. */
export async function listStock(
  c: Context,
  { low_below, is_low }: { low_below: number; is_low?: boolean | undefined },
  { fetch }: Page,
) {
  const now = c.clock.now()
  const after = (days: number) => new Date(now.getTime() + days * day_ms)
  const periods = [after(-3 * period_days), after(-2 * period_days), after(-period_days)] as const
  const until = after(forecast_days)
  const rows = await reports.countByRateCenter(c.tx, { periods, until, low_below, is_low }, fetch)
  return rows.map(({ number_type, state, rate_center, ordered, returning_soon, ...counts }) => ({
    type: 'inventory_stock' as const,
    id: rateCenterId({ number_type, state, rate_center }),
    attributes: {
      number_type,
      state: state || null,
      rate_center: rate_center || null,
      ...counts,
      ...forecastOf({ ordered, returning: returning_soon, available: counts.available }, dateIn(now, c.time_zone)),
      is_low: counts.available < low_below,
    },
  }))
}

/** Counts by thousands-block. */
export async function listUtilization(c: Context, starts_with: string | undefined, { fetch }: Page) {
  const range = prefixRange(starts_with ?? '1')
  const rows = range === null ? [] : await reports.countByBlock(c.tx, range, fetch)
  return rows.map(({ block, state, rate_center, ...counts }) => {
    const id = block.slice(1)
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
    return {
      type: 'inventory_block' as const,
      id,
      attributes: {
        npa: id.slice(0, 3),
        nxx: id.slice(3, 6),
        x: id.slice(6),
        state: state || null,
        rate_center: rate_center || null,
        ...counts,
        intermediate: 0,
        utilization: ((counts.assigned * 100) / total).toFixed(1),
      },
    }
  })
}
