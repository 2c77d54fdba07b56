import * as z from 'zod'
import { operation } from './declare.ts'

/** Health checks for load balancers and monitoring. They need no key. */

const common = {
  feature: 'health',
  media: 'json',
  principals: ['anyone'],
  access: 'read',
  problems: [],
  effect: 'read',
} as const

/** What the process runs. */
const release = z.object({
  version: z.string(),
  commit: z
    .string()
    .nullable()
    .meta({ description: 'The commit that the release was packed from; `null` in a checkout.' }),
})

export const live = operation({
  ...common,
  id: 'live',
  summary: 'Check liveness',
  endpoint: 'GET /health/live',
  responses: {
    200: { description: 'The process is running.', body: release.extend({ status: z.literal('live') }) },
  },
})

const dependencies = z.record(
  z.string(),
  z.object({ status: z.enum(['ready', 'failing']), detail: z.string().optional() }),
)

export const ready = operation({
  ...common,
  id: 'ready',
  summary: 'Check readiness',
  endpoint: 'GET /health/ready',
  responses: {
    200: {
      description: 'Every dependency is available.',
      body: release.extend({ status: z.literal('ready'), mode: z.string(), parts: dependencies }),
    },
  },
  problems: ['not-ready'],
})
