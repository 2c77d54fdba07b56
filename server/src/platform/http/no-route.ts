import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { problem } from '../problem.ts'
import { sendProblem } from './reply.ts'

/** Handles requests that match no route: 405 where the path exists with other methods, 204 with them for OPTIONS, otherwise 404. */
export function handleUnmatchedRequests(app: FastifyInstance): void {
  const routes: { methods: string[]; pattern: RegExp }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    routes.push({ methods: [method].flat(), pattern: pathPattern(url) })
  })
  app.setNotFoundHandler((request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?', 1)[0] ?? '/'
    // `OPTIONS *` is about the server as a whole
    const methods = new Set(routes.filter((r) => path === '*' || r.pattern.test(path)).flatMap((r) => r.methods))
    // a route of static files that takes the method but has no such file
    if (methods.size === 0 || methods.has(request.method))
      return sendProblem(reply, problem('not-found', 'There is no such path. /docs lists those there are.'))
    const allow = [...methods, 'OPTIONS'].toSorted().join(', ')
    if (request.method === 'OPTIONS') return reply.header('allow', allow).status(204).send()
    return sendProblem(
      reply,
      problem('method-not-allowed', `${request.method} is not one of ${allow}.`, { headers: { allow } }),
    )
  })
}

/** Fastify's URL pattern as a regular expression: `:name` is one segment, `*` the rest. */
const pathPattern = (url: string) =>
  new RegExp(`^${url.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+').replace(/\*/g, '.*')}/?$`)
