import * as z from 'zod'
import { filterParameters, type CdrFilters } from './cdr-filters.ts'
import type { exportColumns } from './cdrs.ts'
import { envelope, type BodyIssue } from './envelope.ts'
import { operation } from './declare.ts'
import { absentWhenEmpty, money, timestamp } from './shapes.ts'
import { isZone } from './zone-time.ts'

/** Sums of an account's calls by group, and its newest calls, with the filters of an export. */

/**
 * `number`: the account's own number, which is the destination of inbound and the caller ID of outbound calls. `country`: the destination's.
 * `fee`: the five amounts of a call.
 */
export const cdrGroupings = ['day', 'month', 'direction', 'country', 'number', 'alias', 'result', 'fee'] as const
export type CdrGroupBy = (typeof cdrGroupings)[number]

/** Most days or months in one summary. */
export const summaryPeriods_max = 400
/** Groups of other kinds shown; the rest are summed up. */
export const summaryGroups_max = 50
/** Most calls in a sample. */
export const sampleCalls_max = 50

const zone = z
  .string()
  .max(50, 'At most 50 characters.')
  .refine((name) => /^[A-Za-z]/.test(name) && isZone(name), 'Must be an IANA time zone, such as America/Denver.')
  .meta({
    description: 'IANA time zone of the days and months. Default: UTC.',
    examples: ['America/Denver'],
  })

const day_ms = 24 * 60 * 60 * 1000
const period_ms: { readonly [K in CdrGroupBy]?: number } = { day: day_ms, month: 28 * day_ms }

function tooManyPeriods(group_by: CdrGroupBy, filters: CdrFilters): BodyIssue[] {
  const length_ms = filters.start_call_end_time - filters.start_call_start_time
  if (length_ms <= summaryPeriods_max * (period_ms[group_by] ?? Infinity)) return []
  const message = `At most ${summaryPeriods_max} groups. Request a shorter period${group_by === 'day' ? ' or group by month' : ''}.`
  return [{ path: ['group_by'], message }]
}

const sums = {
  num_calls: z.int(),
  billed_seconds: z.int(),
  billed_minutes: z.string().meta({ description: 'Rounded to six places.', examples: ['12.500000'] }),
  total_cost: money,
}

const common = {
  feature: 'cdrs',
  media: 'jsonapi',
  principals: ['account', 'operator'],
  access: 'read',
  problems: ['invalid-input', 'not-ready', 'call-records-missing'],
  fieldErrors: 'sentences',
  effect: 'read',
} as const

export const summarizeCdrs = operation({
  ...common,
  id: 'summarizeCdrs',
  summary: 'Sum up calls by group',
  description:
    'Exact sums of the calls that match the filters of an export, by one grouping. Days and months are in order, including those without calls. Other groupings show the 50 groups with the most calls.',
  endpoint: 'POST /v2/cdrs/summary',
  body: envelope(
    'cdrsummary',
    z
      .strictObject({
        group_by: z.enum(cdrGroupings),
        timezone: absentWhenEmpty(zone),
        filter_parameters: filterParameters,
      })
      .check((c) => {
        for (const issue of tooManyPeriods(c.value.group_by, c.value.filter_parameters.parsed))
          c.issues.push({ code: 'custom', path: [...issue.path], message: issue.message, input: c.value })
      }),
  ),
  responses: {
    200: {
      description: 'Sums of all calls, of each group, and of the remaining groups together.',
      body: z.object({
        data: z.object({
          type: z.literal('cdrsummary'),
          attributes: z.object({
            ...sums,
            group_by: z.enum(cdrGroupings),
            timezone: z.string(),
            groups: z.array(
              z.object({
                key: z.string().meta({
                  description:
                    'A day (`2026-11-01`), a month (`2026-11`), the name of an amount (`cost_subtotal`), or the text of the call records, which may be empty.',
                }),
                ...sums,
              }),
            ),
            others: z
              .object({ groups: z.int(), ...sums })
              .nullable()
              .meta({ description: 'Calls not in `groups`; null if none.' }),
            filter_parameters: z.record(z.string(), z.unknown()),
          }),
        }),
      }),
    },
  },
})

const text = z.string()
const seconds = z.int()

/** The columns of an export file. */
export const sampledCall = z.object({
  direction: text,
  start_time: timestamp,
  end_time: timestamp,
  destination: text,
  number_alias: text,
  callerid: text,
  total_cost: money,
  destination_name: text,
  callerid_country: text,
  line_information: text,
  result: text,
  call_fail_sip_code: z.int().nullable(),
  call_fail_reason: text,
  duration: seconds,
  billed_duration: seconds,
  rate: money,
  first_increment: seconds,
  subsequent_increment: seconds,
  cost_subtotal: money,
  connect_fee: money,
  usf_fee: money,
  ccrf: money,
  cnam_lookup_fee: money,
  custom_x_tag: z.array(text),
  customer_ip: text,
} satisfies Record<(typeof exportColumns)[number], z.ZodType>)

export const sampleCdrs = operation({
  ...common,
  id: 'sampleCdrs',
  summary: 'Show the newest calls',
  description: 'Up to 50 calls that match the filters of an export, newest first, with the columns of its file.',
  endpoint: 'POST /v2/cdrs/sample',
  body: envelope('cdrsample', z.strictObject({ filter_parameters: filterParameters })),
  responses: {
    200: {
      description: 'The calls.',
      body: z.object({
        data: z.array(
          z.object({
            type: z.literal('cdr'),
            id: z.string().meta({ description: "The record's id, as the switch assigned it." }),
            attributes: sampledCall,
          }),
        ),
      }),
    },
  },
})
