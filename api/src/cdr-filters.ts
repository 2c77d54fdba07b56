import * as z from 'zod'
import { required } from './words.ts'

/**
 * The filters of a call-record export. Unknown filters are refused, because a filter that is silently ignored makes a
 * wrong bill.
 */

/** Entries of one list filter. A thousand numbers are an IN list; more is a job for several exports. */
export const filterEntries_max = 1000

const entry = z.string().min(1).max(255)
const list = z.array(entry).min(1).max(filterEntries_max)

const numberEntry = z.string().regex(/^\+?\d{1,32}$/, 'Must be digits, with or without a leading +.')
const numbers = z.array(numberEntry).min(1).max(filterEntries_max)

const country = z
  .string()
  .regex(/^[A-Za-z]{2}$/, 'Must be a two-letter country code (ISO 3166-1 alpha-2).')
  .transform((c) => c.toUpperCase())
const countries = z.array(country).min(1).max(300)

/** Non-negative decimal as text: a JSON number, or a decimal string where exactness matters. */
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

/** A double as plain decimal text: its shortest spelling, which is the text it was parsed from. */
export function plainDecimal(value: number): string {
  const text = String(value)
  const [mantissa = '', exponent] = text.split('e')
  if (exponent === undefined) return text
  const places = (mantissa.split('.')[1]?.length ?? 0) - Number(exponent)
  return places > 0 && places <= 20 ? value.toFixed(places) : text
}

/** Transformed to epoch milliseconds. */
const moment = z
  .string({
    error: ({ input }) => (input === undefined ? required : 'Must be a UTC time of the form YYYY-MM-DD HH:MM:SS.'),
  })
  .transform((text, c) => {
    const ms = parseMoment(text)
    if (ms !== null) return ms
    c.addIssue({ code: 'custom', message: 'Must be a UTC time of the form YYYY-MM-DD HH:MM:SS, and one that exists.' })
    return z.NEVER
  })
  .meta({ wire: { type: 'string', examples: ['2026-03-01 00:00:00'] } })

/**
 * `YYYY-MM-DD HH:MM:SS` in UTC, or ISO 8601 with an offset; milliseconds may follow the seconds.
 * Returns epoch milliseconds, or null if it is neither or does not exist (31 February, 25:00).
 */
export function parseMoment(text: string): number | null {
  const m =
    /^(\d{4})-(\d\d)-(\d\d)(?: |T(?=.*(?:Z|[+-]\d\d:\d\d)$))(\d\d):(\d\d):(\d\d)(\.\d{1,3})?(Z|[+-]\d\d:\d\d)?$/.exec(
      text,
    )
  if (!m) return null
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = m
  if (!text.includes('T') && m[8] !== undefined) return null
  const wall = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const utc = Date.parse(`${wall}Z`)
  // Date.parse rolls 31 February over; reading it back shows that
  if (Number.isNaN(utc) || new Date(utc).toISOString().slice(0, 19) !== wall) return null
  const ms = Date.parse(`${wall}${fraction}${zone}`)
  return Number.isNaN(ms) ? null : ms
}

const ip = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'Must be an IPv4 or IPv6 address, or a range in CIDR form.')
  .meta({ wire: { type: 'string', examples: ['192.0.2.10', '2001:db8::/32'] } })

export const cdrFilters = z
  .strictObject({
    start_call_start_time: moment,
    start_call_end_time: moment,
    number_aliases: list.optional(),
    number_aliases_contains: list.optional(),
    destination_numbers: numbers.optional(),
    callerid_numbers: numbers.optional(),
    custom_x_tags: list.optional(),
    caller_ip: ip.optional(),
    duration_greater_than: decimal(3).optional(),
    duration_less_than: decimal(3).optional(),
    cost_greater_than: decimal(8).optional(),
    cost_less_than: decimal(8).optional(),
    destination_countries_included: countries.optional(),
    destination_countries_excluded: countries.optional(),
    tollfree_only: z.boolean().optional(),
    direction: z.enum(['inbound', 'outbound']).optional(),
    exclude_cancelled: z.boolean().optional(),
    destination_prefix: numbers.optional(),
    callerid_prefix: numbers.optional(),
  })
  .superRefine((f, c) => {
    const refuse = (field: string, message: string) => c.addIssue({ code: 'custom', path: [field], message })
    if (f.start_call_start_time >= f.start_call_end_time)
      refuse('start_call_end_time', 'Must be after start_call_start_time.')
    if (atLeast(f.duration_greater_than, f.duration_less_than))
      refuse('duration_less_than', 'Must be more than duration_greater_than.')
    if (atLeast(f.cost_greater_than, f.cost_less_than)) refuse('cost_less_than', 'Must be more than cost_greater_than.')
    const both = f.destination_countries_included?.filter((x) => f.destination_countries_excluded?.includes(x)) ?? []
    if (both.length > 0) refuse('destination_countries_excluded', `Also included: ${both.join(', ')}.`)
  })

export type CdrFilterInput = z.input<typeof cdrFilters>
export type CdrFilters = z.output<typeof cdrFilters>

/** a >= b, exactly: decimals compared as integers of 1e-8. */
function atLeast(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return false
  return scaled(a) >= scaled(b)
}

function scaled(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(8, '0'))
}
