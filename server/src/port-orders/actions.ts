import { dateIn, isBusinessDay, portOrders } from '@demarc/client'
import type { Context, Deps, WriteContext } from '../platform/context.ts'
import { systemActor } from '../platform/actor.ts'
import { inTransaction } from '../platform/db.ts'
import { listEvents, recordEvent } from '../platform/events.ts'
import { notFound } from '../platform/problem.ts'
import { ownTurn } from '../platform/turns.ts'
import { numberFacts } from './facts.ts'
import { nextCarrierStep, expireJob, transitionOrder, carrierJob, warnJob } from './transitions.ts'
import { warningDays, warningTimes } from './rules.ts'
import type { TransitionRequest } from './transitions.ts'
import { withNumbers } from './numbers-store.ts'
import { carrierOf, carriersOf, businessHoursOf } from './dependencies.ts'
import type { PortOrderDependencies } from './dependencies.ts'
import { portabilityOf } from './portability.ts'
import { findingsOf } from './preflight.ts'
import { loaWarnings } from './signing.ts'
import type { Warning } from './signing.ts'
import * as store from './store.ts'
import { lockOrderForUpdate } from './view.ts'

/** Transitions by the operator, by expiry and by the losing carrier; preflight check and portability check. */

type OperatorTransition = Omit<TransitionRequest, 'actor' | 'details'>

/** Changes the status of an order for the operator, and returns warnings. Throws 404, 409 and 422. */
export async function operatorTransition(
  c: WriteContext,
  dependencies: PortOrderDependencies,
  id: string,
  request: OperatorTransition,
): Promise<{ order: store.Order; warnings: Warning[] }> {
  const order = await withNumbers(c.tx, await lockOrderForUpdate(c, id))
  const warnings = await warningsOf(c, order, request)
  const details = warnings.length === 0 ? {} : { warnings: warnings.map((w) => w.code) }
  return { order: await transitionOrder(c, dependencies, order, { ...request, actor: 'operator', details }), warnings }
}

async function warningsOf(c: WriteContext, order: store.Order, request: OperatorTransition): Promise<Warning[]> {
  if (request.to === 'Submitted') return await loaWarnings(c, order)
  const warnings: Warning[] = []
  if (request.reason_code && portOrders.classify(request.reason_code).code === 'unclassified')
    warnings.push({ code: 'unclassified', message: 'The code is not in the catalog. It is shown as entered.' })
  if (!request.completion_date) return warnings
  if (request.completion_date < dateIn(c.clock.now(), c.time_zone))
    warnings.push({ code: 'date_past', message: `${request.completion_date} is in the past.` })
  if (!isBusinessDay(request.completion_date, businessHoursOf(c.time_zone, order.country).calendar))
    warnings.push({ code: 'date_not_business_day', message: `${request.completion_date} is not a business day.` })
  return warnings
}

/** Runs the work of a job on one locked order; undefined when the order does not exist. */
async function withLockedOrder<T>(
  deps: Deps,
  job: string,
  id: string,
  work: (c: WriteContext, row: store.OrderRow) => Promise<T>,
): Promise<T | undefined> {
  return await inTransaction(deps.db, async (tx) => {
    const row = await store.lockForUpdate(tx, systemActor(job, null), id)
    return row ? await work({ ...deps, tx, actor: systemActor(job, row.account_id) }, row) : undefined
  })
}

/** Closes an overdue order. Rechecks the due time under the lock, because the order may have changed since the job was scheduled. */
export async function expireOrder(
  deps: Deps,
  dependencies: PortOrderDependencies,
  id: string,
): Promise<{ again_at: Date } | void> {
  return await withLockedOrder(deps, expireJob, id, async (c, row) => {
    const { becomes, due_at } = portOrders.nextStepOf(row)
    if (becomes === null || due_at === null) return
    if (c.clock.now() < due_at) return { again_at: due_at }
    await transitionOrder(c, dependencies, await withNumbers(c.tx, row), {
      to: becomes,
      actor: 'system',
      details: { idle_days: portOrders.idleDays },
    })
  })
}

/**
 * Records ten days and three days in advance that an idle order is about to be closed. Idempotent: the timeline shows which
 * warnings were recorded.
 */
export async function warnOfExpiry(deps: Deps, id: string): Promise<{ again_at: Date } | void> {
  return await withLockedOrder(deps, warnJob, id, async (c, row) => {
    const { becomes, due_at } = portOrders.nextStepOf(row)
    const now = c.clock.now()
    if (becomes === null || due_at === null || now >= due_at) return
    const [first, second] = warningTimes(due_at)
    if (now < first) return { again_at: first }
    const days_left = warningDays[now < second ? 0 : 1]
    const subject = { subject_type: 'portorder', subject_id: id }
    const type = 'portorder.expiring'
    const [latest] = await listEvents(c.tx, { type, ...subject, limit: 1, offset: 0 })
    if (!latest || latest.occurred_at < (days_left === warningDays[0] ? first : second))
      await recordEvent(c, row.account_id, {
        type,
        ...subject,
        data: { status: row.status, becomes, due_at: due_at.toISOString(), days_left },
      })
    if (now < second) return { again_at: second }
  })
}

/** Makes the losing carrier's next transition if it is due. Idempotent: the next step is derived from the order. */
export async function runCarrierStep(
  deps: Deps,
  dependencies: PortOrderDependencies,
  id: string,
): Promise<{ again_at: Date } | void> {
  return await withLockedOrder(deps, carrierJob, id, async (c, row) => {
    const order = await withNumbers(c.tx, row)
    const next = nextCarrierStep(c, dependencies, order)
    if (!('transition' in next)) return
    const { at, ...request } = next.transition
    if (c.clock.now() < at) return { again_at: at }
    await transitionOrder(c, dependencies, order, {
      ...request,
      actor: 'operator',
      details: { carrier: carrierOf(dependencies, c.time_zone, order).name },
    })
  })
}

/** The preflight check: every reason for which the order would be rejected. */
export async function checkOrder(c: Context, dependencies: PortOrderDependencies, order: store.Order) {
  const findings = await findingsOf(c, dependencies, order, { refusals: true })
  return {
    ok: findings.every((f) => f.severity === 'warning'),
    findings: findings.map((f) => ({ ...f, title: portOrders.rejectCodes[f.code].title })),
  }
}

/** Which of these numbers can be ported, and why not. */
export async function portability(c: Context, dependencies: PortOrderDependencies, numbers: readonly string[]) {
  const carriers = carriersOf(dependencies, businessHoursOf(c.time_zone, 'US'))
  const facts = await numberFacts(c.tx, numbers, carriers, { account_id: c.actor.account_id })
  await ownTurn(numbers.length)
  const results = numbers.map((text) => ({ text, result: portabilityOf(text, facts) }))
  return {
    portable: results.flatMap(({ result }) => (result.portable ? [result.number] : [])),
    nonportable: results.flatMap(({ text, result }) =>
      result.portable ? [] : [{ number: result.number ?? text, code: result.code, reason: result.reason }],
    ),
    details: results.flatMap(({ result }) =>
      result.portable
        ? [
            {
              number: result.number,
              kind: result.kind,
              country: result.area?.country ?? null,
              regions: [...(result.area?.regions ?? [])],
              carrier: result.carrier,
            },
          ]
        : [],
    ),
  }
}

/** The orders of one request. Throws 404 when the actor sees none. */
export async function requireGroup(c: Context, group_id: string): Promise<store.OrderRow[]> {
  const rows = await store.groupOrders(c.tx, c.actor, group_id)
  if (rows.length === 0) throw notFound(c.actor, `No group ${group_id}`)
  return rows
}
