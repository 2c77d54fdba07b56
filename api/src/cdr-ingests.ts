import * as z from 'zod'
import { operation } from './operation.ts'
import { id, page, pathId, timestamp } from './shapes.ts'

/** Deliveries of call records, for the operator. */

const ingest = z.object({
  type: z.literal('cdr_ingest'),
  id,
  attributes: z.object({
    received_at: timestamp,
    duration_ms: z.int(),
    actor: z.string().meta({ description: 'Whose delivery it was, as in the audit log.' }),
    content_type: z.string(),
    content_encoding: z.string().nullable(),
    mapping: z.string().nullable(),
    account_id: z.string().nullable().meta({ description: 'The account that the request named.' }),
    bytes: z.int().meta({ description: 'As received, before decompression.' }),
    accepted: z.int(),
    duplicates: z.int(),
    rejected: z.int(),
    newest_call_at: timestamp
      .nullable()
      .meta({ description: 'The end of the newest call in it; null where there is none, and for older deliveries.' }),
    failure: z
      .string()
      .nullable()
      .meta({ description: 'Why it ended early; null when all of it was read. What was accepted before is stored.' }),
    refused: z
      .object({ lines: z.int(), bytes: z.int(), expires_at: timestamp })
      .nullable()
      .meta({ description: 'What can be downloaded of the refused lines.' }),
  }),
})

const common = {
  feature: 'cdrs',
  media: 'json',
  method: 'GET',
  principals: ['operator'],
  access: 'read',
  effect: 'read',
} as const

export const listCdrIngests = operation({
  ...common,
  id: 'listCdrIngests',
  summary: 'List deliveries of call records',
  description: 'Kept for 90 days, and of the last 10,000.',
  path: '/operator/cdrs/ingests',
  query: z.object({
    ...page(10, 200),
    outcome: z
      .enum(['rejected', 'failed'])
      .optional()
      .meta({ description: '`rejected`: with lines that were refused. `failed`: those that ended early.' }),
  }),
  responses: {
    200: {
      description: 'The newest first.',
      body: z.object({ data: z.array(ingest), links: z.object({ self: z.string(), next: z.string().optional() }) }),
    },
  },
  problems: ['invalid-input'],
})

const summary = z.object({
  type: z.literal('cdr_ingest_summary'),
  attributes: z.object({
    last_received_at: timestamp.nullable(),
    quiet_s: z.int().nullable().meta({ description: 'Since the last delivery.' }),
    usual_gap_s: z
      .int()
      .nullable()
      .meta({ description: 'Between the last 20 deliveries, the median; null with fewer than three.' }),
    delay_s: z
      .int()
      .nullable()
      .meta({ description: 'From the end of the newest call of the last delivery to its arrival.' }),
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
      .meta({ description: 'The last 14 days, oldest first; the last is today.' }),
  }),
})

export const getCdrIngestSummary = operation({
  ...common,
  id: 'getCdrIngestSummary',
  summary: 'See whether call records arrive',
  path: '/operator/cdrs/ingests/summary',
  responses: { 200: { description: 'The summary.', body: z.object({ data: summary }) } },
  problems: [],
})

export const getRefusedCdrs = operation({
  ...common,
  id: 'getRefusedCdrs',
  summary: 'Download the refused lines of a delivery',
  description:
    'One JSON object for each line: `line` is its number, `messages` the errors by field, `text` the line itself, null where it could not be read. The first 4 MiB; kept for 7 days, and of the last 100 deliveries that have some.',
  path: '/operator/cdrs/ingests/{ingest_id}/refused',
  params: z.object({ ingest_id: pathId }),
  responses: { 200: { description: 'The lines.', body: { bytes: ['application/x-ndjson'] } } },
  problems: ['not-found', 'gone'],
})
