import { cdrSummary as api, type Body } from '@demarc/client'
import { accountOf } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import type { CdrSums, Warehouse } from '../engines/call-records/index.ts'
import { rethrowUnavailable } from './actions.ts'
import { withRecordsSoon } from './cold-requests.ts'
import { requireComplete } from './ledger.ts'
import { minutesText, moneyText, periodsOf, warehouseFilter } from './rules.ts'

/** Current sums of an account's calls by group, and its newest calls. */

/** Throws 503 while the call-record store cannot be reached, or if it lacks call records. */
export async function summarize(c: Context, warehouse: Warehouse, body: Body<typeof api.summarizeCdrs>) {
  const { group_by, timezone = 'UTC', filter_parameters } = body
  const query = { account_id: accountOf(c.actor), filter: warehouseFilter(filter_parameters.parsed) }
  await requireComplete(c, query.filter)
  const timed = group_by === 'day' || group_by === 'month'
  const periods = timed ? periodsOf(group_by, query.filter, timezone) : []
  const by = timed ? { starts: periods.map(({ start }) => start) } : group_by
  const most = timed ? api.summaryPeriods_max + 2 : api.summaryGroups_max
  const { totals, groups, others } = await rethrowUnavailable(() =>
    withRecordsSoon(c, query, () => warehouse.summarize(query, { by, most })),
  )
  const found = new Map(groups.map((group) => [group.key, group]))
  return {
    ...shown(totals),
    group_by,
    timezone,
    groups: timed
      ? periods.map(({ key, start }) => ({ key, ...shown(found.get(String(start.getTime())) ?? nothing) }))
      : groups.map((group) => ({ key: group.key, ...shown(group) })),
    others: others && { groups: others.groups, ...shown(others) },
    filter_parameters: filter_parameters.input as Record<string, unknown>,
  }
}

/** Throws 503 while the call-record store cannot be reached, or if it lacks call records. */
export async function sample(c: Context, warehouse: Warehouse, body: Body<typeof api.sampleCdrs>) {
  const query = { account_id: accountOf(c.actor), filter: warehouseFilter(body.filter_parameters.parsed) }
  await requireComplete(c, query.filter)
  const calls = await rethrowUnavailable(() =>
    withRecordsSoon(c, query, () => warehouse.newest(query, api.sampleCalls_max)),
  )
  return calls.map(({ id, columns }) => ({ type: 'cdr' as const, id, attributes: api.sampledCall.parse(columns) }))
}

const nothing: CdrSums = { num_calls: 0, billed_seconds: '0', total_cost: '0' }

const shown = ({ num_calls, billed_seconds, total_cost }: CdrSums) => ({
  num_calls,
  billed_seconds: Number(billed_seconds),
  billed_minutes: minutesText(billed_seconds),
  total_cost: moneyText(total_cost),
})
