import type { NumberInput } from '../numbers/index.ts'
import { createNumbers, setCnam, setE911, takenNumbers } from '../numbers/index.ts'
import { actIn, systemActor } from '../platform/actor.ts'
import type { Context, Deps, WriteContext } from '../platform/context.ts'
import { inTransaction } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { schedule } from '../platform/jobs.ts'
import { Problem, problem } from '../platform/problem.ts'
import { portOrders } from '@demarc/client'
import { areaOf } from './area-codes.ts'
import { activationTime, activationTimeOrNow } from './calendar/porting-interval.ts'
import * as numbersStore from './numbers-store.ts'
import { presetChecks } from './presets.ts'
import { isTollfree, namedNumbers, presetPlans, toSecond } from './rules.ts'
import type { Preset, PresetPlan } from './rules.ts'
import * as store from './store.ts'

/** Completion: adds the numbers to the account and applies the presets, which fail independently. */

/** Applies the scheduled presets of a completed order; its key is the order's id. */
export const activateJob = 'activate-port-order'

/**
 * Adds the numbers of a completing order to the account with routes and alias. Applies caller ID name and emergency address
 * now if it is past 08:00, otherwise by a job at 08:00. Failures are recorded on the timeline.
 */
export async function completeOrder(c: WriteContext, row: store.Order, left_behind: readonly string[]): Promise<void> {
  const now = c.clock.now()
  const activation_at = activationTimeOrNow(now, c.time_zone)
  const not_ported = new Set(left_behind)
  const coming = row.numbers.filter((v) => !not_ported.has(v))
  // locks records before the event chain, like deleting a record does, to avoid a deadlock
  const plans = presetPlans(await presetChecks(c.tx, row), coming)
  const immediate = activation_at <= now
  const own = actIn(c, row.account_id)
  const { created, taken } = await createNumbers(own, row.account_id, coming.map(numberInput(row, plans, immediate)))
  const ported = created.map((n) => n.value)
  await numbersStore.setOutcome(c.tx, row, ported, 'ported')
  if (taken.length > 0) await numbersStore.setOutcome(c.tx, row, taken, 'taken')
  if (left_behind.length > 0) await numbersStore.setOutcome(c.tx, row, left_behind, 'left_behind')
  if (taken.length > 0)
    await recordEvent(c, row.account_id, {
      type: 'portorder.numbers_failed',
      ...subjectOf(row),
      data: { reason: 'Already on an account.', ...namedNumbers(taken) },
    })
  if (left_behind.length > 0)
    await recordEvent(c, row.account_id, {
      type: 'portorder.numbers_left_behind',
      ...subjectOf(row),
      data: { reason: 'The losing carrier did not release them.', ...namedNumbers(left_behind) },
    })
  const applied = plans.filter((p) => p.activation === 'completion' || immediate)
  for (const plan of applied) await recordFailures(c, row, plan)
  // in these cases all presets were applied when the numbers were created
  if (immediate || plans.every((p) => p.activation === 'completion'))
    await numbersStore.setActivated(c.tx, row, ported, now)
  else await schedule(c.tx, activateJob, row.id, activation_at)
}

async function applyScheduled(c: WriteContext, row: store.OrderRow, plan: PresetPlan, value: string): Promise<void> {
  if (plan.applies_to.length === 0 || isTollfree(value)) return
  const error = await apply(c, plan, value)
  if (error !== null) await recordFailure(c, row, plan, error, [value])
}

const numberInput =
  (row: store.OrderRow, plans: readonly PresetPlan[], immediate: boolean) =>
  (value: string): NumberInput => {
    const applicable = (preset: Preset) => plans.find((p) => p.preset === preset && p.applies_to.length > 0)?.value
    const number_type = isTollfree(value) ? ('toll-free' as const) : ('longcode' as const)
    const scheduled = (preset: Preset) =>
      immediate && number_type === 'longcode' ? (applicable(preset) ?? null) : null
    const regions = areaOf(value.slice(1, 4))?.regions ?? []
    return {
      value,
      number_type,
      alias: applicable('alias') ?? null,
      state: regions.includes(row.state) ? row.state : (regions[0] ?? null),
      cnam_lookups_enabled: row.enable_cnam_lookups,
      primary_route_id: applicable('primary_route_id'),
      failover_route_id: applicable('failover_route_id') ?? null,
      cnam_id: scheduled('cnam_id'),
      e911_id: scheduled('e911_id'),
    }
  }

/** Applies a scheduled preset to one number; returns the error, or null. */
async function apply(
  c: WriteContext,
  { preset, value: record }: Pick<PresetPlan, 'preset' | 'value'>,
  value: string,
): Promise<string | null> {
  try {
    const set = preset === 'e911_id' ? setE911 : setCnam
    const errors = Object.values(await set(c, value, record)).flat()
    return errors.length === 0 ? null : errors.join(' ')
  } catch (error) {
    if (error instanceof Problem && error.type === 'not-found') return 'The number is no longer on the account.'
    throw error
  }
}

/**
 * Applies the scheduled presets of a completed order. Idempotent: skips numbers whose presets are applied, and records each
 * unusable record once.
 */
export async function activateOrder(deps: Deps, id: string, signal: AbortSignal): Promise<void> {
  const actor = systemActor(activateJob, null)
  const read = await store.findOrder(deps.db, actor, id)
  if (read?.status !== 'Completed') return
  const inOrderTransaction = <T>(work: (c: WriteContext, row: store.OrderRow) => Promise<T>) =>
    inTransaction(deps.db, async (tx) => {
      const c: WriteContext = { ...deps, tx, actor: systemActor(activateJob, read.account_id) }
      const row = await store.lockForUpdate(tx, c.actor, id)
      if (!row) throw new Error(`port order ${id} does not exist`)
      return await work(c, row)
    })
  const waiting = await numbersStore.unactivated(deps.db, read)
  const plans = await inOrderTransaction((c, row) => planActivation(c, row, waiting))
  for (const value of waiting) {
    signal.throwIfAborted()
    // one transaction per number, to hold row locks briefly
    await inOrderTransaction(async (c, row) => {
      const [activated] = await numbersStore.setActivated(c.tx, row, [value], c.clock.now())
      if (activated !== undefined) for (const plan of plans) await applyScheduled(c, row, plan, value)
    })
  }
}

/** The scheduled presets and their numbers. Records each unusable record once. */
async function planActivation(c: WriteContext, row: store.OrderRow, waiting: readonly string[]): Promise<PresetPlan[]> {
  const checks = await presetChecks(c.tx, row)
  const plans = presetPlans(checks, waiting).filter((p) => p.activation === 'morning')
  const unrecorded = plans.filter((p) => p.failures.length > 0 && !row.presets_failed.includes(p.preset))
  if (unrecorded.length > 0)
    await store.updateOrder(c.tx, row, { presets_failed: [...row.presets_failed, ...unrecorded.map((p) => p.preset)] })
  for (const plan of unrecorded) await recordFailures(c, row, plan)
  return plans
}

async function recordFailures(c: WriteContext, row: store.OrderRow, plan: PresetPlan): Promise<void> {
  for (const { reason, numbers } of plan.failures) await recordFailure(c, row, plan, reason, numbers)
}

const recordFailure = (
  c: WriteContext,
  row: store.OrderRow,
  { preset, value }: Pick<PresetPlan, 'preset' | 'value'>,
  reason: string,
  numbers: readonly string[],
) =>
  recordEvent(c, row.account_id, {
    type: 'portorder.preset_failed',
    ...subjectOf(row),
    data: { preset, value, reason, ...namedNumbers(numbers) },
  })

const subjectOf = ({ id }: store.OrderRow) => ({ subject_type: 'portorder', subject_id: id })

/** What completing the order now would do. Throws 409 for a final order. */
export async function previewCompletion(c: Context, row: store.Order) {
  if (portOrders.terminal(row.status))
    throw problem(
      'conflict',
      `Cannot preview the completion while the port order is in status ${row.status}. Statuses that allow it: ${portOrders.activeStatuses.join(', ')}.`,
    )
  const on_accounts = new Set(await takenNumbers(c.tx, row.numbers))
  const taken = row.numbers.filter((v) => on_accounts.has(v))
  const coming = row.numbers.filter((v) => !on_accounts.has(v))
  const plans = presetPlans(await presetChecks(c.tx, row), coming)
  const failure = ({ reason, numbers }: { reason: string; numbers: readonly string[] }) => ({
    reason,
    ...namedNumbers(numbers),
  })
  return {
    completion_date: row.completion_date,
    activation_at: row.completion_date === null ? null : toSecond(activationTime(row.completion_date, c.time_zone)),
    numbers_count: coming.length,
    failures: taken.length === 0 ? [] : [failure({ reason: 'Already on an account.', numbers: taken })],
    presets: plans.map(({ applies_to, failures, ...plan }) => ({
      ...plan,
      applied_count: applies_to.length,
      failures: failures.map(failure),
    })),
  }
}
