import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { problem } from '../problem.ts'
import { digestOf, sendEncoded, type EncodedBody } from './prepared.ts'

/**
 * Serves a single-page app on every path outside the API: files by name, and the page itself when a browser navigates. The
 * files are few and small, so they stay in memory in each encoding.
 */

interface SiteFile {
  type: string
  /** The name contains a digest of the content, so the file never changes. */
  immutable: boolean
  body: EncodedBody
}

/** Files by path, such as `/assets/index-1a2b.js`. The page is `/index.html`. */
export type Site = ReadonlyMap<string, SiteFile>

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/** Allows no other origin, inline code, or framing. */
const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data: blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  vary: 'accept-encoding, accept',
} as const

/** The portal's API reference; `/docs` redirects to it. */
export const referencePath = '/developers/reference'

/** The portal's operator pages share this prefix with the API; `/v2/operator/` is API only. */
const sharedPrefix = /^\/operator(?=[/?]|$)/

/** True if the response depends on the request's `Accept` header. */
export const variesByAccept = ({ originalUrl }: FastifyRequest): boolean => sharedPrefix.test(originalUrl)

/**
 * True if a browser navigates to an operator page. A request with a key always goes to the API: some HTTP clients send
 * text/html by default.
 */
export const isOperatorNavigation = (request: FastifyRequest): boolean =>
  variesByAccept(request) && request.headers.authorization === undefined && isPageRequest(request)

const isPageRequest = ({ method, headers: { accept } }: FastifyRequest) =>
  (method === 'GET' || method === 'HEAD') && (accept?.includes('text/html') ?? false)

/**
 * Reads the files of a folder. `.gz` and `.br` files are encodings of the file they are named after. Names under `assets/`
 * contain a digest.
 */
export async function readSite(folder: string): Promise<Site> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name))
  const contents = new Map(await Promise.all(names.map(async (name) => [name, await readFile(name)] as const)))
  const site = new Map<string, SiteFile>()
  for (const [name, plain] of contents) {
    const type = types[path.extname(name)]
    if (type === undefined) continue
    const at = `/${path.relative(folder, name).split(path.sep).join('/')}`
    site.set(at, {
      type,
      immutable: at.startsWith('/assets/'),
      body: { digest: digestOf(plain), plain, gzip: contents.get(`${name}.gz`), br: contents.get(`${name}.br`) },
    })
  }
  return site
}

/**
 * Sends the file at the request's path, or the page when a browser navigates. Returns false for any other request. Waits while
 * the site is being built; throws 503 if the build failed.
 */
export async function sendSite(loading: Promise<Site>, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false
  const pathname = request.url.split('?', 1)[0] ?? '/'
  // clients that accept any type get the API's JSON error
  const page = pathname === '/' || pathname === referencePath || isPageRequest(request)
  if (!page && !/\.\w+$/.test(pathname)) return false
  // the loader logs the cause once
  const site = await loading.catch((): never => {
    throw problem(
      'not-ready',
      'The portal could not be built. See the server log for the cause. The API and the command line still work.',
    )
  })
  const file = site.get(pathname) ?? (page && !pathname.startsWith('/assets/') ? site.get('/index.html') : undefined)
  if (file === undefined) return false
  const { type, immutable, body } = file
  reply.headers({
    ...headers,
    'content-type': type,
    'cache-control': immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
  })
  await sendEncoded(body, request, reply)
  return true
}
