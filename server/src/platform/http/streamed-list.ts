import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseBusy } from '../db.ts'
import { pageLinks } from './pages.ts'

/** Default number of rows read into memory at a time. */
export const batchRows = 500
/** How often a later batch is tried while the database is too busy for new reads, and the pause in between. */
const tries_max = 50
const pause_ms = 100

export interface StreamedList<R> {
  self: string
  /** Undefined: no limit. */
  limit: number | undefined
  offset: number
  /** Rows to read into memory at a time, and one more on the last page; default `batchRows`. */
  batch?: number
  /** Reads rows in list order: those after the id `after` (null: from the start), skipping `offset` rows. */
  fetch: (page: { after: string | null; limit: number; offset: number }) => Promise<R[]>
  /** The resource for a row in `data`. */
  show: (row: R) => unknown
}

/**
 * A list of any length as JSON text, `{data, links}`. A list that fits one batch is returned as a string; a longer one is
 * streamed, which keeps memory constant. The first rows are read before this returns, so an early error can still get an error
 * response. A later error aborts the transfer mid-JSON, so no client mistakes it for the whole list; while the database is too
 * busy for new reads, later rows are tried again for some seconds, because a client would have to fetch the whole list again.
 */
export async function streamedList<R extends { id: string }>(list: StreamedList<R>): Promise<Readable | string> {
  const wanted = list.limit ?? Number.POSITIVE_INFINITY
  const first = await list.fetch({ after: null, limit: size(list, wanted), offset: list.offset })
  // for a short response, a stream would cost more than everything else
  if (isLast(list, first, wanted))
    return JSON.stringify({ data: shown(list, first.slice(0, wanted)), links: links(list, first.length > wanted) })
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
    rows = await fetchLater(list, { after: rows.at(-1)?.id ?? null, limit: size(list, left), offset: 0 })
    const listed = rows.slice(0, left)
    if (listed.length > 0) yield `,${entries(list, listed)}`
  }
  yield ending(list, rows, left)
}

async function fetchLater<R>(list: StreamedList<R>, page: Parameters<StreamedList<R>['fetch']>[0]): Promise<R[]> {
  for (let tries = 1; ; tries++)
    try {
      return await list.fetch(page)
    } catch (error) {
      if (!(error instanceof DatabaseBusy) || tries === tries_max) throw error
      await sleep(pause_ms)
    }
}

const beginning = '{"data":['

const shown = <R>({ show }: StreamedList<R>, rows: readonly R[]): unknown[] => rows.map((row) => show(row))

/** One stringify call for all rows costs less than one per row. */
const entries = <R>(list: StreamedList<R>, rows: readonly R[]): string => JSON.stringify(shown(list, rows)).slice(1, -1)

const ending = <R>(list: StreamedList<R>, rows: readonly R[], left: number): string =>
  `],"links":${JSON.stringify(links(list, rows.length > left))}}`

/** The last read asks for one extra row: its presence means that more remain. A page of one batch needs no second read for it. */
const size = ({ batch = batchRows }: { batch?: number }, left: number) => (left > batch ? batch : left + 1)

const isLast = <R>(list: StreamedList<R>, rows: readonly R[], left: number): boolean =>
  rows.length < size(list, left) || rows.length > left

const links = ({ self, limit, offset }: Pick<StreamedList<unknown>, 'self' | 'limit' | 'offset'>, more: boolean) =>
  limit === undefined ? { self } : pageLinks(self, { limit, offset }, more)
