import type { FastifyInstance } from 'fastify'
import { isAuthorized } from '../platform/actor.ts'
import { credentialsOf, type Authenticate } from '../platform/http/serve.ts'
import { referencePath } from '../platform/http/site.ts'
import type { RateLimit } from '../platform/rate-limit.ts'
import { problem } from '../platform/problem.ts'
import type { Metrics } from '../platform/metrics.ts'
import { apiDescription } from './description.ts'

interface PagesOptions {
  config: { mode: 'demo' | 'production' }
  metrics: Metrics
}

/** Who may read the metrics, as an operation would declare it. */
const metricsAccess = {
  principals: ['operator'],
  feature: 'health',
  access: 'read',
  operator_scope: 'metrics:read',
} as const

/** Adds the API description, the redirect to the reference, and metrics. */
export async function addPages(
  app: FastifyInstance,
  { config, metrics }: PagesOptions,
  { authenticate, limit, has_site }: { authenticate: Authenticate; limit: RateLimit; has_site: boolean },
): Promise<void> {
  app.get('/metrics', async (request, reply) => {
    if (config.mode === 'production') {
      const actor = await authenticate({ ...credentialsOf(request), act_for: undefined })
      if (!isAuthorized(actor, metricsAccess)) throw problem('not-authorized')
    }
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })
  // the portal serves it if it is installed
  if (!has_site) app.get('/', async (_request, reply) => reply.redirect('/docs'))
  await app.register(async (pages) => {
    pages.addHook('onRequest', async (request, reply) => {
      reply.headers(await limit(null, request.ip, 'pages'))
    })
    const description = apiDescription()
    pages.get('/openapi.json', (request, reply) => description.send(request, reply))
    pages.get('/docs', async (_request, reply) => reply.redirect(has_site ? referencePath : '/openapi.json'))
  })
}
