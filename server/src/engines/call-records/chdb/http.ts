/**
 * Serves the subset of ClickHouse's HTTP interface that @clickhouse/client uses, in front of chDB, so the same client and SQL
 * work with the embedded engine and with a server (https://clickhouse.com/docs/interfaces/http).
 */

import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Session } from 'chdb'
import { FILE_HEADER } from '../clickhouse.ts'
import { LIMITS } from '../limits.ts'
import { freeBytes } from './disk.ts'
import type { Pool, Sessions } from './sessions.ts'
import {
  BadStatement,
  insertFrom,
  isExport,
  killStatement,
  queryId,
  readStatement,
  type Insert,
  type Statement,
} from './statement.ts'

export type HttpBridge = {
  server: Server
  /** Requests in progress, excluding pings. */
  busy: () => number
}

const FILE_CHUNK_BYTES = 256 * 1024
const FULL = 'Code: 243. DB::Exception: The disk is full, and the insert may be incomplete. (NOT_ENOUGH_SPACE)'

type BridgeOptions = {
  /** The result of /ping. */
  healthy: () => boolean
  /** Called with ClickHouse's error of a statement, before it is sent. */
  onError: (text: string) => void
}

type Exchange = {
  request: IncomingMessage
  response: ServerResponse
  url: URL
  sessions: Sessions
  scratch: string
  onError: (text: string) => void
}

/** `scratch` is a folder for files that are written before they are sent. */
export function makeHttpBridge(sessions: Sessions, scratch: string, { healthy, onError }: BridgeOptions): HttpBridge {
  let busy = 0
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://cdr-engine')
    if (url.pathname === '/ping') return ping(response, healthy(), busy)
    busy += 1
    void handle({ request, response, url, sessions, scratch, onError }).finally(() => {
      busy -= 1
    })
  })
  // Reading an export may take hours, and only this user of this machine can connect.
  server.requestTimeout = 0
  server.timeout = 0
  return { server, busy: () => busy }
}

function ping(response: ServerResponse, healthy: boolean, busy: number): void {
  response.statusCode = healthy ? 200 : 503
  response.setHeader('X-Engine-RSS', process.memoryUsage.rss())
  response.setHeader('X-Engine-Busy', busy)
  response.end(healthy ? 'Ok.\n' : 'The engine is not responding.\n')
}

async function handle(exchange: Exchange): Promise<void> {
  const { request, response, url, sessions } = exchange
  try {
    const body = await read(request)
    const statement = readStatement(url, body, request.headers['accept-encoding'])
    response.setHeader('X-ClickHouse-Query-Id', queryId(url))
    const pool: Pool = isExport(url) ? sessions.exports : sessions.queries
    if (statement.kind === 'file') return await sendFile(exchange, pool, statement)
    await pool.use((session) => (response.destroyed ? Promise.resolve() : run(exchange, session, statement, body)))
  } catch (error) {
    exchange.onError(errorText(error))
    sendError(response, error)
  }
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Node does not type its chunks; a request without an encoding yields buffers.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > LIMITS.body_bytes) throw new BadStatement(`a request is at most ${LIMITS.body_bytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function run(
  exchange: Exchange,
  session: Session,
  statement: Exclude<Statement, FileStatement>,
  body: Buffer,
): Promise<void> {
  const { response } = exchange
  if (statement.kind === 'insert') return insert(exchange, session, statement, body)
  response.setHeader('X-ClickHouse-Format', statement.format)
  // On a disconnect, only read queries are killed; a statement that changes data runs to completion.
  if (statement.kind === 'buffered') return sendBuffered(response, session, statement)
  return killedOnDisconnect(exchange, () => sendStreamed(exchange, session, statement))
}

type FileStatement = Extract<Statement, { kind: 'file' }>
type Select = Exclude<Statement, Insert>

/** Inserts from a file, because chDB's own insert interface reads only text. */
async function insert({ response, scratch }: Exchange, session: Session, statement: Insert, body: Buffer) {
  const path = join(scratch, `${randomUUID()}.in`)
  try {
    await writeFile(path, body)
    await session.queryAsync(insertFrom(path, statement))
    if (freeBytes(scratch) < LIMITS.engine_full_bytes) throw new Error(FULL)
    response.end()
  } finally {
    await rm(path, { force: true })
  }
}

async function sendBuffered(response: ServerResponse, session: Session, { sql, format }: Select): Promise<void> {
  const result = await session.queryAsync(sql, { format })
  response.end(Buffer.from(result.bytes()))
}

async function sendStreamed({ response, onError }: Exchange, session: Session, { sql, format }: Select): Promise<void> {
  const tag = randomBytes(8).toString('hex')
  response.setHeader('X-ClickHouse-Exception-Tag', tag)
  try {
    for await (const chunk of session.queryStream(sql, { format })) {
      if (response.destroyed) return
      if (!response.write(chunk.raw())) await drainedOrClosed(response)
    }
    response.end()
  } catch (error) {
    if (!response.headersSent) throw error
    // The response has started, so the error is appended to its body, as ClickHouse has done since 25.11.
    const text = errorText(error)
    onError(text)
    response.end(`\r\n__exception__\r\n${tag}\r\n${text}\n${Buffer.byteLength(text) + 1} ${tag}\r\n__exception__\r\n`)
  }
}

/** Waits for `drain` or `close`: after a disconnect `drain` never comes, and the session would never be released. */
async function drainedOrClosed(response: ServerResponse): Promise<void> {
  const settled = new AbortController()
  const waits = [
    once(response, 'drain', { signal: settled.signal }),
    once(response, 'close', { signal: settled.signal }),
  ]
  try {
    if (!response.destroyed) await Promise.race(waits)
  } finally {
    settled.abort()
    await Promise.allSettled(waits)
  }
}

/** Releases the session when the file is complete, so a slow reader does not occupy it. */
async function sendFile(exchange: Exchange, pool: Pool, { sql, format, gzip }: FileStatement): Promise<void> {
  const { request, response, scratch } = exchange
  const path = join(scratch, `${randomUUID()}.out${gzip ? '.gz' : ''}`)
  try {
    await pool.use(async (session) => {
      if (response.destroyed) return
      await killedOnDisconnect(exchange, async () => {
        await session.queryAsync(`INSERT INTO FUNCTION file('${path}', '${format}') ${sql}`)
      })
    })
    if (response.destroyed) return
    response.setHeader('X-ClickHouse-Format', format)
    if (gzip) response.setHeader('Content-Encoding', 'gzip')
    if (request.headers[FILE_HEADER] !== undefined) return await handOver(response, path)
    response.setHeader('Content-Length', (await stat(path)).size)
    await pipeline(createReadStream(path, { highWaterMark: FILE_CHUNK_BYTES }), response)
  } finally {
    await rm(path, { force: true })
  }
}

/** The client disconnects once it has opened the file. The file is then unlinked, and only the client can still read it. */
async function handOver(response: ServerResponse, path: string): Promise<void> {
  response.setHeader(FILE_HEADER, encodeURIComponent(path))
  response.flushHeaders()
  if (!response.destroyed) await once(response, 'close')
}

/** Kills the query when its client disconnects before the response is complete; otherwise chDB would continue computing. */
async function killedOnDisconnect({ response, url, sessions }: Exchange, work: () => Promise<void>): Promise<void> {
  let running = true
  const kill = (): void => {
    if (!running || response.writableFinished) return
    void sessions.control.use(async (session) => {
      // SYNC would wait for the query, sometimes forever.
      if (running) await session.queryAsync(killStatement(queryId(url))).catch(logError)
    })
  }
  response.once('close', kill)
  try {
    await work()
  } finally {
    running = false
    response.off('close', kill)
  }
}

/** ClickHouse's error text and code, which the client parses. */
function sendError(response: ServerResponse, error: unknown): void {
  if (response.destroyed) return
  if (response.headersSent) {
    logError(error)
    response.destroy()
    return
  }
  const text = errorText(error)
  const code = /Code: (\d+)/.exec(text)?.[1] ?? '1002'
  response.statusCode =
    code === '62' || error instanceof BadStatement ? 400 : code === '60' || code === '81' ? 404 : 500
  response.setHeader('X-ClickHouse-Exception-Code', code)
  response.removeHeader('X-ClickHouse-Format')
  response.end(`${text}\n`)
}

function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  const from = text.indexOf('Code: ')
  return from === -1 ? `Code: 1002. DB::Exception: ${text}. (UNKNOWN_EXCEPTION)` : text.slice(from)
}

function logError(error: unknown): void {
  process.stderr.write(`${errorText(error)}\n`)
}
