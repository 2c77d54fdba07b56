import * as z from 'zod'
import { operation } from './operation.ts'
import { document, page, pathId, timestamp } from './shapes.ts'

/** The operator's street data, against which emergency addresses are checked. */

/** What an operator should see of a dataset before it counts. Shares are 0 to 1. */
const report = z.object({
  /** Parts of the points or ranges whose street or place lacks this. */
  without: z.object({ suffix: z.number(), direction: z.number(), city: z.number(), postal_code: z.number() }),
  /** Ranges by the side of the street that they hold; `contradicted` have ends of another side than they name. */
  parity: z.object({ odd: z.int(), even: z.int(), both: z.int(), contradicted: z.int() }).nullable(),
  columns: z.object({
    not_read: z.array(z.string()),
    /** Cells with a literal NULL or N/A, by column. */
    placeholders: z.record(z.string(), z.int()),
  }),
  /** Words at the end of names that were taken for suffixes. */
  suffixes: z.array(z.object({ country: z.string(), written: z.string(), taken_for: z.string(), streets: z.int() })),
  places: z.object({ covered: z.int(), partial: z.int(), thin: z.int() }),
  /** The active vintage of its name when it was loaded. */
  compared_with: z
    .object({
      dataset_id: z.int(),
      vintage: z.string(),
      streets: z.object({ before: z.int(), lost: z.int(), gained: z.int() }),
      ranges: z.object({ before: z.int(), after: z.int() }),
      places: z.object({ before: z.int(), lost: z.int(), gained: z.int(), lost_names: z.array(z.string()) }),
    })
    .nullable(),
  /** Why it is held; empty when it may be activated. */
  held: z.array(z.string()),
})

const dataset = z
  .object({
    type: z.literal('e911_dataset'),
    id: z.string(),
    attributes: z.object({
      name: z.string(),
      vintage: z.string(),
      format: z.string(),
      authority: z.enum(['authoritative', 'indicative']),
      /** `held`: loaded, but its report has something to look at, so that it is activated with force only. `superseded`: the vintage before the active one. */
      status: z.enum(['loading', 'loaded', 'held', 'active', 'superseded', 'failed']),
      failure_reason: z.string().nullable(),
      rows_read: z.int(),
      rows_skipped: z.int(),
      /** Skipped rows by reason. */
      skipped: z.record(z.string(), z.int()),
      streets: z.int(),
      ranges: z.int(),
      /** 0 to 1; 1 when everything is loaded. A failed import keeps the progress it had. */
      progress: z.number(),
      /** Null until the dataset is loaded. */
      report: report.nullable(),
      created_at: timestamp,
      activated_at: timestamp.nullable(),
    }),
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'E911Dataset' })

const state = z
  .string()
  .regex(/^[A-Z]{2}$/, 'Must be two capital letters.')
  .optional()

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
  'points',
  'ranges',
] as const

const force = z.enum(['true', 'false']).optional().meta({ description: 'Activates it although its report holds it.' })

export const importE911Dataset = operation({
  ...operatorOnly,
  id: 'importE911Dataset',
  summary: 'Load street data',
  description:
    'The file is the body, plain, gzip or the zip as downloaded. The same file under the same name and vintage again changes nothing, unless it is to be read in another way; another file needs another vintage. A file in which hardly a row can be used fails. Active data replaces an older vintage of its name in one transaction, which is kept to go back to. Data whose report shows something unusual is held, and not activated without force=true.',
  method: 'POST',
  path: '/operator/e911/datasets',
  access: 'write',
  query: z.object({
    name: line.min(1).max(100),
    vintage: line.max(50).optional(),
    format: z.enum(e911Formats),
    authority: z.enum(['authoritative', 'indicative']).optional(),
    activate: z.enum(['true', 'false']).optional(),
    force,
    state,
    country: z.enum(['US', 'CA']).optional(),
    city: line.max(100).optional(),
    columns: line
      .max(4000)
      .optional()
      .meta({ description: 'The format’s names of columns and the file’s: `street=STREET,low=LOW`.' }),
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
  share: z.number().nullable().meta({
    description:
      'Of the streets and numbers of a city of its inhabitants, 0 to 1: below 0.03 a place is thin. It does not say how much is missing, because a village needs fewer. Null where its inhabitants are not known.',
  }),
  coverage: z.enum(['covered', 'partial', 'thin']).meta({
    description:
      'What becomes of an address that the data lacks. `covered`: it is corrected or refused. `partial`: the place belongs to a county that the dataset does not have, so that it is corrected if it is nearly right, and otherwise accepted at level `postal`. `thin`: the dataset has too little of the place to refuse anything; it is accepted at level `postal`.',
  }),
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

const county = z.object({
  country: z.literal('US'),
  state: z.string(),
  /** Five digits; null for ZIP codes whose county is not known. */
  fips: z.string().nullable(),
  name: z.string().nullable(),
  /** Those with houses. A ZIP code counts in the county of its post office. */
  zip_codes: z.int(),
  /** How many of them are covered as the best active dataset covers them. */
  covered: z.int(),
  partial: z.int(),
  thin: z.int(),
  /** How many of them no active dataset has. */
  without_data: z.int(),
  streets: z.int(),
})

export const listE911Counties = operation({
  ...operatorOnly,
  id: 'listE911Counties',
  summary: 'List how well the active street data covers each county',
  description:
    'The counties of the United States, also those of which no data is active: the one with the smallest part of its ZIP codes covered is first, and of equal ones that with the most. Provinces have none.',
  method: 'GET',
  path: '/operator/e911/counties',
  access: 'read',
  query: z.object({ ...page(100, 1000), state }),
  responses: {
    200: {
      description: 'Counties, the least covered first.',
      body: z.object({
        data: z.array(county),
        links: z.object({ self: z.string(), next: z.string().optional() }),
      }),
    },
  },
  problems: [],
  effect: 'read',
})

export const activateE911Dataset = operation({
  ...operatorOnly,
  id: 'activateE911Dataset',
  summary: 'Activate loaded street data, or go back to the vintage before',
  description:
    'The active vintage of its name becomes superseded, and is kept until the next activation: activating it goes back to it. Data that is held is a 409 with the reasons, unless force=true.',
  method: 'POST',
  path: '/operator/e911/datasets/{dataset_id}/activate',
  access: 'write',
  params: dataset_id,
  query: z.object({ force }),
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
