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

export const live = operation({
  ...common,
  id: 'live',
  summary: 'Check liveness',
  endpoint: 'GET /health/live',
  responses: { 200: { description: 'The process is running.', body: z.object({ status: z.literal('live') }) } },
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
      body: z.object({ status: z.literal('ready'), version: z.string(), mode: z.string(), parts: dependencies }),
    },
  },
  problems: ['not-ready'],
})
