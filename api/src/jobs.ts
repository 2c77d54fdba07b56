import * as z from 'zod'
import { operation } from './declare.ts'
import { document, listLinks, page, queryId, queryText, text, timestamp } from './shapes.ts'

/** Background jobs, for the operator. */

/** `scheduled`: due later. `due`: waiting for a worker. `running`: under a lease. `dead`: its last attempt failed and it is not retried. */
export const jobStates = ['scheduled', 'due', 'running', 'dead'] as const
export type JobState = (typeof jobStates)[number]

const jobCounts = z.object({ scheduled: z.int(), due: z.int(), running: z.int(), dead: z.int() })

const common = { feature: 'accounts', media: 'json', principals: ['operator'] } as const

/** Kind and key. The service makes the key, so it needs no pattern. */
const jobId = text(300).meta({
  description: 'Kind and key, separated by a colon.',
  examples: ['build-cdr-export:12'],
})

const job = z
  .object({
    type: z.literal('job'),
    id: jobId,
    attributes: z.object({
      kind: z.string().meta({ examples: ['build-cdr-export'] }),
      key: z.string().meta({ description: 'What the job works on, usually the ID of a record.' }),
      account_id: z
        .string()
        .nullable()
        .meta({ description: 'The account, for kinds of jobs that take turns by account.' }),
      state: z.enum(jobStates),
      due_at: timestamp,
      attempts: z
        .int()
        .meta({ description: 'Runs since the job was enqueued, including runs interrupted when a worker was killed.' }),
      failures: z.int().meta({ description: 'Runs that failed with an error.' }),
      last_error: z.string().nullable(),
      worker: z.string().nullable(),
      dead_at: timestamp.nullable(),
    }),
  })
  .meta({ id: 'Job' })

export const listJobs = operation({
  ...common,
  id: 'listJobs',
  summary: 'List background jobs',
  description:
    'Completed jobs are not listed. Failed jobs come first, most recent first, followed by the others in order of due time.',
  endpoint: 'GET /operator/jobs',
  query: z.object({ ...page(10, 200), state: z.enum(jobStates).optional(), kind: queryText, account_id: queryId }),
  responses: {
    200: {
      description: 'Jobs. `meta` has the number of jobs by state across all kinds, up to 100,000 each.',
      body: z.object({
        data: z.array(job),
        links: listLinks,
        meta: jobCounts,
      }),
    },
  },
})

const kind = z.object({
  type: z.literal('job_kind'),
  id: z.string().meta({ description: 'The kind.', examples: ['build-cdr-export'] }),
  attributes: z.object({
    ...jobCounts.shape,
    oldest_due_at: timestamp.nullable().meta({ description: 'When the oldest due job became due.' }),
    late_s: z
      .int()
      .meta({ description: 'How long the oldest due job has waited, by the service’s clock; 0 if none is due.' }),
  }),
})

export const listJobKinds = operation({
  ...common,
  id: 'listJobKinds',
  summary: 'Count the jobs of each kind',
  description: 'Only kinds that have jobs. Kinds with failed jobs come first, then those with the longest wait.',
  endpoint: 'GET /operator/jobs/kinds',
  responses: {
    200: {
      description: 'Jobs of each kind by state, up to 100,000 each.',
      body: document(z.array(kind)),
    },
  },
})

export const retryJob = operation({
  ...common,
  id: 'retryJob',
  summary: 'Retry a failed job',
  description: 'The job becomes due immediately, with the same number of attempts as a new job.',
  endpoint: 'POST /operator/jobs/{job_id}/retry',
  params: z.object({ job_id: jobId }),
  responses: { 202: { description: 'The job, in state `due`.', body: z.object({ data: job }) } },
  problems: ['not-found', 'conflict'],
})
