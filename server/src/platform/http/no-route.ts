import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Media } from '@demarc/client'
import { problem, type Problem } from '../problem.ts'
import { sendProblem } from './reply.ts'
import { sendSite, type Site } from './site.ts'

/** A declared path: literal segments, `:` for a parameter, `*` for any remainder. */
interface Template {
  segments: readonly string[]
  methods: Set<string>
  /** The media type of its operations; undefined if it has none. */
  media: Media | undefined
}

/** A narrower template that lacks one of a route's methods, with the route parameters' values in it. */
interface Narrower {
  values: readonly (readonly [parameter: string, literal: string])[]
  methods: ReadonlySet<string>
  media: Media | undefined
}

/**
 * Handles requests that match no route. Serves the site if it has the path and no operation shares the first segment. Otherwise
 * responds 405 if the path has other methods, 204 to OPTIONS, or 404. The router falls back to a parameter if a literal segment
 * lacks the method (`GET /v2/e911s/validate`); the returned function gives the 405 for such a request, and null otherwise.
 */
export function handleUnmatchedRequests(
  app: FastifyInstance,
  site: Promise<Site> | null,
): (request: FastifyRequest) => Problem | null {
  const templates = new Map<string, Template>()
  const narrower = new Map<string, readonly Narrower[]>()
  app.addHook('onRoute', ({ method, url, config }) => {
    const segments = segmentsOf(url)
    const key = segments.map((segment) => (isParameter(segment) ? ':' : segment)).join('/')
    const { methods, media } = templates.get(key) ?? { methods: new Set(), media: config?.media }
    templates.set(key, { segments: key.split('/'), methods: methods.union(new Set([method].flat())), media })
  })
  app.setNotFoundHandler(async (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?', 1)[0] ?? '/'
    const narrowest = narrowestOf([...templates.values()], path)
    const methods = new Set(narrowest.flatMap((template) => [...template.methods]))
    const first = segmentsOf(path)[0] ?? ''
    const isOfApi = [...templates.values()].some(({ segments }) => segments[0] === first)
    if (site !== null && !isOfApi && (await sendSite(site, request, reply))) return reply
    // a static file route accepts the method, but the file does not exist
    if (methods.size === 0 || methods.has(request.method))
      return sendProblem(reply, problem('not-found', 'This path does not exist. See the API reference at /docs.'))
    if (request.method === 'OPTIONS') return reply.header('allow', allowed(methods)).status(204).send()
    return sendProblem(reply, notAllowed(request.method, methods, narrowest[0]?.media))
  })
  return ({ method, routeOptions: { url }, params }) => {
    if (url === undefined) return null
    const key = `${method} ${url}`
    const candidates = narrower.get(key) ?? narrowerThan([...templates.values()], method, url)
    narrower.set(key, candidates)
    // Fastify types params as unknown; they are strings by name
    const actual = params as Readonly<Record<string, string>>
    const found = candidates.find(({ values }) => values.every(([name, literal]) => actual[name] === literal))
    return found ? notAllowed(method, found.methods, found.media) : null
  }
}

/** The narrowest templates that match a path. `*` addresses the server as a whole. */
function narrowestOf(templates: readonly Template[], path: string): Template[] {
  const segments = segmentsOf(path.replace(/(.)\/$/, '$1'))
  const matching = templates.filter((t) => path === '*' || matches(t.segments, segments))
  return matching.filter((t) => path === '*' || !matching.some((other) => isWithin(other, t)))
}

function narrowerThan(templates: readonly Template[], method: string, url: string): Narrower[] {
  const segments = segmentsOf(url)
  const own = { segments: segments.map((segment) => (isParameter(segment) ? ':' : segment)) }
  return templates
    .filter((t) => isWithin(t, own) && !t.methods.has(method))
    .map((t) => ({
      methods: t.methods,
      media: t.media,
      values: segments.flatMap((segment, i): [string, string][] => {
        const literal = t.segments[i] ?? ''
        return isParameter(segment) && literal !== ':' ? [[segment.slice(1), literal]] : []
      }),
    }))
}

/** True if the second template matches every path of the first, and they differ. */
const isWithin = (narrow: Pick<Template, 'segments'>, wide: Pick<Template, 'segments'>): boolean =>
  narrow.segments.length === wide.segments.length &&
  wide.segments.every((segment, i) => segment === ':' || segment === narrow.segments[i]) &&
  wide.segments.some((segment, i) => segment !== narrow.segments[i])

function matches(template: readonly string[], path: readonly string[]): boolean {
  const rest = template.indexOf('*')
  if (rest >= 0) return matches(template.slice(0, rest), path.slice(0, rest)) && path.length > rest
  return template.length === path.length && template.every((t, i) => (t === ':' ? path[i] !== '' : t === path[i]))
}

const segmentsOf = (path: string) => path.split('/').slice(1)
const isParameter = (segment: string) => segment.startsWith(':')
const allowed = (methods: ReadonlySet<string>) => [...methods, 'OPTIONS'].toSorted().join(', ')

function notAllowed(method: string, methods: ReadonlySet<string>, media: Media | undefined): Problem {
  const allow = allowed(methods)
  return problem('method-not-allowed', `This path does not support ${method}. Supported: ${allow}.`, {
    headers: { allow },
    ...(media && { media }),
  })
}
