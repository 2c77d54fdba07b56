import * as z from 'zod'
import { countryCode } from './countries.ts'
import { withInput, type BodyIssue } from './envelope.ts'
import { absentWhenEmpty } from './shapes.ts'
import { required } from './words.ts'

/**
 * The filters of a call-record export. Unknown filters are rejected, because ignoring one could cause a wrong bill.
 */

/** Most entries in one list filter. For more, use several exports. */
export const filterEntries_max = 1000

const listOf = <S extends z.ZodType>(entry: S) => z.array(entry).max(filterEntries_max)
const texts = listOf(z.string().min(1).max(255))
const numbers = listOf(z.string().regex(/^\+?\d{1,32}$/, 'Must be digits, with or without a leading +.'))
const countries = z.array(countryCode).max(300)

/** A non-negative decimal as text, from a JSON number or an exact decimal string. */
const decimal = (places: number) =>
  z
    .union([z.number(), z.string()], 'Must be a number.')
    .transform((v, c) => {
      const text = typeof v === 'number' ? plainDecimal(v) : v
      if (new RegExp(`^\\d{1,9}(\\.\\d{1,${places}})?$`).test(text)) return text
      c.addIssue({ code: 'custom', message: `Must be a number of 0 or more with at most ${places} decimal places.` })
      return z.NEVER
    })
    .meta({ wire: { type: 'number', minimum: 0 } })

/** The shortest plain decimal text of a double, which is the text it was parsed from. */
export function plainDecimal(value: number): string {
  const text = String(value)
  const [mantissa = '', exponent] = text.split('e')
  if (exponent === undefined) return text
  const places = (mantissa.split('.')[1]?.length ?? 0) - Number(exponent)
  return places > 0 && places <= 20 ? value.toFixed(places) : text
}

/** Returns epoch milliseconds. */
const moment = z
  .string({
    error: ({ input }) => (input === undefined ? required : 'Must be a UTC time of the form YYYY-MM-DD HH:MM:SS.'),
  })
  .transform((text, c) => {
    const ms = parseMoment(text)
    if (ms !== null) return ms
    c.addIssue({ code: 'custom', message: 'Must be a UTC time of the form YYYY-MM-DD HH:MM:SS that exists.' })
    return z.NEVER
  })
  .meta({ wire: { type: 'string', examples: ['2026-03-01 00:00:00'] } })

/**
 * Parses `YYYY-MM-DD HH:MM:SS` in UTC, or ISO 8601 with an offset and optional seconds. Truncates fractions to milliseconds. Returns epoch
 * milliseconds, or null for another format or a time that does not exist (February 31, 25:00).
 */
export function parseMoment(text: string): number | null {
  const m = zoned.exec(text) ?? plain.exec(text)
  if (!m?.groups) return null
  const { day, minute, second = '00', fraction = '', sign, zone_h = '00', zone_m = '00' } = m.groups
  const wall = `${day}T${minute}:${second}`
  const utc = Date.parse(`${wall}Z`)
  // Date.parse turns February 31 into March 3
  if (Number.isNaN(utc) || new Date(utc).toISOString().slice(0, 19) !== wall) return null
  if (Number(zone_h) > 23 || Number(zone_m) > 59) return null
  const offset_ms = (Number(zone_h) * 60 + Number(zone_m)) * 60_000
  return utc + Number(fraction.slice(0, 3).padEnd(3, '0')) + (sign === '-' ? offset_ms : -offset_ms)
}

const plain = /^(?<day>\d{4}-\d\d-\d\d) (?<minute>\d\d:\d\d):(?<second>\d\d)(?:\.(?<fraction>\d+))?$/
const zoned =
  /^(?<day>\d{4}-\d\d-\d\d)T(?<minute>\d\d:\d\d)(?::(?<second>\d\d)(?:\.(?<fraction>\d+))?)?(?:Z|(?<sign>[+-])(?<zone_h>\d\d)(?::?(?<zone_m>\d\d))?)$/

const ip = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'Must be an IPv4 or IPv6 address or a CIDR block.')
  .meta({ wire: { type: 'string', examples: ['192.0.2.10', '2001:db8::/32'] } })

/** The filters of call-record exports. */
export const cdrFilters = z.strictObject({
  start_call_start_time: moment,
  start_call_end_time: moment.meta({ wire: { type: 'string', examples: ['2026-04-01 00:00:00'] } }),
  number_aliases: absentWhenEmpty(texts),
  number_aliases_contains: absentWhenEmpty(texts),
  destination_numbers: absentWhenEmpty(numbers),
  callerid_numbers: absentWhenEmpty(numbers),
  custom_x_tags: absentWhenEmpty(texts),
  caller_ip: absentWhenEmpty(ip),
  duration_greater_than: absentWhenEmpty(decimal(3)),
  duration_less_than: absentWhenEmpty(decimal(3)),
  cost_greater_than: absentWhenEmpty(decimal(8)),
  cost_less_than: absentWhenEmpty(decimal(8)),
  destination_countries_included: absentWhenEmpty(countries),
  destination_countries_excluded: absentWhenEmpty(countries),
  tollfree_only: absentWhenEmpty(z.boolean()),
  direction: absentWhenEmpty(z.enum(['inbound', 'outbound'])),
  exclude_cancelled: absentWhenEmpty(z.boolean()),
  destination_prefix: absentWhenEmpty(numbers),
  callerid_prefix: absentWhenEmpty(numbers),
})

/** Refuses valid filters that contradict each other. */
export function contradictions(f: Partial<CdrFilters>): BodyIssue[] {
  const { start_call_start_time: start, start_call_end_time: end } = f
  const issues: BodyIssue[] = []
  const refuse = (field: keyof CdrFilters, message: string) => issues.push({ path: [field], message })
  if (start !== undefined && end !== undefined && start >= end)
    refuse('start_call_end_time', 'Must be after start_call_start_time.')
  if (atLeast(f.duration_greater_than, f.duration_less_than))
    refuse('duration_less_than', 'Must be more than duration_greater_than.')
  if (atLeast(f.cost_greater_than, f.cost_less_than)) refuse('cost_less_than', 'Must be more than cost_greater_than.')
  const both = f.destination_countries_included?.filter((x) => f.destination_countries_excluded?.includes(x)) ?? []
  if (both.length > 0) refuse('destination_countries_excluded', `Also included: ${both.join(', ')}.`)
  return issues
}

/** The filters in a body, both as sent and as parsed. */
export const filterParameters = withInput(cdrFilters, contradictions).meta({ component: 'CdrFilters' })

/** Filters as they are sent. */
export type CdrFilterInput = z.input<typeof cdrFilters>
/** Filters after validation. */
export type CdrFilters = z.output<typeof cdrFilters>

/** Whether a >= b, compared exactly as integers of 1e-8. */
function atLeast(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return false
  return scaled(a) >= scaled(b)
}

function scaled(text: string): bigint {
  const [integer = '0', fraction = ''] = text.split('.')
  return BigInt(integer + fraction.padEnd(8, '0'))
}
