import * as z from 'zod'
import { operation } from './declare.ts'
import { id, list, page, pathId, timestamp } from './shapes.ts'

/** Deliveries of call records, for the operator. */

const ingest = z.object({
  type: z.literal('cdr_ingest'),
  id,
  attributes: z.object({
    received_at: timestamp,
    duration_ms: z.int(),
    actor: z.string().meta({ description: 'Who sent it, as in the audit log.' }),
    content_type: z.string(),
    content_encoding: z.string().nullable(),
    mapping: z.string().nullable(),
    account_id: z.string().nullable().meta({ description: 'The account given in the request.' }),
    bytes: z.int().meta({ description: 'As received, before decompression.' }),
    accepted: z.int(),
    duplicates: z.int(),
    rejected: z.int(),
    newest_call_at: timestamp.nullable().meta({ description: 'When the newest call in it ended; null without calls.' }),
    failure: z.string().nullable().meta({
      description: 'Why it ended early; null if it was read to the end. Records accepted before that are stored.',
    }),
    refused: z
      .object({ lines: z.int(), bytes: z.int(), expires_at: timestamp })
      .nullable()
      .meta({ description: 'The rejected lines that can be downloaded.' }),
  }),
})

const common = {
  feature: 'cdrs',
  media: 'json',
  principals: ['operator'],
  access: 'read',
  effect: 'read',
} as const
const forSwitches = { operator_scope: 'cdrs:ingest' } as const

export const listCdrIngests = operation({
  ...common,
  ...forSwitches,
  id: 'listCdrIngests',
  summary: 'List deliveries of call records',
  description: 'Shows the latest 10,000 deliveries of the last 90 days.',
  endpoint: 'GET /operator/cdrs/ingests',
  query: z.object({
    ...page(10, 200),
    outcome: z
      .enum(['rejected', 'failed'])
      .optional()
      .meta({ description: '`rejected`: with rejected lines. `failed`: ended early.' }),
  }),
  responses: {
    200: {
      description: 'Newest first.',
      body: list(ingest),
    },
  },
})

const summary = z.object({
  type: z.literal('cdr_ingest_summary'),
  attributes: z.object({
    last_received_at: timestamp.nullable(),
    quiet_s: z.int().nullable().meta({ description: 'Seconds since the last delivery.' }),
    usual_gap_s: z
      .int()
      .nullable()
      .meta({ description: 'Median interval between the last 20 deliveries; null with fewer than three.' }),
    delay_s: z
      .int()
      .nullable()
      .meta({ description: 'Seconds from the end of the newest call in the last delivery to its arrival.' }),
    days: z
      .array(
        z.object({
          day: z.string().meta({ format: 'date', description: 'In UTC.' }),
          deliveries: z.int(),
          failed: z.int(),
          accepted: z.int(),
          duplicates: z.int(),
          rejected: z.int(),
        }),
      )
      .meta({ description: 'The last 14 days including today, oldest first.' }),
  }),
})

export const getCdrIngestSummary = operation({
  ...common,
  ...forSwitches,
  id: 'getCdrIngestSummary',
  summary: 'Check that call records arrive',
  endpoint: 'GET /operator/cdrs/ingests/summary',
  responses: { 200: { description: 'The summary.', body: z.object({ data: summary }) } },
})

export const getRefusedCdrs = operation({
  ...common,
  ...forSwitches,
  id: 'getRefusedCdrs',
  summary: "Download a delivery's rejected lines",
  description:
    'One JSON object per line: `line` is its number, `messages` has the errors by field, and `text` is the line, or null if it could not be read. Limited to 4 MiB, and kept for 7 days for the last 100 deliveries with rejected lines.',
  endpoint: 'GET /operator/cdrs/ingests/{ingest_id}/refused',
  responses: { 200: { description: 'The lines.', body: { bytes: ['application/x-ndjson'] } } },
  problems: ['not-found', 'gone', 'file-damaged'],
})

const month = z
  .string()
  .regex(/^(19|2[0-2])\d{2}-(0[1-9]|1[0-2])$/, 'Must be a month such as 2026-03.')
  .meta({ description: 'In UTC.', examples: ['2026-03'] })

export const recountCdrs = operation({
  ...common,
  id: 'recountCdrs',
  summary: 'Accept the stored call records of a month',
  description:
    'Sets what Demarc expects of a month to what the call-record store has, and resolves its alert. Use it after lost records were delivered again, or after you deleted records. Without `account_id`, the month must have no records left.',
  endpoint: 'POST /operator/cdrs/recounts',
  access: 'write',
  body: z.strictObject({ account_id: pathId.optional(), month }),
  responses: {
    200: {
      description: 'The sums that are now expected.',
      body: z.object({
        data: z.object({
          type: z.literal('cdr_recount'),
          attributes: z.object({
            account_id: z.string().nullable(),
            month,
            num_calls: z.int(),
            billed_seconds: z.int(),
            total_cost: z.string(),
          }),
        }),
      }),
    },
  },
  problems: ['not-found', 'conflict', 'invalid-input', 'not-ready'],
  effect: 'own',
})
