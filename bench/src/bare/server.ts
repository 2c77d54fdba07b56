import { createHash, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import pg from 'pg'
import { getNumber } from './number.ts'
import { getStatus, listCnams, validateE911, type Bare, type BareOperation } from './operations.ts'

/**
 * The baseline for `npm run bench -- operations`: node:http with the same credentials check as Demarc (keyed hash, constant time,
 * cached) and the same SQL as named statements.
 */

export type BareOptions = Omit<Bare, 'query'>

const operations: readonly [method: string, path: RegExp, operation: BareOperation][] = [
  ['GET', /^\/v2\/numbers\/\d+$/, getNumber],
  ['GET', /^\/v2\/cnams$/, listCnams],
  ['GET', /^\/v2\/portorders\/\d+\/status$/, getStatus],
  ['POST', /^\/v2\/e911s\/validate$/, validateE911],
]

if (import.meta.main) {
  const options: BareOptions = JSON.parse(process.argv[2] ?? '{}')
  const pool = new pg.Pool({ connectionString: options.database_url, max: 10 })
  serve({ ...options, query: async (statement) => (await pool.query(statement)).rows })
}

function serve(bare: Bare): void {
  const isAuthorized = authorization(bare)
  const server = createServer((request, response) => {
    if (!isAuthorized(request.headers.authorization)) {
      response.writeHead(401).end()
      return
    }
    respond(bare, request, response).catch((error: unknown) => {
      console.error(error)
      response.writeHead(500).end()
    })
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    process.send?.(typeof address === 'object' && address !== null ? address.port : 0)
  })
  process.on('disconnect', () => process.exit(0))
}

async function respond(bare: Bare, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const found = operations.find(([method, pattern]) => method === request.method && pattern.test(path))
  if (!found) return void response.writeHead(404).end()
  const sent = request.method === 'POST' ? await json(request) : undefined
  const media = path.startsWith('/v2/portorders') ? 'application/json' : 'application/vnd.api+json'
  const { status, body } = await found[2](bare, { path, search: new URLSearchParams(query), body: sent })
  const length = { 'content-length': Buffer.byteLength(body) }
  response.writeHead(status, body === '' ? {} : { 'content-type': media, ...length }).end(body)
}

function authorization({ access_key, secret_key }: BareOptions): (header: string | undefined) => boolean {
  const pepper = createSecretKey(createHash('sha256').update('bench').digest())
  const hashOf = (secret: string) => createHmac('sha256', pepper).update(secret).digest()
  const secret_hashes = new Map([[access_key, hashOf(secret_key)]])
  return (header) => {
    const credentials = Buffer.from(header?.slice(6) ?? '', 'base64').toString()
    const colon = credentials.indexOf(':')
    const hash = secret_hashes.get(credentials.slice(0, colon))
    return hash !== undefined && timingSafeEqual(hash, hashOf(credentials.slice(colon + 1)))
  }
}
