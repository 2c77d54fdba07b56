/** Reading the pieces of an export from a store whose responses the test releases one by one. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { ByteStream, ClickHouse } from './clickhouse.ts'
import { SnapshotChanged } from './errors.ts'
import { LIMITS } from './limits.ts'
import { joined, type Piece } from './pieces.ts'
import { takeSnapshot } from './snapshot.ts'
import { makeVerifier } from './verifier.ts'

/** Waits for all pending callbacks; no request in this file leaves the process. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await setImmediate()
}

test('the store works on two pieces at a time, and at most two complete pieces wait for the reader', async () => {
  const { body, requests } = await exportOf(8)
  assert.equal(requests.length, LIMITS.slices)
  // the later one may be ready first
  requests[1]?.respond({ complete: true })
  await turns()
  assert.equal(requests.length, LIMITS.slices + 1)
  for (const n of [0, 2]) requests[n]?.respond({ complete: true })
  await turns()
  assert.equal(requests.length, LIMITS.slices + LIMITS.slices_complete, 'nobody has read anything')
  const read = text(body)
  for (let n = 3; n < 8; n += 1) {
    requests[n]?.respond({ complete: true })
    await turns()
  }
  assert.equal(await read, Array.from({ length: 8 }, (_, n) => `${n}\n`).join(''))
})

test('a piece of unknown length occupies the store until it is read', async () => {
  const { body, requests } = await exportOf(4)
  const [first, second] = requests
  first?.respond({ complete: false })
  second?.respond({ complete: false })
  body.resume()
  await turns()
  assert.equal(requests.length, LIMITS.slices)
  first?.end()
  await turns()
  assert.equal(requests.length, LIMITS.slices + 1)
  body.destroy()
})

test('an interrupted export ends its open pieces and requests no more', async () => {
  const { body, closed, requests } = await exportOf(8)
  requests[0]?.respond({ complete: true })
  await turns()
  body.destroy()
  closed.abort()
  await once(body, 'close')
  requests[1]?.respond({ complete: true })
  await turns()
  assert.deepEqual(
    requests.map(({ signal }) => signal?.aborted),
    [true, true, true],
  )
})

test("a file does not end before every piece's totals were read again", async () => {
  const { body, requests } = await exportOf(2, { changed: 'FROM 0' })
  for (const request of requests) request.respond({ complete: true })
  await assert.rejects(text(body), SnapshotChanged)
})

test("totals are read again only if the table's parts have changed", async () => {
  const { body, requests, totals_again } = await exportOf(2, { merged: 'FROM 1' })
  for (const request of requests) request.respond({ complete: true })
  assert.equal(await text(body), '0\n1\n')
  assert.deepEqual(
    totals_again.map((sql) => sql.slice(-'FROM 1'.length)),
    ['FROM 1'],
  )
})

test('a complete piece is checked for changed records while its bytes are still being read', async () => {
  const { body, requests, asked } = await exportOf(2)
  requests[0]?.respond({ complete: true, ended: false })
  requests[1]?.respond({ complete: false })
  await turns()
  assert.deepEqual(asked, ['FROM 0'])
  requests[0]?.end()
  await turns()
  assert.deepEqual(asked, ['FROM 0'], 'of the other the store still reads')
  requests[1]?.end()
  assert.equal(await text(body), '0\n1\n')
  assert.deepEqual(asked, ['FROM 0', 'FROM 1'])
})

type Request = {
  /** `ended`: all of its bytes are available. */
  respond: (options: { complete: boolean; ended?: boolean }) => void
  /** Ends an open response. */
  end: () => void
  signal: AbortSignal | undefined
}

/** An export of pieces with one line each; `changed` is one whose totals differ the second time, `merged` one whose parts do. */
async function exportOf(count: number, { changed, merged }: { changed?: string; merged?: string } = {}) {
  const requests: Request[] = []
  const asked: string[] = []
  const totals_again: string[] = []
  let measured = false
  const clickhouse = {
    rows: async <Row>(sql: string) => {
      const now = (name?: string) => (measured && name !== undefined && sql.endsWith(name) ? '1' : '0')
      const parts = [`part_${now(merged ?? changed)}`]
      if (measured) asked.push(sql.slice(sql.indexOf('FROM')))
      if (!sql.includes('count()')) return [[parts] as Row]
      if (measured) totals_again.push(sql)
      return [[parts, '1', '0', '0', '0', '0', '0', '0', '0', '0', now(changed)] as Row]
    },
    bytes: (sql: string, { signal }: { signal?: AbortSignal }) =>
      new Promise<ByteStream>((resolve) => {
        const line = `${/FROM (\d+)/.exec(sql)?.[1]}\n`
        const stream = new PassThrough()
        const end = () => stream.end(line)
        const respond = ({ complete, ended = complete }: { complete: boolean; ended?: boolean }) => {
          if (ended) end()
          resolve({ stream, complete, tag: undefined })
        }
        requests.push({ signal, respond, end })
      }),
  } as unknown as ClickHouse
  const pieces: Piece[] = []
  for (let n = 0; n < count; n += 1) {
    const from = `FROM ${n}`
    const records = { from, repeated: false }
    const parts = [{ ...records, expected: await takeSnapshot(clickhouse, records) }]
    pieces.push({ from, parts, verifier: makeVerifier('ndjson', { rows: 1, newlines: 0 }), alone: false })
  }
  measured = true
  const closed = new AbortController()
  const file = { format: 'ndjson', compression: 'none' } as const
  const body = Readable.from(joined(clickhouse, file, pieces, closed.signal), { objectMode: false })
  body.read(0)
  await turns()
  return { body, closed, requests, asked, totals_again }
}
