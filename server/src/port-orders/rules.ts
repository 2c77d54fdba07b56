import { numbers, portOrders } from '@demarc/client'
import { responseDueAt, isSimple, activationTime, activationTimeOrNow } from './calendar/porting-interval.ts'
import type { BusinessHours } from './calendar/porting-interval.ts'

/** Pure rules of port orders. */

export const limits = {
  /** Most numbers that an event lists; it counts all of them. */
  named_numbers: 100,
  /** Largest LOA that can be verified. */
  loa_bytes: 20 * 1024 * 1024,
  comments_per_order: 1000,
  numbers_per_order: portOrders.portOrderNumbers_max,
  /** Most numbers that a list shows for an order; it counts all of them. */
  listed_numbers: portOrders.listedNumbers_max,
  /** Orders of a list that are read and written at a time: one order can have a thousand long comments. */
  list_batch: 10,
} as const

/** Numbers have a leading `+` in responses, and none in the database. */
export const withPlus = (value: string): string => `+${value}`
export const withoutPlus = (number: string): string => number.replace(/^\+/, '')

/** Reads the number of a query filter, where a `+` that was not percent-encoded is a space; null when it is not a number. */
export function numberFilter(text: string): string | null {
  const read = portOrders.readNumber(text.trim())
  return read === null ? null : withoutPlus(read)
}

/** Is this 11-digit number toll-free? */
export const isTollfree = (value: string): boolean => numbers.tollFreeCodes.includes(value.slice(1, 4))

export const defaultAlias = (today: string): string => {
  const [year = '', month = '', day = ''] = today.split('-')
  return `Port Order ${Number(month)}/${Number(day)}/${year}`
}

/** The exact cost of `count` numbers at `price` dollars each, with at least two decimals. */
export function costText(price: string, count: number): string {
  const [integer = '0', fraction = ''] = price.split('.')
  const units = BigInt(integer + fraction.padEnd(4, '0').slice(0, 4)) * BigInt(count)
  const digits = units.toString().padStart(5, '0')
  return `${digits.slice(0, -4)}.${digits.slice(-4).replace(/0{1,2}$/, '')}`
}

/** ISO 8601 with seconds, which the contract requires for port orders. */
export const toSecond = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`

/** How many days before an idle order is closed its account is warned. */
export const warningDays = [10, 3] as const

/** When the account is warned of an order that closes at `due_at`. */
export const warningTimes = (due_at: Date): readonly [Date, Date] => [
  new Date(due_at.getTime() - warningDays[0] * 86_400_000),
  new Date(due_at.getTime() - warningDays[1] * 86_400_000),
]

export interface DueFacts {
  readonly status: portOrders.PortOrderStatus
  readonly updated_at: Date
  readonly entered_at: Date
  readonly completion_date: string | null
  readonly numbers_count: number
  readonly tollfree: boolean
}

/**
 * When the next step is due. Idle orders close after 45 days. The operator and the losing carrier have one business day, or
 * four hours for the response to a simple port. An accepted order completes on the morning of its completion date.
 */
export function dueAt(order: DueFacts, hours: BusinessHours): Date | null {
  const received = { received_at: order.entered_at, ...hours }
  switch (order.status) {
    case 'Pending':
    case 'Rejected':
      return portOrders.nextStepOf(order).due_at
    case 'Processing':
    case 'Review':
      return responseDueAt({ ...received, simple: false })
    case 'Submitted':
      return responseDueAt({
        ...received,
        simple: isSimple({ numbers: order.numbers_count, tollfree: order.tollfree }),
      })
    case 'Accepted':
      return order.completion_date === null ? null : activationTime(order.completion_date, hours.zone)
    default:
      return null
  }
}

/** Errors of the numbers of a list, by field and index. Undefined entries are skipped: their format was refused. */
export function errorsByNumber(
  field: string,
  numbers: readonly (string | undefined)[],
  errorOf: (number: string, i: number) => string | null,
): Record<string, string[]> {
  return Object.fromEntries(
    numbers.flatMap((n, i) => {
      const error = n === undefined ? null : errorOf(n, i)
      return error === null ? [] : [[`${field}.${i}`, [error]]]
    }),
  )
}

/** The error of a request that would bring the number of unsigned numbers of an account to `count`. */
export const tooManyUnsigned = (
  field: string,
  count: number,
  { unsigned_numbers: max }: { unsigned_numbers: number },
): Record<string, string[]> =>
  count <= max
    ? {}
    : {
        [field]: [
          `An account can have at most ${max} numbers on unsigned orders. This request would make it ${count}. Sign or cancel other orders first.`,
        ],
      }

export const transitionEvents = {
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

/** The numbers of an event: it lists the first ones and counts all of them. */
export const namedNumbers = (values: readonly string[]) => ({
  numbers_count: values.length,
  numbers: values.slice(0, limits.named_numbers).map(withPlus),
})

export type Preset = 'primary_route_id' | 'failover_route_id' | 'alias' | 'cnam_id' | 'e911_id'

/** A preset of an order, and why its record cannot be used; null when it can. */
export interface PresetCheck {
  readonly preset: Preset
  readonly value: string
  readonly error: string | null
}

export interface PresetPlan {
  preset: Preset
  value: string
  activation: 'completion' | 'morning'
  /** 11 digits. */
  applies_to: string[]
  failures: { reason: string; numbers: string[] }[]
}

const scheduledPresets = ['cnam_id', 'e911_id'] as const satisfies readonly Preset[]

/** The presets of a completed order that are applied in the morning, and when that is. */
export const presetsWaiting = (
  order: Pick<DueFacts, 'entered_at'> & { readonly cnam_id: string | null; readonly e911_id: string | null },
  zone: string,
): { presets: (typeof scheduledPresets)[number][]; until: Date } => ({
  presets: scheduledPresets.filter((preset) => order[preset] !== null),
  until: activationTimeOrNow(order.entered_at, zone),
})

const longcodesOnly: Partial<Record<Preset, string>> = {
  cnam_id: 'Toll-free numbers cannot have a caller ID name.',
  e911_id: 'Toll-free numbers cannot have an emergency address.',
}

/** The numbers that each preset applies to, and its failures. Presets fail independently. */
export function presetPlans(checks: readonly PresetCheck[], values: readonly string[]): PresetPlan[] {
  return checks.map(({ preset, value, error }) => {
    const activation = scheduledPresets.some((each) => each === preset) ? 'morning' : 'completion'
    if (error !== null)
      return { preset, value, activation, applies_to: [], failures: [{ reason: error, numbers: [...values] }] }
    const reason = longcodesOnly[preset]
    const excluded = reason === undefined ? [] : values.filter(isTollfree)
    return {
      preset,
      value,
      activation,
      applies_to: reason === undefined ? [...values] : values.filter((v) => !isTollfree(v)),
      failures: reason === undefined || excluded.length === 0 ? [] : [{ reason, numbers: excluded }],
    }
  })
}
