/**
 * The part of ClickHouse's HTTP interface that @clickhouse/client uses, in front of chDB: so that one client and one SQL serve the embedded
 * engine and a real server (https://clickhouse.com/docs/interfaces/http).
 */

import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Session } from 'chdb'
import { LIMITS } from '../limits.ts'
import type { Pool, Sessions } from './sessions.ts'
import { BadStatement, isExport, killStatement, nameOf, readStatement, type Statement } from './statement.ts'

export type Bridge = {
  server: Server
  /** Requests being worked on, pings aside. */
  busy: () => number
}

type Exchange = { request: IncomingMessage; response: ServerResponse; url: URL; sessions: Sessions; scratch: string }

/** `healthy` answers for /ping; `scratch` is a folder for files that are built before they are sent. */
export function makeBridge(sessions: Sessions, scratch: string, healthy: () => boolean): Bridge {
  let busy = 0
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://cdr-engine')
    if (url.pathname === '/ping') return ping(response, healthy(), busy)
    busy += 1
    void answer({ request, response, url, sessions, scratch }).finally(() => {
      busy -= 1
    })
  })
  // A reader may take hours over an export, and only this machine's user can connect.
  server.requestTimeout = 0
  server.timeout = 0
  return { server, busy: () => busy }
}

function ping(response: ServerResponse, healthy: boolean, busy: number): void {
  response.statusCode = healthy ? 200 : 503
  response.setHeader('X-Engine-RSS', process.memoryUsage.rss())
  response.setHeader('X-Engine-Busy', busy)
  response.end(healthy ? 'Ok.\n' : 'The engine does not answer.\n')
}

async function answer(exchange: Exchange): Promise<void> {
  const { request, response, url, sessions } = exchange
  try {
    const body = await read(request)
    const statement = readStatement(url, body)
    response.setHeader('X-ClickHouse-Query-Id', nameOf(url))
    const lane: Pool = isExport(url) ? sessions.exports : sessions.queries
    await lane.use((session) => (response.destroyed ? Promise.resolve() : run(exchange, session, statement, body)))
  } catch (error) {
    fail(response, error)
  }
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  // The client's type says nothing of its chunks; a request without an encoding yields buffers.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > LIMITS.body_bytes) throw new BadStatement(`a request is at most ${LIMITS.body_bytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function run(exchange: Exchange, session: Session, statement: Statement, body: Buffer): Promise<void> {
  const { response } = exchange
  if (statement.kind === 'insert') return insert(response, session, statement, body)
  response.setHeader('X-ClickHouse-Format', statement.format)
  // Only what reads may be killed when nobody waits for it any more; a statement that changes something is left to finish.
  if (statement.kind === 'whole') return whole(response, session, statement)
  return killable(exchange, () =>
    statement.kind === 'file' ? file(exchange, session, statement) : stream(response, session, statement),
  )
}

type Insert = Extract<Statement, { kind: 'insert' }>
type Select = Exclude<Statement, Insert>

async function insert(response: ServerResponse, session: Session, statement: Insert, body: Buffer): Promise<void> {
  const { table, columns, settings } = statement
  const written = await session.insert({
    table,
    columns,
    settings,
    format: insertFormat(statement.format),
    values: body,
  })
  response.setHeader('X-ClickHouse-Summary', JSON.stringify({ written_rows: String(written.rowsWritten) }))
  response.end()
}

function insertFormat(format: string): 'JSONEachRow' | 'JSONCompactEachRow' {
  if (format === 'JSONEachRow' || format === 'JSONCompactEachRow') return format
  throw new BadStatement(`the embedded engine does not insert ${format}`)
}

async function whole(response: ServerResponse, session: Session, { sql, format }: Select): Promise<void> {
  const result = await session.queryAsync(sql, { format })
  response.end(Buffer.from(result.bytes()))
}

async function stream(response: ServerResponse, session: Session, { sql, format }: Select): Promise<void> {
  const tag = randomBytes(8).toString('hex')
  response.setHeader('X-ClickHouse-Exception-Tag', tag)
  try {
    for await (const chunk of session.queryStream(sql, { format })) {
      if (response.destroyed) return
      if (!response.write(chunk.raw())) await drained(response)
    }
    response.end()
  } catch (error) {
    if (!response.headersSent) throw error
    // The answer has begun, so its error goes into it, as ClickHouse does since 25.11.
    const text = errorText(error)
    response.end(`\r\n__exception__\r\n${tag}\r\n${text}\n${Buffer.byteLength(text) + 1} ${tag}\r\n__exception__\r\n`)
  }
}

/** Also returns when the reader is gone: whoever waits for `drain` alone then waits for ever, and holds his session. */
async function drained(response: ServerResponse): Promise<void> {
  const gone = new AbortController()
  const waits = [once(response, 'drain', { signal: gone.signal }), once(response, 'close', { signal: gone.signal })]
  try {
    if (!response.destroyed) await Promise.race(waits)
  } finally {
    gone.abort()
    await Promise.allSettled(waits)
  }
}

async function file({ response, scratch }: Exchange, session: Session, { sql, format }: Select): Promise<void> {
  const path = join(scratch, `${randomUUID()}.out`)
  try {
    await session.queryAsync(`INSERT INTO FUNCTION file('${path}', '${format}') ${sql}`)
    if (!response.destroyed) await pipeline(createReadStream(path), response)
  } finally {
    await rm(path, { force: true })
  }
}

/** Kills the query when its reader goes away before the answer is complete; chDB itself would go on computing. */
async function killable({ response, url, sessions }: Exchange, work: () => Promise<void>): Promise<void> {
  let running = true
  const kill = (): void => {
    if (!running || response.writableFinished) return
    void sessions.control.use(async (session) => {
      // SYNC would wait for the query, and was seen to wait for ever.
      if (running) await session.queryAsync(killStatement(nameOf(url))).catch(report)
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

/** ClickHouse's own text and number, by which the client makes its error. */
function fail(response: ServerResponse, error: unknown): void {
  if (response.destroyed) return
  if (response.headersSent) {
    report(error)
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

function report(error: unknown): void {
  process.stderr.write(`${errorText(error)}\n`)
}
