import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { test } from 'node:test'
import fc from 'fast-check'
import { DatabaseBusy } from '../db.ts'
import { batchRows, streamedList } from './streamed-list.ts'

const self = 'http://demarc.example/v2/cnams?value=a%26b'
const rows = (count: number) => Array.from({ length: count }, (_, i) => ({ id: String(i + 1) }))

/** Like a store: rows in ascending id order after `after`, skipping `offset`. */
const from =
  (all: { id: string }[], seen: number[] = []) =>
  (page: { after: string | null; limit: number; offset: number }) => {
    seen.push(page.limit)
    const start = page.after === null ? 0 : all.findIndex((r) => r.id === page.after) + 1
    return Promise.resolve(all.slice(start + page.offset, start + page.offset + page.limit))
  }

/** The list's text as sent. */
const written = (list: Readable | string) => (typeof list === 'string' ? list : text(list))

const fail = () => Promise.reject(new Error('the database is gone'))
const show = (r: { id: string }) => r.id

interface Listed {
  data: string[]
  links: { self: string; next?: string }
}

test('every page has exactly its rows, and `next` only if more remain', async () => {
  const around = fc.constantFrom(0, 1, batchRows - 1, batchRows, batchRows + 1, 2 * batchRows, 2 * batchRows + 1)
  const small = fc.integer({ min: 0, max: 30 })
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(around, small),
      fc.option(
        fc.oneof(around, small).filter((n) => n > 0),
        { nil: undefined },
      ),
      fc.oneof(around, small),
      async (count, limit, offset) => {
        const all = rows(count)
        const list = { self, limit, offset, fetch: from(all), show }
        const { data, links } = JSON.parse(await written(await streamedList(list))) as Listed
        const ids = all.map((r) => r.id)
        assert.deepEqual(data, limit === undefined ? ids.slice(offset) : ids.slice(offset, offset + limit))
        if (limit === undefined) return assert.deepEqual(links, { self })
        assert.equal(links.self, `${self}&limit=${limit}&offset=${offset}`)
        const more = offset + limit < count
        assert.equal(links.next, more ? `${self}&limit=${limit}&offset=${offset + limit}` : undefined)
      },
    ),
    { numRuns: 200 },
  )
})

test('rows are fetched in batches, no faster than the reader consumes them', async () => {
  const seen: number[] = []
  const list = {
    self,
    limit: undefined,
    offset: 0,
    fetch: from(rows(20 * batchRows), seen),
    show,
  }
  const stream = await streamedList(list)
  assert.equal(seen.length, 1, 'the first batch is read before there is a response')
  assert.ok(stream instanceof Readable)
  stream.read()
  for (let i = 0; i < 50; i++) await turn()
  assert.ok(seen.length <= 4, `${seen.length} batches for a reader that does not read`)
  assert.ok(seen.every((limit) => limit <= batchRows))
  stream.destroy()
})

test('only a list that fits one batch is returned as a string, whether or not more rows remain', async () => {
  const isText = async (count: number, limit?: number) =>
    typeof (await streamedList({ self, limit, offset: 0, fetch: from(rows(count)), show })) === 'string'
  for (const [count, limit] of [
    [0, undefined],
    [batchRows - 1, undefined],
    [batchRows - 1, batchRows],
    [5 * batchRows, 100],
    [5 * batchRows, batchRows],
  ] as const)
    assert.ok(await isText(count, limit), `${limit} of ${count}`)
  assert.ok(!(await isText(batchRows)))
  assert.ok(!(await isText(5 * batchRows, batchRows + 1)))
})

test('an error in the first batch rejects; a later one aborts the stream', async () => {
  await assert.rejects(streamedList({ self, limit: undefined, offset: 0, fetch: fail, show }), /gone/)
  const all = from(rows(2 * batchRows))
  const later = await streamedList({
    self,
    limit: undefined,
    offset: 0,
    fetch: (p) => (p.after === null ? all(p) : fail()),
    show,
  })
  assert.ok(later instanceof Readable)
  await assert.rejects(text(later), /gone/)
})

test('a later batch waits while the database is too busy for new reads', async () => {
  const all = from(rows(2 * batchRows + 1))
  let refusals = 2
  const list = await streamedList({
    self,
    limit: undefined,
    offset: 0,
    fetch: (p) => (p.after !== null && refusals-- > 0 ? Promise.reject(new DatabaseBusy()) : all(p)),
    show,
  })
  const { data } = JSON.parse(await written(list)) as Listed
  assert.equal(data.length, 2 * batchRows + 1)
})
