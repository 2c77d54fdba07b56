import * as z from 'zod'
import { operation } from './operation.ts'
import { page, queryId, queryText, timestamp, text } from './shapes.ts'

/** The work that the service does in the background, for the operator. */

/** `scheduled`: due later. `due`: a worker takes it next. `running`: under a lease. `dead`: its last attempt failed; nobody takes it again. */
export const jobStates = ['scheduled', 'due', 'running', 'dead'] as const
export type JobState = (typeof jobStates)[number]

const jobCounts = z.object({ scheduled: z.int(), due: z.int(), running: z.int(), dead: z.int() })

const common = { feature: 'accounts', media: 'json', principals: ['operator'] } as const

/** Kind and key; the key may contain anything but is of our own making. */
const jobId = text(300).meta({
  description: 'Kind and key, with a colon in between.',
  examples: ['build-cdr-export:12'],
})

const job = z.object({
  type: z.literal('job'),
  id: jobId,
  attributes: z.object({
    kind: z.string().meta({ examples: ['build-cdr-export'] }),
    key: z.string().meta({ description: 'What it works on: mostly the id of a record.' }),
    account_id: z.string().nullable().meta({ description: 'Whose turn it is, where accounts take turns.' }),
    state: z.enum(jobStates),
    due_at: timestamp,
    attempts: z.int().meta({ description: 'Runs since it was enqueued, with those that a killed worker cut short.' }),
    failures: z.int().meta({ description: 'Runs that ended in an error.' }),
    last_error: z.string().nullable(),
    worker: z.string().nullable(),
    dead_at: timestamp.nullable(),
  }),
})

export const listJobs = operation({
  ...common,
  id: 'listJobs',
  summary: 'List the jobs of the service',
  description:
    'Jobs that are done are gone. Those that were given up come first, the last of them at the top; then the others by the time that they are due.',
  method: 'GET',
  path: '/operator/jobs',
  access: 'read',
  query: z.object({ ...page(10, 200), state: z.enum(jobStates).optional(), kind: queryText, account_id: queryId }),
  responses: {
    200: {
      description: 'Jobs; `meta` counts those of all kinds by state, up to 100,000 each.',
      body: z.object({
        data: z.array(job),
        links: z.object({ self: z.string(), next: z.string().optional() }),
        meta: jobCounts,
      }),
    },
  },
  problems: ['invalid-input'],
  effect: 'read',
})

const kind = z.object({
  type: z.literal('job_kind'),
  id: z.string().meta({ description: 'The kind.', examples: ['build-cdr-export'] }),
  attributes: z.object({
    ...jobCounts.shape,
    oldest_due_at: timestamp
      .nullable()
      .meta({ description: 'Of those that are due, since when the one is that waits longest.' }),
    late_s: z.int().meta({ description: 'For how long that is by the service’s clock; 0 when none is due.' }),
  }),
})

export const listJobKinds = operation({
  ...common,
  id: 'listJobKinds',
  summary: 'Count the jobs of each kind',
  description: 'The kinds of which there are jobs, those first whose jobs were given up or wait longest.',
  method: 'GET',
  path: '/operator/jobs/kinds',
  access: 'read',
  responses: {
    200: {
      description: 'Jobs of each kind by state, up to 100,000 each.',
      body: z.object({ data: z.array(kind), links: z.object({ self: z.string() }) }),
    },
  },
  problems: [],
  effect: 'read',
})

export const retryJob = operation({
  ...common,
  id: 'retryJob',
  summary: 'Run a job again that was given up',
  description: 'Due at once, with as many attempts as a new one.',
  method: 'POST',
  path: '/operator/jobs/{job_id}/retry',
  access: 'write',
  params: z.object({ job_id: jobId }),
  responses: { 202: { description: 'The job, in state `due`.', body: z.object({ data: job }) } },
  problems: ['not-found', 'conflict'],
  effect: 'transaction',
})
