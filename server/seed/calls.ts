import type { CdrRecord } from '../src/engines/call-records/index.ts'
import { createRandom, type Random } from './random.ts'

/** Generates call records with a plausible distribution: most by day, few at night and on weekends. */

export interface CallProfile {
  account_id: string
  /** 11 digits. */
  numbers: readonly { value: string; alias: string; toll_free: boolean }[]
  calls: number
  customer_ips: readonly [string, ...string[]]
  tags: readonly [string, ...string[]]
}

interface Destination {
  country: string
  prefix: string
  digits: number
  name: string
  /** Hundred-millionths of a dollar per minute. */
  rate: bigint
  first: number
  next: number
}

const dollar = 100_000_000n

const destinations: readonly [Destination, ...Destination[]] = [
  { country: 'US', prefix: '1206', digits: 7, name: 'United States', rate: 980_000n, first: 6, next: 6 },
  { country: 'US', prefix: '1503', digits: 7, name: 'United States', rate: 980_000n, first: 6, next: 6 },
  { country: 'US', prefix: '1415', digits: 7, name: 'United States', rate: 1_120_000n, first: 6, next: 6 },
  { country: 'CA', prefix: '1604', digits: 7, name: 'Canada', rate: 1_050_000n, first: 6, next: 6 },
  { country: 'CA', prefix: '1514', digits: 7, name: 'Canada, Québec', rate: 1_050_000n, first: 6, next: 6 },
  { country: 'MX', prefix: '5255', digits: 8, name: 'Mexico City', rate: 2_340_000n, first: 60, next: 60 },
  { country: 'GB', prefix: '4420', digits: 8, name: 'United Kingdom, London', rate: 1_475_000n, first: 30, next: 6 },
  { country: 'DE', prefix: '4930', digits: 8, name: 'Germany, Berlin', rate: 1_930_000n, first: 30, next: 6 },
]

/** Share of a day's calls per UTC hour, for West Coast businesses. */
const hourWeights = [6, 4, 2, 1, 0.5, 0.3, 0.2, 0.2, 0.1, 0.1, 0.1, 0.2, 0.3, 0.8, 2, 5, 9, 11, 11, 10, 8, 10, 10, 8]

const day_ms = 86_400_000

/**
 * The calls of some accounts over `days` days before `end`, in chronological batches: a batch then spans a month or two, so the
 * store, which partitions by month, writes few parts. Deterministic.
 */
export function* makeCalls(
  profiles: readonly CallProfile[],
  end: Date,
  days: number,
  batch: number,
): Generator<CdrRecord[]> {
  const random = createRandom(911)
  const start_ms = end.getTime() - days * day_ms
  const hours = cumulative(hourWeights)
  const pending = profiles.map((profile) => ({
    profile,
    moments: Float64Array.from({ length: profile.calls }, () => momentOf(random, hours, start_ms, days)).toSorted(),
    made: 0,
  }))
  let batch_records: CdrRecord[] = []
  for (;;) {
    let next: (typeof pending)[number] | undefined
    for (const each of pending) if (at(each) < at(next)) next = each
    if (!next) break
    batch_records.push(makeCall(next.profile, next.made, new Date(at(next)), random))
    next.made++
    if (batch_records.length < batch) continue
    yield batch_records
    batch_records = []
  }
  if (batch_records.length > 0) yield batch_records
}

/** The time of a profile's next call; Infinity after the last. */
const at = (of: { moments: Float64Array; made: number } | undefined): number => of?.moments[of.made] ?? Infinity

function momentOf(random: Random, hours: readonly number[], start_ms: number, days: number): number {
  for (;;) {
    const day_at = start_ms + random.integer(0, days - 1) * day_ms
    const weekend = [0, 6].includes(new Date(day_at).getUTCDay())
    if (weekend && random.chance(0.8)) continue
    const point = random.next() * (hours.at(-1) ?? 1)
    const hour = hours.findIndex((h) => point < h)
    return day_at + hour * 3_600_000 + random.integer(0, 3_599_999)
  }
}

function cumulative(weights: readonly number[]): number[] {
  let sum = 0
  return weights.map((w) => (sum += w))
}

function makeCall(profile: CallProfile, index: number, start_time: Date, random: Random): CdrRecord {
  const own = profile.numbers[Math.floor(random.next() ** 2 * profile.numbers.length)] ?? profile.numbers[0]
  if (!own) throw new Error('a profile needs a number')
  const inbound = own.toll_free || random.chance(0.6)
  const other_end = inbound && own.toll_free ? destinations[0] : random.pick(destinations)
  const other =
    other_end.prefix +
    String(random.integer(2_000_000, 9_999_999)).padStart(other_end.digits, '2').slice(-other_end.digits)
  const roll = random.next()
  const result =
    roll < 0.78 ? 'completed' : roll < 0.88 ? 'no_answer' : roll < 0.93 ? 'busy' : roll < 0.98 ? 'cancelled' : 'failed'
  const duration = result === 'completed' ? Math.max(1, Math.round(-Math.log(1 - random.next()) * 170)) : 0
  const first = inbound ? 6 : other_end.first
  const next = inbound ? 6 : other_end.next
  const billed_duration =
    duration === 0 ? 0 : duration <= first ? first : first + Math.ceil((duration - first) / next) * next
  const rate = inbound ? (own.toll_free ? 1_900_000n : 450_000n) : other_end.rate
  // a per-minute rate over whole seconds, rounded half up to eight places
  const subtotal = (rate * BigInt(billed_duration) * 2n + 60n) / 120n
  const looked_up = inbound && result === 'completed' && random.chance(0.3)
  return {
    account_id: profile.account_id,
    id: `${profile.account_id}-${String(index).padStart(7, '0')}`,
    direction: inbound ? 'inbound' : 'outbound',
    start_time,
    end_time: new Date(start_time.getTime() + duration * 1000 + random.integer(0, 999)),
    destination: inbound ? own.value : other,
    number_alias: own.alias,
    callerid: inbound ? `+${other}` : own.value,
    destination_name: inbound ? 'United States' : other_end.name,
    destination_country: inbound ? 'US' : other_end.country,
    callerid_country: inbound ? other_end.country : 'US',
    line_information: inbound && random.chance(0.4) ? 'wireless' : 'landline',
    result,
    call_fail_sip_code: { completed: null, no_answer: 480, busy: 486, cancelled: 487, failed: 503 }[result],
    call_fail_reason: {
      completed: '',
      no_answer: 'Temporarily Unavailable',
      busy: 'Busy Here',
      cancelled: 'Request Terminated',
      failed: 'Service Unavailable',
    }[result],
    duration,
    billed_duration,
    rate: decimal(rate),
    first_increment: first,
    subsequent_increment: next,
    cost_subtotal: decimal(subtotal),
    connect_fee: decimal(!inbound && other_end.country === 'GB' && duration > 0 ? 500_000n : 0n),
    usf_fee: decimal(inbound ? 0n : (subtotal * 34n) / 100n),
    ccrf: decimal(own.toll_free && duration > 0 ? 60_000n : 0n),
    cnam_lookup_fee: decimal(looked_up ? 390_000n : 0n),
    custom_x_tag: random.chance(0.25) ? [random.pick(profile.tags)] : [],
    customer_ip: random.pick(profile.customer_ips),
  }
}

const decimal = (units: bigint) => `${units / dollar}.${String(units % dollar).padStart(8, '0')}`
