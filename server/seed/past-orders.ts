import { instantAt, portOrders, type CivilDate } from '@demarc/client'
import { sql } from 'kysely'
import { createNumbers } from '../src/numbers/index.ts'
import { actorName, type Actor } from '../src/platform/actor.ts'
import type { WriteContext } from '../src/platform/context.ts'
import { atTime } from './at-time.ts'
import { customerName, reseller } from './cast.ts'
import { first_numbers, resellerNumber, type Records } from './reseller.ts'

/**
 * The reseller's port orders before those of the history, all of them final: one round of orders every other business day.
 * There are hundreds, so each round is inserted as a set, with the events that its transitions would record. Their LOAs were
 * signed on paper, because rendering one takes longer than the rest of an order.
 */

const rounds = 12
const ordersOfRound = 25
const orders_count = rounds * ordersOfRound
/** Business days before today. */
const first_round_days_ago = 66
/** Order ids start at 1001; earlier orders are numbered below that, so that all are in chronological order. */
const first_id = 1001 - orders_count
const first_group_id = 1001 - rounds

interface Actors {
  reseller: Actor
  operator: Actor
}

/** The outcome of an order, by its place in the round. */
function outcomeAt(place: number): 'Completed' | 'Canceled' | 'Abandoned' {
  if (place < 20) return 'Completed'
  return place < 23 ? 'Canceled' : 'Abandoned'
}
const numbersOfOrder = reseller.ported / (rounds * 20)

interface PastEvent {
  id: string
  at: Date
  actor: string
  verb: string
  data: Record<string, unknown>
}

interface PastOrder {
  id: string
  place: number
  status: ReturnType<typeof outcomeAt>
  values: readonly string[]
  customer: string
}

interface Moments {
  created: Date
  signed: Date
  submitted: Date
  accepted: Date
  completed: Date
}

/** Inserts the orders with their numbers, comments, and events. `day` is in business days from today. */
export async function seedPastOrders(
  c: WriteContext,
  { actors, reseller_records }: { actors: Actors; reseller_records: Records },
  day: (business_days: number) => CivilDate,
): Promise<void> {
  const account_id = c.actor.account_id ?? ''
  for (let round = 0; round < rounds; round++) {
    const opened = day(2 * round - first_round_days_ago)
    const completion_date = day(2 * round - first_round_days_ago + 1)
    const at = (date: CivilDate, minutes: number) => instantAt(date, minutes, c.time_zone)
    const moments: Moments = {
      created: at(opened, 9 * 60 + 10),
      signed: at(opened, 9 * 60 + 40),
      submitted: at(opened, 11 * 60),
      accepted: at(opened, 15 * 60 + 20),
      completed: at(completion_date, 8 * 60 + 5),
    }
    const orders = Array.from({ length: ordersOfRound }, (_, place) => pastOrder(round, place))
    const rows = orders.map((order) => rowOf(order, { account_id, round, completion_date, moments }))
    await insertOrders(c, rows, orders, moments)
    const events = orders.flatMap((order) => eventsOf(order, moments, { actors, completion_date, round }))
    const sorted = events.toSorted((a, b) => a.at.getTime() - b.at.getTime())
    await recordEvents(
      c,
      account_id,
      sorted.filter((event) => event.at < moments.completed),
    )
    const coming = orders.flatMap(({ place, status }) => (status === 'Completed' ? numbersAt(round, place) : []))
    const operator = { ...atTime(c, moments.completed), actor: actors.operator }
    await createNumbers(
      operator,
      account_id,
      coming.map((i) => resellerNumber(i, reseller_records)),
    )
    await recordEvents(
      c,
      account_id,
      sorted.filter((event) => event.at >= moments.completed),
    )
  }
}

function pastOrder(round: number, place: number): PastOrder {
  const index = round * ordersOfRound + place
  const status = outcomeAt(place)
  return {
    id: String(first_id + index),
    place,
    status,
    // numbers of an abandoned order stayed with their carrier
    values:
      status === 'Completed'
        ? numbersAt(round, place).map((i) => resellerNumber(i, { routes: [], cnams: [], addresses: [] }).value)
        : [String(15_035_650_000 + index)],
    customer: customerName(index),
  }
}

const numbersAt = (round: number, place: number) =>
  Array.from({ length: numbersOfOrder }, (_, i) => first_numbers + (round * 20 + place) * numbersOfOrder + i)

function rowOf(
  { id, place, status, values, customer }: PastOrder,
  at: { account_id: string; round: number; completion_date: CivilDate; moments: Moments },
) {
  const { created, signed, submitted, accepted, completed } = at.moments
  const rejected = status === 'Abandoned'
  const ended_at = status === 'Completed' ? completed : rejected ? accepted : signed
  return {
    account_id: at.account_id,
    id,
    group_id: String(first_group_id + at.round),
    status,
    alias: customer,
    ...billing,
    billing_name: customer,
    company: customer,
    street: `${100 + place * 2} Example Row`,
    provider_account: String(50_000 + Number(id)),
    numbers_count: values.length,
    created_at: created,
    updated_at: created,
    modified_at: ended_at,
    entered_at: ended_at,
    completion_date: status === 'Completed' ? at.completion_date : null,
    date_ever_given: status === 'Completed',
    rejections: rejected ? 1 : 0,
    rejection_raw: rejected ? rejection.code : null,
    rejection_reason: rejected ? rejection.reason : null,
    rejected_at: rejected ? submitted : null,
  }
}

const rejection = { code: 'service_freeze', reason: 'The account is frozen until its contract ends.' } as const

/** Columns with the same value in all of these orders. */
const billing = {
  billing_number: '',
  street2: '',
  city: 'Portland',
  state: 'OR',
  zip: '97205',
  country: 'US',
  provider: 'Old Mill Telephone Company',
  usage_type: 'Business',
  desired_completion_date: null,
  enable_cnam_lookups: false,
  loa_cc: '',
  loa_email: '',
  status_url: '',
  pin: null,
  pin_mask: '',
  last_4_ssn: null,
  price: '7.50',
  cnam_id: null,
  e911_id: null,
  primary_route_id: null,
  failover_route_id: null,
  number_alias: null,
  presets_failed: [],
  due_at: null,
  reschedules: 0,
}

/** The events that an order's transitions record. */
function eventsOf(
  { id, status, values }: PastOrder,
  moments: Moments,
  { actors, completion_date, round }: { actors: Actors; completion_date: CivilDate; round: number },
): PastEvent[] {
  const [account, operator] = [actorName(actors.reseller), actorName(actors.operator)]
  const named = { numbers_count: values.length, numbers: values.map((value) => `+${value}`) }
  const group_id = String(first_group_id + round)
  const reason = 'Local numbers in the US at Old Mill Telephone Company.'
  const created = { id, at: moments.created, actor: account, verb: 'created', data: { group_id, reason, ...named } }
  if (status === 'Canceled')
    return [
      created,
      { id, at: moments.signed, actor: account, verb: 'canceled', data: { from: 'Pending', to: status } },
    ]
  const { entry } = portOrders.classify(rejection.code)
  const refused = { code: rejection.code, raw: rejection.code, title: entry.title, reason: rejection.reason }
  const signed = { id, at: moments.signed, actor: account, verb: 'signed', data: { from: 'Pending', to: 'Processing' } }
  if (status === 'Abandoned')
    return [
      created,
      signed,
      {
        id,
        at: moments.submitted,
        actor: operator,
        verb: 'rejected',
        data: { from: 'Processing', to: 'Rejected', ...refused },
      },
      { id, at: moments.accepted, actor: account, verb: 'canceled', data: { from: 'Rejected', to: status } },
    ]
  return [
    created,
    signed,
    { id, at: moments.submitted, actor: operator, verb: 'submitted', data: { from: 'Processing', to: 'Submitted' } },
    {
      id,
      at: moments.accepted,
      actor: operator,
      verb: 'accepted',
      data: { from: 'Submitted', to: 'Accepted', completion_date },
    },
    { id, at: moments.completed, actor: operator, verb: 'completed', data: { from: 'Accepted', to: status } },
  ]
}

async function insertOrders(
  { tx, actor }: WriteContext,
  rows: readonly object[],
  orders: readonly PastOrder[],
  { signed, completed }: Moments,
): Promise<void> {
  await sql`insert into port_order select * from json_populate_recordset(null::port_order, ${JSON.stringify(rows)}::json)`.execute(
    tx,
  )
  const numbers = orders.flatMap(({ id, status, values }) => {
    const over = status === 'Completed' ? { outcome: 'ported', activated_at: completed } : {}
    return values.map((value) => ({ account_id: actor.account_id, port_order_id: id, value, active: false, ...over }))
  })
  await sql`insert into port_order_number select * from json_populate_recordset(null::port_order_number, ${JSON.stringify(numbers)}::json)`.execute(
    tx,
  )
  const comments = orders
    .filter(({ status }) => status !== 'Canceled')
    .map(({ id }) => ({
      account_id: actor.account_id ?? '',
      port_order_id: id,
      text: 'The letter was signed on paper and is in the file of the customer.',
      author: 'account' as const,
      is_private: false,
      created_at: signed,
    }))
  await tx.insertInto('port_order_comment').values(comments).execute()
}

/** Appends to the account's chain in the given order, as `recordEvent` does one at a time. */
async function recordEvents({ tx }: WriteContext, account_id: string, events: readonly PastEvent[]): Promise<void> {
  await sql`
    select count(r.event_id)
    from json_to_recordset(${JSON.stringify(events)}::json) as e (id text, at timestamptz, actor text, verb text, data json)
    cross join lateral record_event(
      ${account_id}::bigint, e.at, e.actor, 'portorder.' || e.verb, 'portorder', e.id, e.data, null) r`.execute(tx)
}
