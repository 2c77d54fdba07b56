import { dateIn, isBusinessDay, portOrders } from '@demarc/client'
import type { Context, Deps, WriteContext } from '../platform/context.ts'
import { systemActor } from '../platform/actor.ts'
import { inTransaction } from '../platform/db.ts'
import { notFound } from '../platform/problem.ts'
import { openSecrets } from './details.ts'
import { examine } from './check/examine.ts'
import { knownNumbers } from './facts.ts'
import { carriersNext, expireJob, moveOrder, playJob } from './transitions.ts'
import type { Move } from './transitions.ts'
import { numbersOf } from './numbers-store.ts'
import { carrierOf, carriersOf, placeOf } from './parts.ts'
import type { Parts } from './parts.ts'
import { portabilityOf } from './portability.ts'
import { withPlus } from './rules.ts'
import { loaWarnings } from './signing.ts'
import type { Warning } from './signing.ts'
import * as store from './store.ts'
import { lockOrder, viewOf } from './view.ts'

/** The operator's moves, the calendar's, the losing carrier's; and what can be known beforehand. */

type OperatorMove = Omit<Move, 'by' | 'noted'>

/** Moves an order in the operator's name. Gives what the operator should know of it. Throws 404, 409 and 422. */
export async function operatorMoves(
  c: WriteContext,
  parts: Parts,
  id: string,
  move: OperatorMove,
): Promise<{ row: store.OrderRow; warnings: Warning[] }> {
  const row = await lockOrder(c, id)
  const warnings = await warningsOf(c, row, move)
  const noted = warnings.length === 0 ? {} : { warnings: warnings.map((w) => w.code) }
  return { row: await moveOrder(c, parts, row, { ...move, by: 'operator', noted }), warnings }
}

async function warningsOf(c: WriteContext, row: store.OrderRow, move: OperatorMove): Promise<Warning[]> {
  if (move.to === 'Submitted') return await loaWarnings(c, row)
  const warnings: Warning[] = []
  if (move.reason_code && portOrders.classify(move.reason_code).code === 'unclassified')
    warnings.push({ code: 'unclassified', message: 'The code is not in the catalogue; it is shown as it was given.' })
  if (!move.completion_date) return warnings
  if (move.completion_date < dateIn(c.clock.now(), c.time_zone))
    warnings.push({ code: 'date_past', message: `${move.completion_date} is past.` })
  if (!isBusinessDay(move.completion_date, placeOf(c.time_zone, row.country).calendar))
    warnings.push({ code: 'date_not_business_day', message: `${move.completion_date} is not a business day.` })
  return warnings
}

/** Work on one locked order in a job's name; nothing when it is gone. */
async function onOrder<T>(
  deps: Deps,
  job: string,
  id: string,
  work: (c: WriteContext, row: store.OrderRow) => Promise<T>,
): Promise<T | undefined> {
  return await inTransaction(deps.db, async (tx) => {
    const row = await store.lockOrder(tx, systemActor(job, null), id)
    return row ? await work({ ...deps, tx, actor: systemActor(job, row.account_id) }, row) : undefined
  })
}

/** Closes an order that is over its time. Looks again under the lock: it may have been changed, moved or closed since it was rung for. */
export async function expireOrder(deps: Deps, parts: Parts, id: string): Promise<{ again_at: Date } | void> {
  return await onOrder(deps, expireJob, id, async (c, row) => {
    const { becomes, due_at } = portOrders.nextStepOf(row)
    if (becomes === null || due_at === null) return
    if (c.clock.now() < due_at) return { again_at: due_at }
    await moveOrder(c, parts, row, { to: becomes, by: 'system', noted: { idle_days: portOrders.idleDays } })
  })
}

/** Makes the losing carrier's next move if it is due. Asked again it moves nothing twice: the order's own row says where it stands. */
export async function playCarrier(deps: Deps, parts: Parts, id: string): Promise<{ again_at: Date } | void> {
  return await onOrder(deps, playJob, id, async (c, row) => {
    const numbers = (await numbersOf(c.tx, [row.id])).get(row.id) ?? []
    const next = carriersNext(c, parts, row, numbers)
    if (!('move' in next)) return
    const { at, ...move } = next.move
    if (c.clock.now() < at) return { again_at: at }
    await moveOrder(c, parts, row, {
      ...move,
      by: 'operator',
      noted: { carrier: carrierOf(parts, c.time_zone, row).name },
    })
  })
}

/** Everything that would bring the order back. */
export async function checkOrder(c: Context, parts: Parts, row: store.OrderRow) {
  const { numbers, documents, signing } = await viewOf(c.tx, row, false)
  const given = numbers.map(withPlus)
  const secrets = openSecrets(c, row)
  const known = await knownNumbers(c.tx, given, [carrierOf(parts, c.time_zone, row)], row.id)
  const found = examine(
    {
      ...row,
      numbers: given,
      documents,
      pin: secrets.pin ?? '',
      last_4_ssn: secrets.last_4_ssn ?? '',
      loa_signed_at: signing?.signed_at ?? null,
    },
    { now: c.clock.now(), ...placeOf(c.time_zone, row.country), known },
  )
  return {
    ok: found.every((f) => f.severity === 'warning'),
    findings: found.map((f) => ({ ...f, title: portOrders.rejectCodes[f.code].title })),
  }
}

/** Which of these numbers can be ported, and why not. */
export async function portability(c: Context, parts: Parts, numbers: readonly string[]) {
  const known = await knownNumbers(c.tx, numbers, carriersOf(parts, placeOf(c.time_zone, 'US')))
  const judged = numbers.map((given) => ({ given, judgement: portabilityOf(given, known) }))
  return {
    portable: judged.flatMap(({ judgement: j }) => (j.portable ? [j.number] : [])),
    nonportable: judged.flatMap(({ given, judgement: j }) =>
      j.portable ? [] : [{ number: j.number ?? given, code: j.code, reason: j.because }],
    ),
    details: judged.flatMap(({ judgement: j }) =>
      j.portable
        ? [
            {
              number: j.number,
              kind: j.kind,
              country: j.area?.country ?? null,
              regions: [...(j.area?.regions ?? [])],
              carrier: j.carrier,
            },
          ]
        : [],
    ),
  }
}

/** The orders of one request. Throws 404 when the actor sees none. */
export async function requireGroup(c: Context, group_id: string): Promise<store.OrderRow[]> {
  const rows = await store.groupOrders(c.tx, c.actor, group_id)
  if (rows.length === 0) throw notFound(`No group ${group_id}`)
  return rows
}
