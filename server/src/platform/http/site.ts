import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { problem } from '../problem.ts'

/**
 * The files of a one-page application, served for every path that no operation has: a file by its name, and the page itself for a
 * path of the application, where a browser asks. They are few and small, so they are in memory, in each encoding.
 */

interface SiteFile {
  type: string
  etag: string
  /** Named by its content, so it never changes. */
  immutable: boolean
  plain: Buffer
  gzip: Buffer | undefined
  br: Buffer | undefined
}

/** By path, `/assets/index-1a2b.js`; the page itself is at `/index.html`. */
export type Site = ReadonlyMap<string, SiteFile>

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/** Nothing from elsewhere, nothing inline, no frame around it. */
const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data: blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  vary: 'accept-encoding, accept',
} as const

/** Reads the files of a folder; `.gz` and `.br` beside a file are its encodings. Names below `assets/` have a digest in them. */
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
      etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
      immutable: at.startsWith('/assets/'),
      plain,
      gzip: contents.get(`${name}.gz`),
      br: contents.get(`${name}.br`),
    })
  }
  return site
}

/**
 * Sends the file of the request's path, or the page where a browser asks for a path of the application. Returns false where the
 * request is for neither. While the site is being prepared, requests wait; throws 503 when that failed.
 */
export async function sendSite(loading: Promise<Site>, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false
  const pathname = request.url.split('?', 1)[0] ?? '/'
  // programs that ask for anything get the error that they can read
  const page = pathname === '/' || (request.headers.accept?.includes('text/html') ?? false)
  if (!page && !/\.\w+$/.test(pathname)) return false
  // whoever loads the site logs why it failed, once
  const site = await loading.catch((): never => {
    throw problem(
      'not-ready',
      'The portal could not be built. The log says why; the API and the command line work without it.',
    )
  })
  const file = site.get(pathname) ?? (page && !pathname.startsWith('/assets/') ? site.get('/index.html') : undefined)
  if (file === undefined) return false
  send(file, request, reply)
  return true
}

function send(
  { type, etag, immutable, plain, gzip, br }: SiteFile,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const accepted = request.headers['accept-encoding'] ?? ''
  const [encoding, body] = (
    [
      ['br', br],
      ['gzip', gzip],
    ] as const
  ).find(
    ([name, bytes]) =>
      bytes !== undefined && new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(accepted),
  ) ?? [null, plain]
  reply.headers({
    ...headers,
    etag,
    'content-type': type,
    'cache-control': immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...(encoding === null ? {} : { 'content-encoding': encoding }),
  })
  if (request.headers['if-none-match'] === etag) void reply.status(304).send()
  else void reply.send(body)
}
