import fastifySwagger from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { credentialsOf, type Authenticate } from '../platform/http/serve.ts'
import type { RateLimit } from '../platform/rate-limit.ts'
import { problem } from '../platform/problem.ts'
import type { Metrics } from '../platform/metrics.ts'
import { apiDescription } from './description.ts'

interface PagesOptions {
  config: { mode: 'demo' | 'production' }
  metrics: Metrics
}

/** No external resources, and no upgrade to https, which a service on loopback does not offer. */
const viewerPolicy =
  "default-src 'self'; img-src 'self' data:; font-src 'self' data:; object-src 'none'; frame-ancestors 'none'; base-uri 'none'"

/** The name, and a demarcation line between two networks. */
const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="150" height="32" viewBox="0 0 150 32"><path d="M4 16h10m8 0h10" stroke="#9fc5ff" stroke-width="3"/><path d="M18 3v26" stroke="#fff" stroke-width="3" stroke-dasharray="5 3"/><text x="42" y="23" font-family="sans-serif" font-size="20" font-weight="600" fill="#fff">Demarc</text></svg>`

/** Adds the pages beside the API: the OpenAPI description, its viewer, metrics. */
export async function addPages(
  app: FastifyInstance,
  { config, metrics }: PagesOptions,
  { authenticate, limit, has_site }: { authenticate: Authenticate; limit: RateLimit; has_site: boolean },
): Promise<void> {
  app.get('/metrics', async (request, reply) => {
    if (config.mode === 'production') {
      const actor = await authenticate({ ...credentialsOf(request), act_for: undefined })
      if (actor.kind !== 'operator') throw problem('not-authorized')
    }
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })
  // the portal's, where there is one
  if (!has_site) app.get('/', async (_request, reply) => reply.redirect('/docs'))
  await app.register(async (pages) => {
    pages.addHook('onRequest', async (request, reply) => {
      reply.headers(await limit(null, request.ip, 'pages'))
    })
    await addDocumentation(pages)
  })
}

/** The OpenAPI description and its viewer. */
async function addDocumentation(pages: FastifyInstance): Promise<void> {
  const { document, response } = apiDescription()
  pages.get('/openapi.json', (request, reply) => response.send(request, reply))
  // the viewer's plug-in would serialize the document for every request
  pages.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.url === '/docs/json') return await response.send(request, reply)
    if (request.routeOptions.url === '/docs/yaml') throw problem('not-found', 'The description is at /openapi.json.')
  })
  await pages.register(fastifySwagger, { mode: 'static', specification: { document: document as never } })
  await pages.register(fastifySwaggerUi, {
    routePrefix: '/docs',
    uiConfig: { docExpansion: 'list', displayRequestDuration: true, validatorUrl: null },
    theme: { title: 'Demarc API' },
    logo: { type: 'image/svg+xml', content: logo, href: '/docs' },
    staticCSP: viewerPolicy,
  })
}
