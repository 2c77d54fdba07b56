import { addBusinessDays, dateIn, instantAt, portOrders } from '@demarc/client'
import { createCnam } from '../src/cnam/index.ts'
import { setE911 } from '../src/numbers/index.ts'
import type { Actor } from '../src/platform/actor.ts'
import type { WriteContext } from '../src/platform/context.ts'
import { throwIfInvalid } from '../src/platform/problem.ts'
import { createOrders, type OrderRow, type PortOrderDependencies } from '../src/port-orders/index.ts'
import { atTime } from './at-time.ts'
import { castAddresses, createValidAddress, practice, type CastAddress } from './addresses.ts'
import { dentist } from './cast.ts'
import { seedDeliveries } from './deliveries.ts'
import { seedPastOrders } from './past-orders.ts'
import type { Records } from './reseller.ts'
import { portoutSteps } from './port-outs.ts'
import type { CastPortOrder } from './port-order-steps.ts'
import { castPortOrders } from './port-orders.ts'

/**
 * The cast's history since its accounts were opened, created by the same actions as the API with the clock at each event's
 * time.
 */

export interface History {
  dependencies: PortOrderDependencies
  actors: { dentist: Actor; reseller: Actor; operator: Actor }
  /** Records of the dentist that ported numbers use. */
  voice_route_id: string
  cnam_id: string
  /** Records of the reseller that its numbers use. */
  reseller_records: Records
}

/** An action at a point in time. */
interface Scheduled {
  days_ago: number
  time: string
  run(at: Moment): Promise<unknown>
}

/** The contexts of every actor, with the clock at one time. */
type Moment = Record<keyof History['actors'], WriteContext>

/** Runs the whole history in chronological order, because an account's events are numbered as they are written. */
export async function seedHistory(c: WriteContext, history: History): Promise<void> {
  const address_ids = new Map<string, string>()
  const today = dateIn(c.clock.now(), c.time_zone)
  const day = (business_days: number) => addBusinessDays(today, business_days, { country: 'US' })
  // older than everything below
  await seedPastOrders({ ...c, actor: history.actors.reseller }, history, day)
  const entries: Scheduled[] = [
    ...waitingNames(),
    ...castAddresses.map((address) => addressEntry(address, address_ids)),
    ...castPortOrders.flatMap((order) => orderEntries(order, history, address_ids, day)),
    ...portoutSteps(day),
  ]
  const scheduled = entries.map(({ days_ago, time, run }) => ({
    at: instantAt(day(-days_ago), minutesOf(time), c.time_zone),
    run,
  }))
  for (const { at, run } of scheduled.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    const as = (actor: Actor) => ({ ...atTime(c, at), actor })
    const { dentist: first, reseller: second, operator } = history.actors
    await run({ dentist: as(first), reseller: as(second), operator: as(operator) })
  }
  await seedDeliveries(c, history.actors.dentist)
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

/** Caller ID names pending the operator's decision. */
const waitingNames = (): Scheduled[] =>
  dentist.cnams
    .filter(({ decision }) => decision === 'pending')
    .map(({ value }) => ({ days_ago: 2, time: '11:20', run: (at) => createCnam(at.dentist, value) }))

const addressEntry = (
  { account, days_ago, time, attributes, numbers }: CastAddress,
  ids: Map<string, string>,
): Scheduled => ({
  days_ago,
  time,
  async run(at) {
    const c = at[account]
    const { id } = await createValidAddress(c, attributes)
    ids.set(attributes.label, id)
    for (const number of numbers) throwIfInvalid(await setE911(c, number, id))
  },
})

function orderEntries(
  { account, attributes, preset_alias, orders, ...created }: CastPortOrder,
  { dependencies, voice_route_id, cnam_id }: History,
  address_ids: ReadonlyMap<string, string>,
  day: (business_days: number) => string,
): Scheduled[] {
  let rows: OrderRow[] = []
  const create = async (at: Moment) => {
    const e911_id = address_ids.get(practice)
    const presets = { primary_route_id: voice_route_id, cnam_id, e911_id, alias: preset_alias }
    const input = portOrders.newPortOrder.parse(preset_alias === undefined ? attributes : { ...attributes, presets })
    rows = (await createOrders(at[account], dependencies, { ...input, copy_of: null })).orders
  }
  const steps = orders.flatMap((each, i) =>
    each.steps.map(({ days_ago, time, action }) => ({
      days_ago,
      time,
      run(at: Moment) {
        const order = rows[i]
        if (!order) throw new Error(`${attributes.alias} was split into ${rows.length} orders`)
        return action({ account: at[account], operator: at.operator, dependencies, order, day })
      },
    })),
  )
  return [{ ...created, run: create }, ...steps]
}
