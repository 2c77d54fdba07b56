import * as z from 'zod'
import { cdrFilters, filterParameters } from './cdr-filters.ts'
import { operation } from './declare.ts'
import { envelope } from './envelope.ts'
import {
  absentWhenEmpty,
  callbackUrl,
  document,
  list,
  money,
  page,
  resource,
  storageHeaders,
  timestamp,
} from './shapes.ts'

/** Call-record exports, and the operator's bulk ingest. */

export const exportStatuses = ['processing', 'completed', 'failed'] as const
export const exportFormats = ['csv', 'csv.zst', 'ndjson', 'parquet'] as const

/** Columns of an export file, in order; csv starts with them as its header line. */
export const exportColumns = [
  'direction',
  'start_time',
  'end_time',
  'destination',
  'number_alias',
  'callerid',
  'total_cost',
  'destination_name',
  'callerid_country',
  'line_information',
  'result',
  'call_fail_sip_code',
  'call_fail_reason',
  'duration',
  'billed_duration',
  'rate',
  'first_increment',
  'subsequent_increment',
  'cost_subtotal',
  'connect_fee',
  'usf_fee',
  'ccrf',
  'cnam_lookup_fee',
  'custom_x_tag',
  'customer_ip',
] as const

const exportAttributes = z
  .object({
    callback_url: z.string().nullable(),
    status: z.enum(exportStatuses),
    failure_reason: z.string().nullable(),
    download_url: z.string().nullable(),
    requested_at: timestamp,
    created_at: timestamp,
    expires_at: timestamp.nullable(),
    total_cost: money.nullable(),
    call_subtotal: money.nullable(),
    connect_fees: money.nullable(),
    cnamlookup_fees: money.nullable(),
    usf_fees: money.nullable(),
    ccrf: money.nullable(),
    billed_minutes: money.nullable(),
    num_calls: z.int().nullable(),
    format: z.enum(exportFormats),
    sha256: z.string().nullable(),
    bytes: z.int().nullable(),
    /** Fraction of the rows written so far, 0 to 1. */
    progress: z.number(),
    filter_parameters: z.record(z.string(), z.unknown()),
  })
  // the contract repeats the filters among the other attributes
  .catchall(z.unknown())
export const cdrExport = resource('cdrexport', exportAttributes).meta({ id: 'CdrExport' })

/** The filters repeated among the other attributes, read-only. */
const shown = exportAttributes.extend(
  Object.fromEntries(Object.keys(cdrFilters.shape).map((name) => [name, z.unknown()])),
)

/** The request. A client may edit an existing export's document and send it. */
const exportBody = envelope(
  'cdrexport',
  z.strictObject({
    callback_url: absentWhenEmpty(callbackUrl),
    format: absentWhenEmpty(z.enum(exportFormats)),
    filter_parameters: filterParameters,
  }),
  { shows: shown },
)

const common = { feature: 'cdrs', media: 'jsonapi', principals: ['account', 'operator'] } as const
export const createCdrExport = operation({
  ...common,
  id: 'createCdrExport',
  summary: 'Request a call-record export',
  description:
    'Builds the export in the background. `callback_url` is notified of every status change, and the file can be downloaded until `expires_at`.',
  endpoint: 'POST /v2/cdrs/exports',
  body: exportBody,
  responses: {
    202: {
      description: 'The export, in status `processing`.',
      body: document(cdrExport),
      headers: storageHeaders,
    },
  },
  problems: ['invalid-input', 'conflict', 'insufficient-storage'],
  fieldErrors: 'sentences',
})

export const listCdrExports = operation({
  ...common,
  id: 'listCdrExports',
  summary: 'List call-record exports',
  endpoint: 'GET /v2/cdrs/exports',
  replica: true,
  query: z.object({ ...page(10, 200), status: z.enum(exportStatuses).optional() }),
  responses: { 200: { description: 'Exports, newest first.', body: list(cdrExport) } },
})

export const getCdrExport = operation({
  ...common,
  id: 'getCdrExport',
  summary: 'Get one call-record export',
  endpoint: 'GET /v2/cdrs/exports/{export_id}',
  responses: { 200: { description: 'The export.', body: document(cdrExport) } },
})

export const getCdrExportFile = operation({
  ...common,
  id: 'getCdrExportFile',
  summary: 'Download the file of an export',
  description: 'Use the signed `download_url` or a key. To resume an interrupted download, send `Range`.',
  endpoint: 'GET /v2/cdrs/exports/{export_id}/file',
  principals: ['account', 'operator', 'link'],
  query: z.object({ account: z.string().optional(), expires: z.string().optional(), signature: z.string().optional() }),
  responses: {
    200: {
      description: 'The file.',
      body: { bytes: ['application/gzip', 'application/zstd', 'application/vnd.apache.parquet'] },
    },
    206: {
      description: 'The requested range.',
      body: { bytes: ['application/gzip', 'application/zstd', 'application/vnd.apache.parquet'] },
    },
  },
  problems: ['not-found', 'gone', 'file-damaged', 'range-not-satisfiable'],
})

export const estimateCdrExport = operation({
  ...common,
  id: 'estimateCdrExport',
  summary: 'Estimate the size of an export',
  endpoint: 'POST /v2/cdrs/exports/estimate',
  access: 'read',
  body: exportBody,
  responses: {
    200: {
      description: 'Exact current number and cost of the calls; estimated size and time.',
      body: z.object({
        data: z.object({
          type: z.literal('cdrexport_estimate'),
          attributes: z.object({
            num_calls: z.int(),
            total_cost: money,
            estimated_bytes: z.int(),
            estimated_seconds: z.number(),
            filter_parameters: z.record(z.string(), z.unknown()),
          }),
        }),
      }),
    },
  },
  problems: ['invalid-input', 'not-ready', 'call-records-missing'],
  fieldErrors: 'sentences',
  effect: 'read',
})

export const ingestCdrs = operation({
  ...common,
  id: 'ingestCdrs',
  summary: 'Ingest call records in bulk',
  description:
    'Accepts a body of any size, plain or with `Content-Encoding` gzip or zstd. Account and `id` identify a record: sending it again counts as a duplicate and changes nothing. Invalid lines are rejected one by one, and the response explains the first 100.',
  endpoint: 'POST /operator/cdrs',
  media: 'json',
  principals: ['operator'],
  operator_scope: 'cdrs:ingest',
  query: z.object({
    mapping: z.string().max(50).optional().meta({ description: 'Mapping for records in the format of a switch.' }),
    account_id: z
      .string()
      .regex(/^\d{1,18}$/, 'Must be the ID of an account.')
      .optional()
      .meta({ description: 'Account of every record that does not name one. Required with a mapping.' }),
  }),
  body: { bytes: ['application/x-ndjson', 'text/csv'] },
  responses: {
    200: {
      description: 'The number of accepted lines. Accepted records are on disk.',
      body: z.object({
        data: z.object({
          accepted: z.int(),
          duplicates: z.int(),
          rejected: z.int(),
          errors: z.array(z.object({ line: z.int(), messages: z.record(z.string(), z.array(z.string())) })),
        }),
        meta: z
          .object({ message: z.string() })
          .optional()
          .meta({ description: 'Present if every record was rejected: nothing was stored.' }),
      }),
    },
  },
  problems: ['invalid-input', 'conflict', 'not-ready', 'unsupported-media-type'],
  effect: 'own',
  repeatable: true,
})
