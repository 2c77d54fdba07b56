/**
 * Statements for months of call records that are kept as Parquet files outside the store. cdrs/freeze.ts has the protocol.
 *
 * Files are sent as literals of ordinary statements, because only those work the same in the embedded engine, on a server, and on a cluster.
 * That limits a file's size.
 */

import type { Readable } from 'node:stream'
import type { ClickHouseSettings } from '@clickhouse/client'
import { INSERT_SETTINGS, type ByteStream, type ClickHouse } from './clickhouse.ts'
import { FORMATS } from './columns.ts'
import { WarehouseFailed, WarehouseUnavailable } from './errors.ts'
import { compileFilter } from './filter.ts'
import { LIMITS } from './limits.ts'
import { layoutOf, settingsClause, settingsOf, type StoreMode } from './modes.ts'
import { monthRange } from './month-sums.ts'
import { AMOUNTS, INSERTED, onCluster } from './schema.ts'
import { fromClause, planSlices, SORTED, type Slice, type Store } from './slices.ts'
import type { ColdFile, ColdMonth, ColdStatements, FileSums } from './types.ts'
import type { CdrQuery } from './call-record.ts'
import { makeVerifier } from './verifier.ts'

export function openCold(store: Store, mode: StoreMode): ColdStatements {
  const { clickhouse, database } = store
  const layout = layoutOf(mode, database)
  const table = `${database}.cdr${layout.distributed_over === null ? '' : '_local'}${onCluster(layout)}`
  const claims = `${database}.cdr_id${layout.distributed_over === null ? '' : '_local'}${onCluster(layout)}`
  return {
    files: async function* ({ account_id, month, until }, signal) {
      // the statements of a file go to the same server
      const pinned = clickhouse.pinned()
      const source = { ...store, clickhouse: pinned, slice_rows: Math.min(store.slice_rows, LIMITS.cold_file_rows) }
      const query = { account_id, filter: monthRange(month) }
      yield* filesOf({ source, settings: await fileSettings(pinned), until, signal }, query)
    },
    load: async (content, arrival) => {
      const names = Object.keys(INSERTED)
      const values = names.map((name) => (name === 'arrival' ? `toUInt64(${arrival})` : name))
      await clickhouse.run(`INSERT INTO ${database}.cdr (${names.join(', ')})
SELECT ${values.join(', ')} FROM ${literalFile(content)}
${settingsClause({ ...INSERT_SETTINGS, ...settingsOf(mode).insert })}`)
    },
    countUntil: async (month, signal) => {
      const [row] = await clickhouse.rows<[string]>(
        `SELECT toString(count()) FROM ${database}.cdr WHERE ${arrivedBy(month)}`,
        signal,
      )
      return Number(row?.[0] ?? 0)
    },
    remove: async (months) => {
      await clickhouse.run(
        `ALTER TABLE ${table} DELETE WHERE ${months.map((month) => `(${arrivedBy(month)})`).join(' OR ')}\n${SYNCED}`,
      )
    },
    removeClaims: async ({ account_id, month, until }) => {
      await clickhouse.run(
        `ALTER TABLE ${claims} DELETE WHERE ${inMonth({ account_id, month })} AND claimed <= ${until}\n${SYNCED}`,
      )
    },
  }
}

const SYNCED = 'SETTINGS mutations_sync = 2'

const inMonth = ({ account_id, month }: Omit<ColdMonth, 'until'>): string =>
  compileFilter({ account_id, filter: monthRange(month) })
const arrivedBy = ({ until, ...month }: ColdMonth): string => `${inMonth(month)} AND arrival <= ${until}`

type Writing = { source: Store; settings: ClickHouseSettings; until: number; signal: AbortSignal | undefined }

/** Bloom filters would be a third of a file. Older versions neither write them nor know the setting. */
async function fileSettings(clickhouse: ClickHouse): Promise<ClickHouseSettings> {
  const [row] = await clickhouse.rows<[string]>(
    `SELECT toString(count()) FROM system.settings WHERE name = 'output_format_parquet_write_bloom_filter'`,
  )
  const { settings } = FORMATS.parquet
  return row?.[0] === '0' ? settings : { ...settings, output_format_parquet_write_bloom_filter: 0 }
}

/** Divides again where the file of a slice is too large. */
async function* filesOf(writing: Writing, query: CdrQuery): AsyncGenerator<ColdFile> {
  const { source, until, signal } = writing
  const { slices } = await planSlices(source, query, signal)
  for (const slice of slices) {
    const file = await writeFile(writing, fromClause(source.database, query, slice, String(until)))
    if (file === 'empty') continue
    if (file !== 'too large') {
      yield file
      continue
    }
    if (source.slice_rows === 1)
      throw new WarehouseFailed(`Call records of one millisecond need more than ${LIMITS.cold_file_bytes} bytes`, '')
    const smaller = { ...writing, source: { ...source, slice_rows: Math.ceil(source.slice_rows / 8) } }
    yield* filesOf(smaller, { ...query, filter: rangeOf(slice) })
  }
}

const rangeOf = ({ first_ms, last_ms }: Slice) => ({
  start_call_start_time: new Date(first_ms),
  start_call_end_time: new Date(last_ms + 1),
})

/** Reads the file back, because it replaces the records. */
async function writeFile(
  { source: { clickhouse }, settings, signal }: Writing,
  from: string,
): Promise<ColdFile | 'too large' | 'empty'> {
  const stored = await readSums(clickhouse, from, signal)
  // all of the slice arrived later
  if (stored.num_calls === 0) return 'empty'
  const opened = await clickhouse.bytes(
    `SELECT ${Object.keys(INSERTED).join(', ')}\n${from}\n${SORTED}\nFORMAT Parquet`,
    { settings, query_class: 'export', compression: 'none', ...(signal && { signal }) },
  )
  const content = await contentOf(opened)
  if (content === null) return 'too large'
  const { checksum: written, ...sums } = await readSums(clickhouse, `FROM ${literalFile(content)}`, signal)
  const { checksum, ...expected } = stored
  // also if records were added or deleted meanwhile
  if (written !== checksum || JSON.stringify(sums) !== JSON.stringify(expected))
    throw new WarehouseFailed('A Parquet file of call records differs from the call records in the store', '')
  return { content, ...sums }
}

async function contentOf({ stream, tag }: ByteStream): Promise<Buffer | null> {
  const verifier = makeVerifier('parquet', { rows: 0, newlines: 0 })
  const content = await readUpTo(stream, LIMITS.cold_file_bytes)
  if (content === null) return null
  verifier.update(content)
  verifier.finish(tag)
  return content
}

async function readUpTo(stream: Readable, most: number): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  // a Node response or file without an encoding yields buffers
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > most) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Every column of the record but the time of its arrival, which changes when a file is loaded. */
const HASHED = Object.keys(INSERTED)
  .filter((name) => name !== 'arrival')
  // the hash of NULL is NULL
  .map((name) => (name === 'call_fail_sip_code' ? `ifNull(toInt32(${name}), -1)` : name))

async function readSums(
  clickhouse: ClickHouse,
  from: string,
  signal: AbortSignal | undefined,
): Promise<FileSums & { checksum: string }> {
  const [row] = await clickhouse.rows<[calls: string, seconds: string, cost: string, checksum: string]>(
    `SELECT toString(count()), toString(sum(billed_duration)), toString(sum(${AMOUNTS.join(' + ')})),
toString(sum(cityHash64(${HASHED.join(', ')})))\n${from}`,
    signal,
  )
  if (row === undefined) throw new WarehouseUnavailable('The call-record store returned no sums')
  const [num_calls, billed_seconds, total_cost, checksum] = row
  return { num_calls: Number(num_calls), billed_seconds, total_cost, checksum }
}

const STRUCTURE = Object.entries(INSERTED)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ')
  .replaceAll("'", "\\'")

/** A table function with the records of a Parquet file. */
const literalFile = (content: Buffer): string =>
  `format('Parquet', '${STRUCTURE}', unhex('${content.toString('hex')}'))`
