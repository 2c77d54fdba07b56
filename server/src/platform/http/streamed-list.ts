import { Readable } from 'node:stream'
import { pageLink } from './pages.ts'

/** Rows read into memory at a time, unless a list has its own number. */
export const batchRows = 500

export interface StreamedList<R> {
  self: string
  /** Undefined: no limit. */
  limit: number | undefined
  offset: number
  /** Rows to read into memory at a time; default `batchRows`. */
  batch?: number
  /** Rows in the sequence of the list: those that follow the one with the id `after` (null: from the beginning), skipping `offset` of them. */
  fetch: (page: { after: string | null; limit: number; offset: number }) => Promise<R[]>
  /** The resource in `data` for a row. */
  show: (row: R) => unknown
}

/**
 * A list of any length as JSON text, `{data, links}`. One whose rows are read at once is returned whole, a longer one is
 * written while it is read, so that memory does not grow with it. The first rows are read before this returns, so that an
 * error can still have an error response. A later error aborts the transfer in the middle of the JSON, so that no client takes
 * it for the whole list.
 */
export async function streamedList<R extends { id: string }>(list: StreamedList<R>): Promise<Readable | string> {
  const wanted = list.limit ?? Number.POSITIVE_INFINITY
  const first = await list.fetch({ after: null, limit: size(list, wanted), offset: list.offset })
  // a stream costs more than the rest of a short response
  if (isLast(list, first, wanted))
    return beginning + entries(list, first.slice(0, wanted)) + ending(list, first, wanted)
  return Readable.from(write(list, wanted, first))
}

async function* write<R extends { id: string }>(
  list: StreamedList<R>,
  wanted: number,
  first: readonly R[],
): AsyncGenerator<string> {
  let rows = first
  let left = wanted
  yield beginning + entries(list, rows)
  while (!isLast(list, rows, left)) {
    left -= rows.length
    rows = await list.fetch({ after: rows.at(-1)?.id ?? null, limit: size(list, left), offset: 0 })
    const shown = rows.slice(0, left)
    if (shown.length > 0) yield `,${entries(list, shown)}`
  }
  yield ending(list, rows, left)
}

const beginning = '{"data":['

/** Of all rows in one call, which costs less than one for each. */
const entries = <R>({ show }: StreamedList<R>, rows: readonly R[]): string =>
  JSON.stringify(rows.map((row) => show(row))).slice(1, -1)

const ending = <R>(list: StreamedList<R>, rows: readonly R[], left: number): string =>
  `],"links":${JSON.stringify(links(list, rows.length > left))}}`

const size = ({ batch = batchRows }: { batch?: number }, left: number) => Math.min(batch, left + 1)

/** One row more than wanted is read: if it is there, more remain, but none are wanted. */
const isLast = <R>(list: StreamedList<R>, rows: readonly R[], left: number): boolean =>
  rows.length < size(list, left) || rows.length > left

function links(
  { self, limit, offset }: Pick<StreamedList<unknown>, 'self' | 'limit' | 'offset'>,
  more: boolean,
): { self: string; next?: string } {
  if (limit === undefined) return { self }
  return {
    self: pageLink(self, limit, offset),
    ...(more ? { next: pageLink(self, limit, offset + limit) } : {}),
  }
}
