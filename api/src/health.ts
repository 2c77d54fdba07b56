import { z } from 'zod'
import { operation } from './operation.ts'

/** For load balancers and monitoring. No key. */

const common = {
  feature: 'accounts',
  method: 'GET',
  media: 'json',
  by: ['anyone'],
  access: 'read',
  problems: [],
  effect: 'read',
} as const

export const live = operation({
  ...common,
  id: 'live',
  summary: 'Is the process alive',
  path: '/health/live',
  answers: { 200: { description: 'It is.', body: z.object({ status: z.literal('live') }) } },
})

const parts = z.record(z.string(), z.object({ status: z.enum(['ready', 'failing']), detail: z.string().optional() }))

export const ready = operation({
  ...common,
  id: 'ready',
  summary: 'Can it do its work',
  path: '/health/ready',
  answers: {
    200: {
      description: 'Every part it needs answers.',
      body: z.object({ status: z.literal('ready'), version: z.string(), mode: z.string(), parts }),
    },
  },
  problems: ['not-ready'],
})
