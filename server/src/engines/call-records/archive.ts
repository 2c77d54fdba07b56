/**
 * Copies of all records, for a backup: Parquet files of a limited number of records, which any mode of the store can write and read.
 *
 * A record never changes and its arrival increases from insert to insert, so a backup that has a month up to one arrival needs only the
 * records that arrived later, unless records were removed since: then the month's state up to that arrival differs.
 */

import type { Readable } from 'node:stream'
import type { ClickHouse } from './clickhouse.ts'
import { FORMATS } from './columns.ts'
import { accountNumber, moment } from './filter.ts'
import { LIMITS } from './limits.ts'
import { ANY_SHARD_SETTINGS, EVERY_SHARD, settingsClause, settingsOf, type StoreMode } from './modes.ts'
import { CLAIMED, INSERTED } from './schema.ts'
import { divide, type Store } from './slices.ts'
import { inMonth } from './stored-months.ts'
import type { Archive, ArchivePiece } from './types.ts'

const NAMES = Object.keys(INSERTED).join(', ')
const HASH = 'cityHash64(account_id, start_time, id, end_time, arrival)'

export function openArchive(
  { clickhouse, database }: Omit<Store, 'slice_rows'>,
  mode: StoreMode,
  place: Archive['place'],
): Archive {
  const table = `${database}.cdr`
  return {
    months: async (until) => {
      const rows = await clickhouse.rows<[month: string, rows: string, checksum: string]>(
        ofEveryShard(`SELECT formatDateTime(start_time, '%Y-%m') AS month, toString(count()), toString(sum(${HASH}))
FROM ${table} WHERE arrival <= ${checked(until)} GROUP BY month ORDER BY month`),
      )
      return rows.map(([month, count, checksum]) => ({ month, rows: Number(count), checksum, until }))
    },
    month: async (month, until) => {
      const [row] = await clickhouse.rows<[rows: string, checksum: string]>(
        ofEveryShard(
          `SELECT toString(count()), toString(sum(${HASH})) FROM ${table} WHERE ${inMonth(month)} AND arrival <= ${checked(until)}`,
        ),
      )
      return { month, rows: Number(row?.[0] ?? 0), checksum: row?.[1] ?? '0', until }
    },
    pieces: (of, most = LIMITS.archive_rows) => listPieces(clickhouse, table, of, most),
    rows: async (piece) => {
      const [row] = await clickhouse.rows<[string]>(
        ofEveryShard(`SELECT toString(count()) FROM ${table} WHERE ${inPiece(piece)}`),
      )
      return Number(row?.[0] ?? 0)
    },
    read: (piece) => readPiece(clickhouse, table, piece),
    write: async (piece, open) => {
      const settings = {
        max_execution_time: LIMITS.archive_seconds,
        max_insert_block_size: String(LIMITS.archive_rows),
      }
      await clickhouse.insertParquet(table, Object.keys(INSERTED), settings, open)
      await clickhouse.run(`INSERT INTO ${database}.cdr_id (${Object.keys(CLAIMED).join(', ')})
SELECT ${ID_HASH}, start_time, account_id, arrival FROM ${table} WHERE ${inPiece(piece)}
${settingsClause({ ...settingsOf(mode).insert, ...ANY_SHARD_SETTINGS, max_execution_time: LIMITS.archive_seconds })}`)
    },
    place,
  }
}

/** The hash of `keyOf` in rows.ts. */
const ID_HASH = `reinterpretAsUInt64(reverse(substring(SHA256(concat(toString(account_id), char(0), id)), 1, 8)))`

async function readPiece(clickhouse: ClickHouse, table: string, piece: ArchivePiece): Promise<Readable> {
  const { stream } = await clickhouse.bytes(
    `${ofEveryShard(`SELECT ${NAMES} FROM ${table} WHERE ${inPiece(piece)}`)} FORMAT Parquet`,
    // the server ends the file before it responds, so that an error is not a part of it
    { settings: { ...FORMATS.parquet.settings, wait_end_of_query: 1 }, query_class: 'export', compression: 'none' },
  )
  return stream
}

async function listPieces(
  clickhouse: ClickHouse,
  table: string,
  of: Parameters<Archive['pieces']>[0],
  most: number,
): Promise<ArchivePiece[]> {
  const accounts = await clickhouse.rows<[account_id: string, rows: string, first_ms: string, last_ms: string]>(
    ofEveryShard(`SELECT toString(account_id), toString(count()), toString(toUnixTimestamp64Milli(min(start_time))), toString(toUnixTimestamp64Milli(max(start_time)))
FROM ${table} WHERE ${inMonth(of.month)} AND ${arrived(of)} GROUP BY account_id ORDER BY account_id`),
  )
  const pieces: ArchivePiece[] = []
  for (const [account_id, count, first_ms, last_ms] of accounts) {
    const rows = Number(count)
    const last = pieces.at(-1)
    if (rows > most) {
      const own = { ...of, first_account: account_id, last_account: account_id }
      const range = { first_ms: Number(first_ms), last_ms: Number(last_ms), rows }
      for (const part of await divide(range, most, bucketCounts(clickhouse, table, { ...own, rows, times: null }))) {
        const times = { first_ms: part.first_ms, last_ms: part.last_ms }
        pieces.push({ ...own, rows: part.rows, times })
      }
    } else if (last?.times === null && last.rows + rows <= most) {
      last.last_account = account_id
      last.rows += rows
    } else pieces.push({ ...of, first_account: account_id, last_account: account_id, times: null, rows })
  }
  return pieces
}

const bucketCounts =
  (clickhouse: ClickHouse, table: string, piece: ArchivePiece) =>
  ({ first_ms, last_ms }: { first_ms: number; last_ms: number }, step_ms: number) =>
    clickhouse.rows<[bucket: string, rows: string]>(
      ofEveryShard(`SELECT toString(intDiv(toUnixTimestamp64Milli(start_time) - (${first_ms}), ${step_ms}) AS bucket), toString(count())
FROM ${table} WHERE ${inPiece({ ...piece, times: { first_ms, last_ms } })} GROUP BY bucket ORDER BY bucket`),
    )

function inPiece(piece: ArchivePiece): string {
  const { first_account, last_account, times } = piece
  const accounts =
    first_account === last_account
      ? `account_id = ${accountNumber(first_account)}`
      : `account_id >= ${accountNumber(first_account)} AND account_id <= ${accountNumber(last_account)}`
  const between =
    times === null
      ? ''
      : ` AND start_time >= ${moment(new Date(times.first_ms))} AND start_time <= ${moment(new Date(times.last_ms))}`
  return `${inMonth(piece.month)} AND ${accounts}${between} AND ${arrived(piece)}`
}

/** Copies are of all accounts. */
function ofEveryShard(select: string): string {
  return `${select} ${EVERY_SHARD}`
}

const arrived = ({ after, until }: { after: number; until: number }): string =>
  `arrival > ${checked(after)} AND arrival <= ${checked(until)}`

function checked(us: number): number {
  if (!Number.isSafeInteger(us) || us < 0) throw new RangeError('An arrival is in whole microseconds')
  return us
}
