import { setTimeout as sleep } from 'node:timers/promises'
import { addInterval, type MovableClock } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { PartUnavailable } from '../platform/unavailable.ts'
import { nextDue } from '../platform/jobs.ts'
import { invalid } from '../platform/problem.ts'

/** How long due work may take before moving the clock gives up on the worker. */
const settle_ms = 120_000
/** Every day on the way has its chores, which take their time. */
const step_max_years = 10

/**
 * Moves the clock forward and answers the new time once everything that fell due on the way has been done, in the order
 * in which it fell due: the clock stops at each due time until the work is done. Throws 422 for a time that is not ahead.
 */
export async function moveClock(
  c: Context,
  clock: MovableClock,
  to: { advance?: string | undefined; set?: string | undefined },
): Promise<Date> {
  const target = await targetOf(c, clock, to)
  await settled(c, clock)
  for (;;) {
    const due = await nextDue(c.db, clock.now())
    const next = due !== null && due < target ? due : target
    if (next > clock.now()) await clock.moveTo(next)
    await settled(c, clock)
    if (next === target) return clock.now()
  }
}

async function targetOf(
  c: Context,
  clock: MovableClock,
  to: { advance?: string | undefined; set?: string | undefined },
): Promise<Date> {
  const now = clock.now()
  if (to.set !== undefined) {
    const target = new Date(to.set)
    if (target < now)
      throw invalid({ set: [`Must not be before the clock, which reads ${now.toISOString()}. It goes forward only.`] })
    if (target > furthest(now)) throw invalid({ set: [tooFar] })
    return target
  }
  const target = await addInterval(c.db, now, to.advance ?? '')
  if (target === null)
    throw invalid({
      advance: ['Must be an interval in PostgreSQL’s words, such as "45 days" or "3 hours 30 minutes".'],
    })
  if (target < now) throw invalid({ advance: ['Must not be negative: the clock goes forward only.'] })
  if (target > furthest(now)) throw invalid({ advance: [tooFar] })
  return target
}

const furthest = (now: Date) => new Date(now.getTime() + step_max_years * 366 * 86_400_000)
const tooFar = `Must be ${step_max_years} years at most.`

/** Waits until nothing is due any more. */
async function settled(c: Context, clock: MovableClock): Promise<void> {
  const end = performance.now() + settle_ms
  for (;;) {
    const due = await nextDue(c.db, clock.now())
    if (due === null || due > clock.now()) return
    if (performance.now() > end) throw new PartUnavailable('The worker, which has work that is due and does not do it,')
    await sleep(10)
  }
}
