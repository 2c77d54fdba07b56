import fastifySwagger from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { openapi, operations } from '@demarc/client'
import type { Authenticate } from '../platform/http/serve.ts'
import { problem } from '../platform/problem.ts'
import type { Metrics } from '../platform/metrics.ts'
import { version } from './version.ts'

interface Pages {
  config: { mode: 'demo' | 'production' }
  deps: { public_url: string }
  metrics: Metrics
}

/** Pages for people and machines beside the API: the API's description, its viewer, metrics. */
export async function addPages(
  app: FastifyInstance,
  { config, deps, metrics }: Pages,
  authenticate: Authenticate,
): Promise<void> {
  const document = openapi(operations, { version, server_url: deps.public_url })
  app.get('/openapi.json', async (_request, reply) => reply.type('application/json').send(JSON.stringify(document)))
  app.get('/metrics', async (request, reply) => {
    if (config.mode === 'production') {
      const actor = await authenticate(request.headers.authorization, request.ip, undefined)
      if (actor.kind !== 'operator') throw problem('not-authorized')
    }
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })
  app.get('/', async (_request, reply) => reply.redirect('/docs'))
  // the viewer wants its document through the swagger plug-in; ours is finished, so it is given as it is
  await app.register(fastifySwagger, { mode: 'static', specification: { document: document as never } })
  await app.register(fastifySwaggerUi, {
    routePrefix: '/docs',
    uiConfig: { docExpansion: 'list', displayRequestDuration: true, validatorUrl: null },
    theme: { title: 'Demarc API' },
    staticCSP: true,
  })
}
