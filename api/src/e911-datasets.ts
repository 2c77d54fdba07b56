import * as z from 'zod'
import { operation } from './declare.ts'
import { document, list, page, selfLink, timestamp } from './shapes.ts'

/** The operator's street data, which emergency addresses are validated against. */

/** Rows, sides of streets, or values of a file, with examples of them. */
const finding = z.object({
  part: z.enum(['row', 'side', 'value']),
  reason: z.string(),
  count: z.int(),
  examples: z.array(z.string()),
})

/** What an operator should review before activating a dataset. Shares are 0 to 1. */
const report = z.object({
  dropped: z.array(finding).meta({
    description: 'What was not loaded: rows, sides of a street whose other side was loaded, and values of loaded rows.',
  }),
  contradictions: z.array(finding).meta({ description: 'Loaded rows that contradict the postal data.' }),
  /** Shares of the points or ranges whose street or place lacks this. */
  without: z.object({ suffix: z.number(), direction: z.number(), city: z.number(), postal_code: z.number() }),
  /** Ranges by side of the street; in `contradicted` ranges, the end numbers are on the other side than the one they name. */
  parity: z.object({ odd: z.int(), even: z.int(), both: z.int(), contradicted: z.int() }).nullable(),
  columns: z.object({
    not_read: z.array(z.string()),
    /** Cells with a literal NULL or N/A, by column. */
    placeholders: z.record(z.string(), z.int()),
  }),
  /** Last words of names that were read as suffixes. */
  suffixes: z.array(z.object({ country: z.string(), written: z.string(), taken_for: z.string(), streets: z.int() })),
  places: z.object({ covered: z.int(), partial: z.int(), thin: z.int() }),
  /** The vintage that was active under this name when the dataset was loaded. */
  compared_with: z
    .object({
      dataset_id: z.int(),
      vintage: z.string(),
      streets: z.object({ before: z.int(), lost: z.int(), gained: z.int() }),
      ranges: z.object({ before: z.int(), after: z.int() }),
      places: z.object({ before: z.int(), lost: z.int(), gained: z.int(), lost_names: z.array(z.string()) }),
    })
    .nullable(),
  overlap: z
    .object({ numbers: z.int(), lost: z.int(), datasets: z.array(z.string()), examples: z.array(z.string()) })
    .nullable()
    .meta({
      description:
        'Places that both authoritative and indicative data have, where only the authoritative data is used: how many house numbers and ends of ranges the indicative datasets have there, and how many of them are `lost`, because the authoritative data lacks them. As of the last load or activation of this dataset. Null if there are none.',
    }),
  /** Why it is held; empty if it can be activated. */
  held: z.array(z.string()),
})

export type E911DatasetReport = z.output<typeof report>

const dataset = z
  .object({
    type: z.literal('e911_dataset'),
    id: z.string(),
    attributes: z.object({
      name: z.string(),
      vintage: z.string(),
      format: z.string(),
      authority: z.enum(['authoritative', 'indicative']),
      /** `held`: loaded, but its report needs review, so activating it takes force. `superseded`: the vintage before the active one. */
      status: z.enum(['loading', 'loaded', 'held', 'active', 'superseded', 'failed']),
      failure_reason: z.string().nullable(),
      rows_read: z.int(),
      rows_skipped: z.int(),
      /** Skipped rows by reason. */
      skipped: z.record(z.string(), z.int()),
      streets: z.int(),
      ranges: z.int(),
      /** 0 to 1; 1 when everything is loaded. A failed import keeps its last progress. */
      progress: z.number(),
      /** Null until the dataset is loaded. */
      report: report.nullable(),
      created_at: timestamp,
      activated_at: timestamp.nullable(),
    }),
    links: selfLink,
  })
  .meta({ id: 'E911Dataset' })

const state = z
  .string()
  .regex(/^[A-Z]{2}$/, 'Must be two capital letters.')
  .optional()

/** A query parameter that is stored. */
const line = z.string().regex(/^\P{Cc}*$/u, 'Must be one line, without control characters.')

const operatorOnly = { feature: 'e911s', media: 'json', principals: ['operator'] } as const
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

const force = z
  .enum(['true', 'false'])
  .optional()
  .meta({ description: 'Activates the dataset even if its report holds it.' })

export const importE911Dataset = operation({
  ...operatorOnly,
  id: 'importE911Dataset',
  summary: 'Load street data',
  description:
    'Send the file as the body: plain, gzip, or the zip as downloaded. Sending the same file again under the same name and vintage changes nothing, unless the options differ; another file needs another vintage. The import fails if almost no row is usable. Activation replaces the active vintage of the same name in one transaction and keeps it for rollback. If the report shows something unusual, the dataset is held and can only be activated with force=true.',
  endpoint: 'POST /operator/e911/datasets',
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
      .meta({ description: 'Column names of the format and of the file: `street=STREET,low=LOW`.' }),
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
  responses: { 202: { description: 'The file is being loaded.', body: document(dataset) } },
  problems: ['invalid-input', 'conflict', 'payload-too-large'],
  effect: 'own',
})

export const listE911Datasets = operation({
  ...operatorOnly,
  id: 'listE911Datasets',
  summary: 'List street data and its coverage',
  endpoint: 'GET /operator/e911/datasets',
  responses: {
    200: {
      description: 'Datasets by name; `meta.coverage` has the counts of active data by state.',
      body: z.object({
        data: z.array(dataset),
        links: selfLink,
        meta: z.object({
          coverage: z.array(
            z.object({ country: z.string(), state: z.string(), datasets: z.int(), places: z.int(), streets: z.int() }),
          ),
        }),
      }),
    },
  },
})

export const getE911Dataset = operation({
  ...operatorOnly,
  id: 'getE911Dataset',
  summary: 'Get one dataset of street data',
  endpoint: 'GET /operator/e911/datasets/{dataset_id}',
  responses: { 200: { description: 'The dataset.', body: document(dataset) } },
})

const place = z.object({
  country: z.string(),
  state: z.string(),
  /** Empty for cities of data without postal codes, and in Canada. */
  postal: z.string(),
  /** For a postal code, the city with the most streets. */
  city: z.string(),
  streets: z.int(),
  /** Points or ranges. */
  numbers: z.int(),
  share: z.number().nullable().meta({
    description:
      'Streets and numbers as a share of those in a city of the same population, 0 to 1. Below 0.03 a place is thin. The share doesn’t show how much is missing, because a village needs fewer. Null if the population is unknown.',
  }),
  coverage: z.enum(['covered', 'partial', 'thin']).meta({
    description:
      'How an address that is not in the data is handled. `covered`: it is corrected or refused. `partial`: the place belongs to a county that the dataset does not cover, so the address is corrected if it is nearly right, and otherwise accepted at level `postal`. `thin`: the dataset has too little of the place to refuse anything, so the address is corrected only if a single error separates its street from one that has the house number, and otherwise accepted at level `postal`.',
  }),
})

export const listE911DatasetPlaces = operation({
  ...operatorOnly,
  id: 'listE911DatasetPlaces',
  summary: 'List the places in street data and how well it covers them',
  endpoint: 'GET /operator/e911/datasets/{dataset_id}/places',
  query: z.object({ ...page(100, 1000), coverage: z.enum(['covered', 'partial', 'thin']).optional() }),
  responses: {
    200: {
      description: 'ZIP codes, or cities in Canada and in data without ZIP codes, by state, code, and name.',
      body: list(place),
    },
  },
  problems: ['not-found'],
})

const county = z.object({
  country: z.literal('US'),
  state: z.string(),
  /** Five digits; null for ZIP codes whose county is unknown. */
  fips: z.string().nullable(),
  name: z.string().nullable(),
  /** ZIP codes with houses. A ZIP code counts toward the county of its post office. */
  zip_codes: z.int(),
  /** ZIP codes by their coverage in the best active dataset. */
  covered: z.int(),
  partial: z.int(),
  thin: z.int(),
  /** ZIP codes that no active dataset has. */
  without_data: z.int(),
  streets: z.int(),
})

export const listE911Counties = operation({
  ...operatorOnly,
  id: 'listE911Counties',
  summary: 'List how well the active street data covers each county',
  description:
    'Lists the counties of the United States, including those without active data. The county with the smallest share of covered ZIP codes comes first; ties go to the county with more ZIP codes. Provinces have no counties.',
  endpoint: 'GET /operator/e911/counties',
  query: z.object({ ...page(100, 1000), state }),
  responses: {
    200: {
      description: 'Counties, least covered first.',
      body: list(county),
    },
  },
  problems: [],
})

export const activateE911Dataset = operation({
  ...operatorOnly,
  id: 'activateE911Dataset',
  summary: 'Activate loaded street data, or roll back to the previous vintage',
  description:
    'The active vintage of the same name becomes superseded and is kept until the next activation; activate it again to roll back. For a held dataset the response is a 409 with the reasons, unless you send force=true.',
  endpoint: 'POST /operator/e911/datasets/{dataset_id}/activate',
  query: z.object({ force }),
  responses: { 200: { description: 'The dataset.', body: document(dataset) } },
  problems: ['not-found', 'conflict'],
  effect: 'own',
})

export const deleteE911Dataset = operation({
  ...operatorOnly,
  id: 'deleteE911Dataset',
  summary: 'Remove street data',
  description:
    'For an active dataset the response is a 409 that says how many stored addresses were checked against it, unless you send force=true.',
  endpoint: 'DELETE /operator/e911/datasets/{dataset_id}',
  query: z.object({ force: force.meta({ description: 'Removes the dataset even if it is active.' }) }),
  responses: { 204: { description: 'Removed.', body: null } },
  problems: ['not-found', 'conflict'],
  effect: 'own',
})
