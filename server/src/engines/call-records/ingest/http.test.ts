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
import { Problem, wireAnswer } from '../../../platform/problem.ts'
import { ingestCdrs } from './index.ts'
import { call, csv, inPieces, ndjson } from './testing/bodies.ts'

const { warehouse } = await testWarehouse()

/** An HTTP server that does nothing but take call records, and says what broke besides. */
async function listening(t: TestContext): Promise<{ port: number; broken: unknown[] }> {
  const broken: unknown[] = []
  const server = createServer((incoming, answer) => {
    const { 'content-type': content_type = '', 'content-encoding': content_encoding = '' } = incoming.headers
    const taken = ingestCdrs(
      { warehouse, accountsExist: async (ids) => new Set(ids) },
      { stream: incoming, content_type, content_encoding },
    )
    taken.then(
      (data) => answer.end(JSON.stringify({ data })),
      (error: unknown) => {
        if (!(error instanceof Problem)) return void broken.push(error)
        const { status, body } = wireAnswer(error)
        return answer.writeHead(status).end(JSON.stringify(body))
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
  const answered = once(outgoing, 'response').then(async ([response]: IncomingMessage[]) => {
    assert.ok(response)
    return { status: response.statusCode, body: JSON.parse(await text(response)) as Record<string, unknown> }
  })
  return { outgoing, answered }
}

test('a body that is refused at its first line is answered while it is still coming, and its connection is used again', async (t) => {
  const { port } = await listening(t)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const compress = { identity: (b: Buffer) => b, gzip: gzipSync, zstd: zstdCompressSync }
  for (const [encoding, packed] of Object.entries(compress)) {
    const headers = { 'content-type': 'text/csv', 'content-encoding': encoding }
    const { outgoing, answered } = post(port, agent, headers)
    // nothing that packs well: the first half must give lines
    const body = packed(Buffer.from(`nonsense\n${randomBytes(500_000).toString('base64').replaceAll('/', '\n')}`))
    const half = Math.ceil(body.length / 2)
    outgoing.write(body.subarray(0, half))
    const { status, body: answer } = await answered
    assert.equal(status, 422, encoding)
    assert.match(JSON.stringify(answer), /"nonsense":\["Is not a known field\."\]/)
    outgoing.end(body.subarray(half))
    await once(outgoing, 'close')

    const good = post(port, agent, { 'content-type': 'text/csv', 'content-encoding': 'identity' })
    good.outgoing.end(csv([call(encoding)]))
    const report = await good.answered
    assert.deepEqual(report.body, { data: { accepted: 1, duplicates: 0, rejected: 0, errors: [] } })
    assert.equal(good.outgoing.reusedSocket, true)
  }
})

test('a stream that is refused unread is let go by', async () => {
  const accountsExist = async () => new Set<string>()
  for (const given of [
    { content_type: 'text/html' },
    { content_type: 'text/csv', content_encoding: 'br' },
    { content_type: 'text/csv', account_id: '1' },
  ]) {
    const stream = inPieces(randomBytes(500_000))
    await assert.rejects(ingestCdrs({ warehouse, accountsExist }, { ...given, stream }), Problem)
    await finished(stream)
  }
})

test('a sender that goes away ends its ingest, and the next one is served', async (t) => {
  const { port, broken } = await listening(t)
  const agent = new Agent()
  for (const encoding of ['identity', 'gzip', 'zstd']) {
    const { outgoing, answered } = post(port, agent, {
      'content-type': 'application/x-ndjson',
      'content-encoding': encoding,
    })
    const gone = assert.rejects(answered)
    const body = Buffer.from(ndjson([call('half')]))
    outgoing.write(encoding === 'gzip' ? gzipSync(body) : encoding === 'zstd' ? zstdCompressSync(body) : body, () =>
      outgoing.destroy(),
    )
    await gone
    while (broken.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal((broken.pop() as NodeJS.ErrnoException).code, 'ECONNRESET')
  }
})
