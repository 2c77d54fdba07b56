import type { NumberInput } from '../numbers/index.ts'
import { createNumbers, setCnam, setE911 } from '../numbers/index.ts'
import { actIn, systemActor } from '../platform/actor.ts'
import type { Context, Deps, WriteContext } from '../platform/context.ts'
import { inTransaction } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { enqueue } from '../platform/jobs.ts'
import { Problem, problem } from '../platform/problem.ts'
import { portOrders } from '@demarc/client'
import { areaOf } from './area-codes.ts'
import { morningOf, morningOrNow } from './calendar/porting-interval.ts'
import { knownNumbers } from './facts.ts'
import * as numbersStore from './numbers-store.ts'
import { presetStandings } from './presets.ts'
import { isTollfree, namedNumbers, presetPlans, toSecond, withPlus } from './rules.ts'
import type { Preset, PresetPlan } from './rules.ts'
import * as store from './store.ts'

/** Completion: the numbers come onto the account, and the presets onto the numbers, each failing alone. */

/** Does on the morning what waits for it; its key is the order's id. */
export const activateJob = 'activate-port-order'

/**
 * Puts the numbers of a completing order on the account with routes and alias, and sees to caller-ID name and emergency
 * address: now when the morning is past, else by a job. Whatever fails stands on the timeline.
 */
export async function completeOrder(
  c: WriteContext,
  row: store.OrderRow,
  values: readonly string[],
  left_behind: readonly string[],
): Promise<void> {
  const now = c.clock.now()
  const morning = morningOrNow(now, c.time_zone)
  const staying = new Set(left_behind)
  const coming = values.filter((v) => !staying.has(v))
  // records before the account's chain of events: whoever deletes one takes them in this order too
  const plans = presetPlans(await presetStandings(c.tx, row), coming)
  const at_once = morning <= now
  const own = actIn(c, row.account_id)
  const { created, taken } = await createNumbers(own, row.account_id, coming.map(wishOf(row, plans, at_once)))
  const ported = created.map((n) => n.value)
  await numbersStore.setOutcome(c.tx, row, ported, 'ported')
  if (taken.length > 0) await numbersStore.setOutcome(c.tx, row, taken, 'taken')
  if (left_behind.length > 0) await numbersStore.setOutcome(c.tx, row, left_behind, 'left_behind')
  if (taken.length > 0)
    await recordEvent(c, row.account_id, {
      type: 'portorder.numbers_failed',
      ...subjectOf(row),
      data: { because: 'On an account already.', ...namedNumbers(taken) },
    })
  if (left_behind.length > 0)
    await recordEvent(c, row.account_id, {
      type: 'portorder.numbers_left_behind',
      ...subjectOf(row),
      data: { because: 'The losing carrier did not release them.', ...namedNumbers(left_behind) },
    })
  const told = plans.filter((p) => p.when === 'completion' || at_once)
  for (const plan of told) await tellFailures(c, row, plan)
  // with the morning past, everything came with the numbers
  if (at_once || plans.every((p) => p.when === 'completion')) await numbersStore.setActivated(c.tx, row, ported, now)
  else await enqueue(c.tx, activateJob, row.id, morning)
}

async function applyTo(c: WriteContext, row: store.OrderRow, plan: PresetPlan, value: string): Promise<void> {
  if (plan.works_for.length === 0 || isTollfree(value)) return
  const why = await apply(c, plan, value)
  if (why !== null) await tellFailure(c, row, plan, why, [value])
}

const wishOf =
  (row: store.OrderRow, plans: readonly PresetPlan[], at_once: boolean) =>
  (value: string): NumberInput => {
    const working = (preset: Preset) => plans.find((p) => p.preset === preset && p.works_for.length > 0)?.value
    const number_type = isTollfree(value) ? ('toll-free' as const) : ('longcode' as const)
    const morning = (preset: Preset) => (at_once && number_type === 'longcode' ? (working(preset) ?? null) : null)
    const regions = areaOf(value.slice(1, 4))?.regions ?? []
    return {
      value,
      number_type,
      alias: working('alias') ?? null,
      state: regions.includes(row.state) ? row.state : (regions[0] ?? null),
      cnam_lookups_enabled: row.enable_cnam_lookups,
      primary_route_id: working('primary_route_id'),
      failover_route_id: working('failover_route_id') ?? null,
      cnam_id: morning('cnam_id'),
      e911_id: morning('e911_id'),
    }
  }

/** Gives one number a preset that waited; what stands against it, or null. */
async function apply(
  c: WriteContext,
  { preset, value: record }: Pick<PresetPlan, 'preset' | 'value'>,
  value: string,
): Promise<string | null> {
  try {
    const give = preset === 'e911_id' ? setE911 : setCnam
    const faults = Object.values(await give(c, value, record)).flat()
    return faults.length === 0 ? null : faults.join(' ')
  } catch (error) {
    if (error instanceof Problem && error.type === 'not-found') return 'The number has left the account meanwhile.'
    throw error
  }
}

/**
 * The morning's work of a completed order. Safe to run twice: a number whose work is done is not looked at again, and a
 * record that cannot be used is told of once.
 */
export async function activateOrder(deps: Deps, id: string, signal: AbortSignal): Promise<void> {
  const actor = systemActor(activateJob, null)
  const read = await store.findOrder(deps.db, actor, id)
  if (read?.status !== 'Completed') return
  const act = <T>(work: (c: WriteContext, row: store.OrderRow) => Promise<T>) =>
    inTransaction(deps.db, async (tx) => {
      const c: WriteContext = { ...deps, tx, actor: systemActor(activateJob, read.account_id) }
      const row = await store.lockOrder(tx, c.actor, id)
      if (!row) throw new Error(`port order ${id} is gone`)
      return await work(c, row)
    })
  const waiting = await numbersStore.unactivated(deps.db, read)
  const plans = await act((c, row) => planMorning(c, row, waiting))
  for (const value of waiting) {
    signal.throwIfAborted()
    // one number, one transaction: nobody who changes that number waits for a thousand others
    await act(async (c, row) => {
      const [mine] = await numbersStore.setActivated(c.tx, row, [value], c.clock.now())
      if (mine !== undefined) for (const plan of plans) await applyTo(c, row, plan, value)
    })
  }
}

/** Plans the morning as things stand now, telling of what cannot work once. */
async function planMorning(c: WriteContext, row: store.OrderRow, waiting: readonly string[]): Promise<PresetPlan[]> {
  const standings = await presetStandings(c.tx, row)
  const plans = presetPlans(standings, waiting).filter((p) => p.when === 'morning')
  const news = plans.filter((p) => p.fails.length > 0 && !row.presets_failed.includes(p.preset))
  if (news.length > 0)
    await store.updateOrder(c.tx, row, { presets_failed: [...row.presets_failed, ...news.map((p) => p.preset)] })
  for (const plan of news) await tellFailures(c, row, plan)
  return plans
}

async function tellFailures(c: WriteContext, row: store.OrderRow, plan: PresetPlan): Promise<void> {
  for (const { because, numbers } of plan.fails) await tellFailure(c, row, plan, because, numbers)
}

const tellFailure = (
  c: WriteContext,
  row: store.OrderRow,
  { preset, value }: Pick<PresetPlan, 'preset' | 'value'>,
  because: string,
  numbers: readonly string[],
) =>
  recordEvent(c, row.account_id, {
    type: 'portorder.preset_failed',
    ...subjectOf(row),
    data: { preset, value, because, ...namedNumbers(numbers) },
  })

const subjectOf = ({ id }: store.OrderRow) => ({ subject_type: 'portorder', subject_id: id })

/** What completion would do as things stand now. Throws 409 for an order that is over. */
export async function previewCompletion(c: Context, row: store.OrderRow) {
  if (portOrders.terminal(row.status))
    throw problem(
      'conflict',
      `Cannot preview the completion while the port order is in status ${row.status}. Statuses that allow it: ${portOrders.activeStatuses.join(', ')}.`,
    )
  const values = (await numbersStore.numbersOf(c.tx, [row.id])).get(row.id) ?? []
  const { ours } = await knownNumbers(c.tx, values.map(withPlus), [])
  const taken = values.filter((v) => ours.has(withPlus(v)))
  const coming = values.filter((v) => !ours.has(withPlus(v)))
  const plans = presetPlans(await presetStandings(c.tx, row), coming)
  const failure = ({ because, numbers }: { because: string; numbers: readonly string[] }) => ({
    because,
    ...namedNumbers(numbers),
  })
  return {
    completion_date: row.completion_date,
    morning_at: row.completion_date === null ? null : toSecond(morningOf(row.completion_date, c.time_zone)),
    numbers_count: coming.length,
    fails: taken.length === 0 ? [] : [failure({ because: 'On an account already.', numbers: taken })],
    presets: plans.map(({ works_for, fails, ...plan }) => ({
      ...plan,
      works_for: works_for.length,
      fails: fails.map(failure),
    })),
  }
}
