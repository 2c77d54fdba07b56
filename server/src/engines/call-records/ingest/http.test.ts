import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { test, type TestContext } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { testWarehouse } from '../../../../test/support/engine.ts'
import { Problem, problemResponse } from '../../../platform/problem.ts'
import { ingestCdrs } from './ingest.ts'
import { call, csv, inChunks, ndjson } from './testing/bodies.ts'

const { warehouse } = await testWarehouse()

/** An HTTP server that ingests call records and collects unexpected errors. */
async function listening(t: TestContext): Promise<{ port: number; broken: unknown[] }> {
  const broken: unknown[] = []
  const server = createServer((incoming, response) => {
    const { 'content-type': content_type = '', 'content-encoding': content_encoding = '' } = incoming.headers
    const ingested = ingestCdrs(
      { warehouse, accountsExist: async (ids) => new Set(ids) },
      { stream: incoming, content_type, content_encoding },
    )
    ingested.then(
      (data) => response.end(JSON.stringify({ data })),
      (error: unknown) => {
        if (!(error instanceof Problem)) return void broken.push(error)
        const { status, body } = problemResponse(error)
        return response.writeHead(status).end(JSON.stringify(body))
      },
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { port: (server.address() as AddressInfo).port, broken }
}

function post(port: number, agent: Agent, headers: Record<string, string>) {
  const outgoing = request({ port, host: '127.0.0.1', method: 'POST', agent, headers })
  const responded = once(outgoing, 'response').then(async ([response]: IncomingMessage[]) => {
    assert.ok(response)
    return { status: response.statusCode, body: JSON.parse(await text(response)) as Record<string, unknown> }
  })
  return { outgoing, responded }
}

test('a body rejected at its first line gets its response before its end, and its connection is reused', async (t) => {
  const { port } = await listening(t)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const compress = { identity: (b: Buffer) => b, gzip: gzipSync, zstd: zstdCompressSync }
  for (const [encoding, packed] of Object.entries(compress)) {
    const headers = { 'content-type': 'text/csv', 'content-encoding': encoding }
    const { outgoing, responded } = post(port, agent, headers)
    // incompressible, so the first half contains lines
    const body = packed(Buffer.from(`nonsense\n${randomBytes(500_000).toString('base64').replaceAll('/', '\n')}`))
    const half = Math.ceil(body.length / 2)
    outgoing.write(body.subarray(0, half))
    const { status, body: document } = await responded
    assert.equal(status, 422, encoding)
    assert.match(JSON.stringify(document), /"nonsense":\["Is not a known field\."\]/)
    outgoing.end(body.subarray(half))
    await once(outgoing, 'close')

    const good = post(port, agent, { 'content-type': 'text/csv', 'content-encoding': 'identity' })
    good.outgoing.end(csv([call(encoding)]))
    const report = await good.responded
    assert.deepEqual(report.body, { data: { accepted: 1, duplicates: 0, rejected: 0, errors: [] } })
    assert.equal(good.outgoing.reusedSocket, true)
  }
})

test('a stream that is rejected unread is discarded', async () => {
  const accountsExist = async () => new Set<string>()
  for (const input of [
    { content_type: 'text/html' },
    { content_type: 'text/csv', content_encoding: 'br' },
    { content_type: 'text/csv', account_id: '1' },
  ]) {
    const stream = inChunks(randomBytes(500_000))
    await assert.rejects(ingestCdrs({ warehouse, accountsExist }, { ...input, stream }), Problem)
    await finished(stream)
  }
})

test('a sender that disconnects ends its ingest, and the next one is served', async (t) => {
  const { port, broken } = await listening(t)
  const agent = new Agent()
  for (const encoding of ['identity', 'gzip', 'zstd']) {
    const { outgoing, responded } = post(port, agent, {
      'content-type': 'application/x-ndjson',
      'content-encoding': encoding,
    })
    const aborted = assert.rejects(responded)
    const body = Buffer.from(ndjson([call('half')]))
    outgoing.write(encoding === 'gzip' ? gzipSync(body) : encoding === 'zstd' ? zstdCompressSync(body) : body, () =>
      outgoing.destroy(),
    )
    await aborted
    while (broken.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal((broken.pop() as NodeJS.ErrnoException).code, 'ECONNRESET')
  }
})
