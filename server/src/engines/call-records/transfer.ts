/** Copies call records from one store to another. cdrs/migrate.ts has the protocol. */

import type { Readable } from 'node:stream'
import { connect, type ClickHouse } from './clickhouse.ts'
import { WarehouseFailed } from './errors.ts'
import { compileFilter, moment } from './filter.ts'
import { LIMITS } from './limits.ts'
import { EVERY_SHARD } from './modes.ts'
import { monthRange } from './month-sums.ts'
import { CLAIMED, DEFAULT_DATABASE, identifier, INSERTED } from './schema.ts'
import { SORTED } from './slices.ts'
import type { ShardSums, WarehouseOptions } from './types.ts'

/** What arrived after `after` and by `until`, in microseconds. */
export type Arrived = { after: number; until: number }

/** A store that records are copied from or to. */
export type TransferStore = {
  /** Whether the store has no records and no claims. */
  isEmpty: () => Promise<boolean>
  /** What arrived, by account and month. Repeated deliveries and copies count each time until they are merged. */
  sums: (of: Arrived) => Promise<ShardSums[]>
  /** One month of an account by `until`, without repeated deliveries and copies. Undefined without records. */
  exactSums: (of: { account_id: string; month: string; until: number }) => Promise<ShardSums | undefined>
  /** The claims that arrived, each once. Exact; the same text if two stores have the same claims. */
  claims: (of: Arrived) => Promise<string>
  /** Whether a record that was claimed after `since`, in microseconds, may still be inserted. */
  mayBeInFlight: (since: number) => Promise<boolean>
  close: () => Promise<void>
  clickhouse: ClickHouse
  database: string
}

export function openTransfer(options: Pick<WarehouseOptions, 'at' | 'mode' | 'database'>): TransferStore {
  const database = identifier(options.database ?? DEFAULT_DATABASE)
  const mode = options.mode ?? { name: 'url' in options.at ? 'server' : 'embedded' }
  const clickhouse = connect({ ...options, mode })
  const store = { clickhouse, database }
  return {
    ...store,
    isEmpty: async () => {
      for (const table of ['cdr', 'cdr_id'])
        if ((await clickhouse.rows(`SELECT 1 FROM ${database}.${table} LIMIT 1 ${EVERY_SHARD}`)).length > 0)
          return false
      return true
    },
    sums: (of) => readSums(store, `${database}.cdr WHERE ${arrived('arrival', of)}`),
    exactSums: async ({ account_id, month, until }) => {
      const range = `${inMonth({ account_id, month })} AND arrival <= ${until}`
      const columns = 'account_id, start_time, id, end_time, arrival, destination, callerid, duration'
      const [found] = await readSums(
        store,
        `(SELECT ${columns}, billed_duration, total_cost FROM ${database}.cdr
WHERE ${range} ${SORTED}, precedence DESC LIMIT 1 BY start_time, id)`,
      )
      return found
    },
    claims: (of) => sumClaims(store, of),
    mayBeInFlight: (since) => mayBeInFlight(store, since),
    close: () => clickhouse.close(),
  }
}

type Store = Pick<TransferStore, 'clickhouse' | 'database'>

const arrived = (column: string, { after, until }: Arrived) => `${column} > ${after} AND ${column} <= ${until}`
const inMonth = ({ account_id, month }: { account_id: string; month: string }): string =>
  compileFilter({ account_id, filter: monthRange(month) })

async function readSums({ clickhouse }: Store, from: string): Promise<ShardSums[]> {
  const rows = await clickhouse.rows<
    [account_id: string, month: string, num_calls: string, billed: string, cost: string, checksum: string]
  >(
    `SELECT toString(account_id) AS account, formatDateTime(start_time, '%Y-%m') AS month, toString(count()),
toString(sum(billed_duration)), toString(sum(total_cost)),
toString(sum(cityHash64(start_time, id, end_time, arrival, destination, callerid, duration)))
FROM ${from}
GROUP BY account, month ORDER BY account, month ${EVERY_SHARD}`,
  )
  return rows.map(([account_id, month, num_calls, billed_seconds, total_cost, checksum]) => ({
    account_id,
    month,
    num_calls: Number(num_calls),
    billed_seconds,
    total_cost,
    checksum,
  }))
}

/** In ranges of the key, so that the distinct claims of one fit into memory. */
async function sumClaims({ clickhouse, database }: Store, of: Arrived): Promise<string> {
  const from = `${database}.cdr_id WHERE ${arrived('claimed', of)}`
  const [count] = await clickhouse.rows<[string]>(`SELECT toString(count()) FROM ${from} ${EVERY_SHARD}`)
  const ranges = Math.ceil(Number(count?.[0] ?? 0) / LIMITS.transfer_claims)
  let [claims, checksum] = [0, 0n]
  for (let range = 0; range < ranges; range += 1) {
    const bound = (nth: number) => (2n ** 64n * BigInt(nth)) / BigInt(ranges)
    const [row] = await clickhouse.rows<[string, string]>(
      `SELECT toString(count()), toString(sum(cityHash64(id_hash, start_time, account_id))) FROM (
SELECT id_hash, start_time, account_id FROM ${from} AND id_hash >= ${bound(range)} AND id_hash <= ${bound(range + 1) - 1n}
GROUP BY id_hash, start_time, account_id) ${EVERY_SHARD}`,
    )
    claims += Number(row?.[0] ?? 0)
    checksum += BigInt(row?.[1] ?? 0)
  }
  return `${claims} ${checksum}`
}

/** The claims and records of an insert have the same time, so an insert that has ended has as many of both. */
async function mayBeInFlight({ clickhouse, database }: Store, since: number): Promise<boolean> {
  const counts = async (table: string, time: string) =>
    new Map(
      await clickhouse.rows<[at: string, rows: string]>(
        `SELECT toString(${time}) AS at, toString(count()) FROM ${database}.${table} WHERE ${time} > ${since} GROUP BY at ${EVERY_SHARD}`,
      ),
    )
  const [claims, records] = [await counts('cdr_id', 'claimed'), await counts('cdr', 'arrival')]
  return [...claims].some(([at, rows]) => Number(records.get(at) ?? 0) < Number(rows))
}

/** Copies a month of an account. Safe to repeat: a copy is the same record. */
export const transferMonth = (
  from: TransferStore,
  to: TransferStore,
  { account_id, month, ...of }: Arrived & { account_id: string; month: string },
): Promise<void> =>
  transfer(from, to, {
    table: 'cdr',
    columns: INSERTED,
    key: ['start_time', 'id'],
    texts: [MILLISECONDS, 'hex(id)'],
    values: (at, id) => [momentOf(at), `unhex('${id}')`],
    where: `${inMonth({ account_id, month })} AND ${arrived('arrival', of)}`,
  })

/** Copies the claims of all accounts. Safe to repeat. */
export const transferClaims = (from: TransferStore, to: TransferStore, of: Arrived): Promise<void> =>
  transfer(from, to, {
    table: 'cdr_id',
    columns: CLAIMED,
    key: ['id_hash', 'start_time'],
    texts: ['toString(id_hash)', MILLISECONDS],
    values: (hash, at) => [hash, momentOf(at)],
    where: arrived('claimed', of),
  })

const momentOf = (ms: string): string => moment(new Date(Number(ms)))
const MILLISECONDS = 'toString(toUnixTimestamp64Milli(start_time))'

type Transfer = {
  table: string
  columns: Readonly<Record<string, string>>
  /** The columns by which a range is divided, in the order of the table's key. */
  key: readonly [string, string]
  /** The same as SQL that makes a text of each, and the SQL that makes a value of such a text. */
  texts: readonly [string, string]
  values: (first: string, second: string) => readonly [string, string]
  where: string
}

/** Copies slices of the range, in the order of the key, so that no more than one is in memory. */
async function transfer(from: TransferStore, to: TransferStore, what: Transfer): Promise<void> {
  const { table, key, texts, values, where } = what
  const compared = (sign: string, [first, second]: readonly [string, string]) =>
    // the first condition is for the primary key
    ` AND ${key[0]} ${sign[0]}= ${first} AND (${key.join(', ')}) ${sign} (${first}, ${second})`
  let range = where
  for (let rows: number = LIMITS.transfer_rows; ;) {
    const [last] = await from.clickhouse.rows<[count: string, first: string, second: string]>(
      `SELECT toString(count()), argMax(${texts[0]}, (${key.join(', ')})), argMax(${texts[1]}, (${key.join(', ')})) FROM (
SELECT ${key.join(', ')} FROM ${from.database}.${table} WHERE ${range} ORDER BY ${key.join(', ')} LIMIT ${rows}
SETTINGS optimize_read_in_order = 1) ${EVERY_SHARD}`,
    )
    if (last === undefined || last[0] === '0') return
    const end = values(last[1], last[2])
    const found = await readRows(from, what, range + compared('<=', end))
    if (found === 'too large' && rows > 1) {
      rows = Math.ceil(rows / 4)
      continue
    }
    if (found === 'too large') throw new WarehouseFailed('A call record is too large to be copied', TOO_LARGE)
    await to.clickhouse.insert(`${to.database}.${table}`, what.columns, found)
    if (Number(last[0]) < rows) return
    range = where + compared('>', end)
  }
}

/** TOO_LARGE_STRING_SIZE */
const TOO_LARGE = '131'

async function readRows(
  { clickhouse, database }: Store,
  { table, columns }: Transfer,
  where: string,
): Promise<Buffer[] | 'too large'> {
  const { stream } = await clickhouse.bytes(
    `SELECT ${Object.keys(columns).join(', ')} FROM ${database}.${table} WHERE ${where} ${EVERY_SHARD} FORMAT RowBinary`,
    { settings: {}, query_class: 'query', compression: 'none' },
  )
  return await collect(stream)
}

async function collect(stream: Readable): Promise<Buffer[] | 'too large'> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Node does not type its chunks; a stream of bytes without an encoding yields buffers
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > LIMITS.transfer_bytes) return 'too large'
    chunks.push(chunk)
  }
  return chunks
}
