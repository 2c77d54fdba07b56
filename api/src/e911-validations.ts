import * as z from 'zod'
import { e911Levels } from './e911-words.ts'
import { operation } from './declare.ts'
import { document, selfLink, storageHeaders, timestamp } from './shapes.ts'

/** Bulk validation of emergency addresses. */

/** The verdict of a row. `unavailable`: no validator could be reached. */
export const e911Verdicts = ['valid', 'correction', 'not_geocodable', 'invalid_input', 'unavailable'] as const

const validation = z.object({
  type: z.literal('e911_validation'),
  id: z.string(),
  attributes: z.object({
    status: z.enum(['processing', 'completed', 'failed']),
    failure_reason: z.string().nullable(),
    created_at: timestamp,
    expires_at: timestamp.nullable(),
    /** Share of the file, 0 to 1. */
    progress: z.number(),
    /** Rows validated so far. */
    rows: z.int(),
    /** Row counts by verdict. */
    verdicts: z.object(Object.fromEntries(e911Verdicts.map((verdict) => [verdict, z.int()]))),
    levels: z.object(Object.fromEntries(e911Levels.map((level) => [level, z.int()]))).meta({
      description: 'Counts of valid rows by level. At `postal`, the street was not checked.',
    }),
    download_url: z.string().nullable(),
    sha256: z.string().nullable(),
    bytes: z.int().nullable(),
  }),
  links: selfLink,
})

const common = { feature: 'e911s', media: 'jsonapi', principals: ['account', 'operator'], access: 'read' } as const
const fileTypes = ['text/csv', 'application/x-ndjson'] as const

/** Maximum rows in one file. */
export const e911ValidationRows_max = 100_000

export const createE911Validation = operation({
  ...common,
  id: 'createE911Validation',
  summary: 'Validate many addresses at once',
  description:
    'Send CSV with a header line, or NDJSON, with up to 100,000 addresses. Use the field names of an address; other columns are copied. The result has the same rows, each with its verdict and corrections. No address is saved to the account.',
  endpoint: 'POST /v2/e911s/validations',
  body: { bytes: fileTypes },
  responses: {
    202: { description: 'The file is being processed.', body: document(validation), headers: storageHeaders },
  },
  problems: ['invalid-input', 'payload-too-large', 'conflict', 'insufficient-storage'],
})

export const getE911Validation = operation({
  ...common,
  id: 'getE911Validation',
  summary: 'Get the progress of a bulk validation',
  endpoint: 'GET /v2/e911s/validations/{validation_id}',
  responses: {
    200: { description: 'The status, and the link to the result once it is complete.', body: document(validation) },
  },
})

export const getE911ValidationFile = operation({
  ...common,
  id: 'getE911ValidationFile',
  summary: 'Download the result of a bulk validation',
  description: 'Use the signed `download_url`, or a key.',
  endpoint: 'GET /v2/e911s/validations/{validation_id}/file',
  principals: ['account', 'operator', 'link'],
  query: z.object({ account: z.string().optional(), expires: z.string().optional(), signature: z.string().optional() }),
  responses: { 200: { description: 'The file.', body: { bytes: fileTypes } } },
  problems: ['not-found', 'gone', 'file-damaged'],
})
