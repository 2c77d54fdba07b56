import * as z from 'zod'
import { operation } from './operation.ts'
import { document, page, pathId, timestamp } from './shapes.ts'

/** The operator's street data, against which emergency addresses are checked. */

const dataset = z.object({
  type: z.literal('e911_dataset'),
  id: z.string(),
  attributes: z.object({
    name: z.string(),
    vintage: z.string(),
    format: z.string(),
    authority: z.enum(['authoritative', 'indicative']),
    status: z.enum(['loading', 'loaded', 'active', 'failed']),
    failure_reason: z.string().nullable(),
    rows_read: z.int(),
    rows_skipped: z.int(),
    /** Skipped rows by reason. */
    skipped: z.record(z.string(), z.int()),
    streets: z.int(),
    ranges: z.int(),
    /** 0 to 1; 1 when everything is loaded. A failed import keeps the progress it had. */
    progress: z.number(),
    created_at: timestamp,
    activated_at: timestamp.nullable(),
  }),
  links: z.object({ self: z.string() }),
})

/** Text of a query that is stored. */
const line = z.string().regex(/^\P{Cc}*$/u, 'Must be one line, without control characters.')

const operatorOnly = { feature: 'e911s', media: 'json', principals: ['operator'] } as const
const dataset_id = z.object({ dataset_id: pathId })

export const e911Formats = [
  'openaddresses-csv',
  'openaddresses-geojsonl',
  'tiger-addrfeat',
  'tiger-edges',
  'nad-csv',
  'nar-csv',
  'msag-csv',
  'msag-fixed',
  'nena-rcl-csv',
  'nena-ssap-csv',
] as const

export const importE911Dataset = operation({
  ...operatorOnly,
  id: 'importE911Dataset',
  summary: 'Load street data',
  description:
    'The file is the body, plain, gzip or the zip as downloaded. The same file under the same name and vintage again changes nothing; another file needs another vintage. A file in which no row can be used is refused when it is loaded. Active data replaces an older vintage of its name in one transaction.',
  method: 'POST',
  path: '/operator/e911/datasets',
  access: 'write',
  query: z.object({
    name: line.min(1).max(100),
    vintage: line.max(50).optional(),
    format: z.enum(e911Formats),
    authority: z.enum(['authoritative', 'indicative']).optional(),
    activate: z.enum(['true', 'false']).optional(),
    state: z
      .string()
      .regex(/^[A-Z]{2}$/, 'Must be two capital letters.')
      .optional(),
    country: z.enum(['US', 'CA']).optional(),
    city: line.max(100).optional(),
    columns: line
      .max(4000)
      .optional()
      .meta({ description: 'Our column names and the file’s: `street=STREET,low=LOW`.' }),
    layout: line
      .max(4000)
      .optional()
      .meta({ description: 'Positions of fixed-width columns: `street=3-50,low=59-66`.' }),
  }),
  body: {
    bytes: [
      'application/octet-stream',
      'application/zip',
      'application/gzip',
      'text/csv',
      'text/plain',
      'application/x-ndjson',
      'application/geo+json',
      'application/dbase',
    ],
  },
  responses: { 202: { description: 'It is being loaded.', body: document(dataset) } },
  problems: ['invalid-input', 'conflict', 'payload-too-large'],
  effect: 'own',
})

export const listE911Datasets = operation({
  ...operatorOnly,
  id: 'listE911Datasets',
  summary: 'List street data, and what it covers',
  method: 'GET',
  path: '/operator/e911/datasets',
  access: 'read',
  responses: {
    200: {
      description: 'Datasets by name; `meta.coverage` counts the active data of each state.',
      body: z.object({
        data: z.array(dataset),
        links: z.object({ self: z.string() }),
        meta: z.object({
          coverage: z.array(
            z.object({ country: z.string(), state: z.string(), datasets: z.int(), places: z.int(), streets: z.int() }),
          ),
        }),
      }),
    },
  },
  problems: [],
  effect: 'read',
})

export const getE911Dataset = operation({
  ...operatorOnly,
  id: 'getE911Dataset',
  summary: 'Get one dataset of street data',
  method: 'GET',
  path: '/operator/e911/datasets/{dataset_id}',
  access: 'read',
  params: dataset_id,
  responses: { 200: { description: 'The dataset.', body: document(dataset) } },
  problems: ['not-found'],
  effect: 'read',
})

const place = z.object({
  country: z.string(),
  state: z.string(),
  /** Empty for a city of data without postal codes, and in Canada. */
  postal: z.string(),
  /** Of a postal code the city in which it has the most streets. */
  city: z.string(),
  streets: z.int(),
  /** Points or ranges. */
  numbers: z.int(),
  /** Of the streets and numbers that a place of its size has at least; null where its size is not known. */
  share: z.number().nullable(),
  /**
   * `partial`: it belongs to a county that the dataset does not have, so that a missing street may exist. `thin`: the dataset
   * has too little of it to say that anything does not exist there.
   */
  coverage: z.enum(['covered', 'partial', 'thin']),
})

export const listE911DatasetPlaces = operation({
  ...operatorOnly,
  id: 'listE911DatasetPlaces',
  summary: 'List the places of street data, and how well it covers them',
  method: 'GET',
  path: '/operator/e911/datasets/{dataset_id}/places',
  access: 'read',
  params: dataset_id,
  query: z.object({ ...page(100, 1000), coverage: z.enum(['covered', 'partial', 'thin']).optional() }),
  responses: {
    200: {
      description: 'ZIP codes, and cities where the data has none and in Canada, by state, code and name.',
      body: z.object({
        data: z.array(place),
        links: z.object({ self: z.string(), next: z.string().optional() }),
      }),
    },
  },
  problems: ['not-found'],
  effect: 'read',
})

export const activateE911Dataset = operation({
  ...operatorOnly,
  id: 'activateE911Dataset',
  summary: 'Activate loaded street data',
  method: 'POST',
  path: '/operator/e911/datasets/{dataset_id}/activate',
  access: 'write',
  params: dataset_id,
  responses: { 200: { description: 'The dataset.', body: document(dataset) } },
  problems: ['not-found', 'conflict'],
  effect: 'own',
})

export const deleteE911Dataset = operation({
  ...operatorOnly,
  id: 'deleteE911Dataset',
  summary: 'Remove street data',
  method: 'DELETE',
  path: '/operator/e911/datasets/{dataset_id}',
  access: 'write',
  params: dataset_id,
  responses: { 204: { description: 'Removed.', body: null } },
  problems: ['not-found'],
  effect: 'own',
})
