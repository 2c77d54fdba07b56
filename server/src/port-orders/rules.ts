import { numbers, portOrders } from '@demarc/client'
import { answerDueAt, isSimple, morningOf, morningOrNow } from './calendar/porting-interval.ts'
import type { Place } from './calendar/porting-interval.ts'
import { readNumber } from './portability.ts'

/** What follows from an order without asking anybody. */

export const limits = {
  /** An event names so many numbers and counts the rest. */
  named_numbers: 100,
  /** A letter that is sent in to be tested. */
  letter_bytes: 20 * 1024 * 1024,
  comments_per_order: 1000,
  numbers_per_order: portOrders.portOrderNumbers_max,
} as const

/** Those without which a job would begin a word; with `+` in answers, without in the database. */
export const withPlus = (value: string): string => `+${value}`
export const withoutPlus = (number: string): string => number.replace(/^\+/, '')

/** A number as somebody looks for it; `+` may have become a space on its way. Null when it is none. */
export function soughtNumber(text: string): string | null {
  const read = readNumber(text.trim())
  return read === null ? null : withoutPlus(read)
}

/** Is this 11-digit number toll-free? */
export const isTollfree = (value: string): boolean => numbers.tollFreeCodes.includes(value.slice(1, 4))

export const defaultAlias = (today: string): string => {
  const [year = '', month = '', day = ''] = today.split('-')
  return `Port Order ${Number(month)}/${Number(day)}/${year}`
}

/** `price` dollars for each of `count` numbers, exact; at least two decimals. */
export function costText(price: string, count: number): string {
  const [whole = '0', fraction = ''] = price.split('.')
  const units = BigInt(whole + fraction.padEnd(4, '0').slice(0, 4)) * BigInt(count)
  const digits = units.toString().padStart(5, '0')
  return `${digits.slice(0, -4)}.${digits.slice(-4).replace(/0{1,2}$/, '')}`
}

/** ISO 8601 to the second, as port orders have their times. */
export const toSecond = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`

export interface DueFacts {
  readonly status: portOrders.PortOrderStatus
  readonly updated_at: Date
  readonly entered_at: Date
  readonly completion_date: string | null
  readonly numbers_count: number
  readonly tollfree: boolean
}

/**
 * When the next move is due. Idle orders close by the calendar; the operator has a business day, as has the losing carrier
 * for its answer (four hours with a simple port); an accepted order completes on the morning of its day.
 */
export function dueAt(order: DueFacts, place: Place): Date | null {
  const received = { received_at: order.entered_at, ...place }
  switch (order.status) {
    case 'Pending':
    case 'Rejected':
      return portOrders.nextStepOf(order).due_at
    case 'Processing':
    case 'Review':
      return answerDueAt({ ...received, simple: false })
    case 'Submitted':
      return answerDueAt({
        ...received,
        simple: isSimple({ numbers: order.numbers_count, tollfree: order.tollfree }),
      })
    case 'Accepted':
      return order.completion_date === null ? null : morningOf(order.completion_date, place.zone)
    default:
      return null
  }
}

/** The name of the event that a move leaves. */
export const moved = {
  sign: 'portorder.signed',
  cancel: 'portorder.canceled',
  expire: 'portorder.expired',
  resubmit: 'portorder.resubmitted',
  submit: 'portorder.submitted',
  accept: 'portorder.accepted',
  reschedule: 'portorder.rescheduled',
  reject: 'portorder.rejected',
  complete: 'portorder.completed',
} as const satisfies Record<portOrders.Verb, string>

/** An event names few numbers and counts all. */
export const namedNumbers = (values: readonly string[]) => ({
  numbers_count: values.length,
  numbers: values.slice(0, limits.named_numbers).map(withPlus),
})

export type Preset = 'primary_route_id' | 'failover_route_id' | 'alias' | 'cnam_id' | 'e911_id'

/** A preset of an order, and what stands against its record; null when nothing does. */
export interface PresetStanding {
  readonly preset: Preset
  readonly value: string
  readonly why: string | null
}

export interface PresetPlan {
  preset: Preset
  value: string
  when: 'completion' | 'morning'
  /** 11 digits. */
  works_for: string[]
  fails: { because: string; numbers: string[] }[]
}

const morningPresets = ['cnam_id', 'e911_id'] as const satisfies readonly Preset[]

/** The presets of a completed order that wait for the morning of that day, and when it is. */
export const presetsWaiting = (
  order: Pick<DueFacts, 'entered_at'> & { readonly cnam_id: string | null; readonly e911_id: string | null },
  zone: string,
): { presets: (typeof morningPresets)[number][]; until: Date } => ({
  presets: morningPresets.filter((preset) => order[preset] !== null),
  until: morningOrNow(order.entered_at, zone),
})

const longcodesOnly: Partial<Record<Preset, string>> = {
  cnam_id: 'Toll-free numbers have no caller-ID name.',
  e911_id: 'Toll-free numbers have no emergency address.',
}

/** What each preset will do to which numbers, and where it fails. Each fails alone. */
export function presetPlans(standings: readonly PresetStanding[], values: readonly string[]): PresetPlan[] {
  return standings.map(({ preset, value, why }) => {
    const when = morningPresets.some((each) => each === preset) ? 'morning' : 'completion'
    if (why !== null) return { preset, value, when, works_for: [], fails: [{ because: why, numbers: [...values] }] }
    const because = longcodesOnly[preset]
    const excluded = because === undefined ? [] : values.filter(isTollfree)
    return {
      preset,
      value,
      when,
      works_for: because === undefined ? [...values] : values.filter((v) => !isTollfree(v)),
      fails: because === undefined || excluded.length === 0 ? [] : [{ because, numbers: excluded }],
    }
  })
}
