import { crc32 } from 'node:zlib'
import type pg from 'pg'
import type { Contradiction, Country, PostalData } from '../../addresses/index.ts'
import type { DatasetKind } from '../tables.ts'
import { Bucket, type BufferedNumbers } from './bucket.ts'
import { copyIn, copyValue } from './copy.ts'
import { Findings } from './findings.ts'
import type { Parity, Sink, SkipReason, SourceRow, ValueReason } from './format.ts'
import { resolveNumbers, resolvePlace, resolveStreet, type PlaceDefaults } from './resolve.ts'
import { BUCKETS, createStaging } from './staging-store.ts'

/** Characters sent at once. */
const SEND_CHARACTERS = 1 << 20
/** Size of each cache of resolved texts, which repeat from row to row; a full cache is cleared. */
const CACHE_ENTRIES_MAX = 200_000
const PARITIES = ['both', 'odd', 'even'] as const

/** Some columns of a staging line in COPY's text format. */
interface Columns {
  columns: string
  /** Values that they lack. */
  dropped: readonly ValueReason[]
}

interface StagedPlace extends Columns {
  /** The table for all lines of the place. */
  table: StagingTable
  country: Country
  state: string
  postal: string
  contradiction: Contradiction | undefined
}

/** The place of the last row with its texts. Only one, because a substring may keep the whole chunk of the file in memory. */
type LastPlace = Pick<SourceRow, 'country' | 'state' | 'postal' | 'city'> & { place: StagedPlace }

/** A staging table and its buffered lines; `name` is null until the table is created. */
interface StagingTable {
  number: number
  name: string | null
  bucket: Bucket
}

/** The street of the last row and its numbers; files usually have the rows of a street in sequence. */
interface LastNumbers {
  place: StagedPlace
  street: Columns
  esn: string
  psap: string
  numbers: BufferedNumbers
}

export interface LoaderOptions {
  kind: DatasetKind
  defaults: PlaceDefaults
  data: PostalData
  /** The current record as text. */
  example: () => string
}

/**
 * Turns source rows into lines of staging tables, and sends them while the next rows are read. All lines of a place go into the
 * same table, so that streets can be aggregated table by table.
 */
export class Loader implements Sink {
  readonly skipped: Partial<Record<SkipReason, number>> = {}
  /** Counties that the file says it covers. */
  readonly counties = new Set<string>()
  rows_read = 0
  rows_skipped = 0
  /** Ranges by side of the street. */
  readonly parity = { odd: 0, even: 0, both: 0, contradicted: 0 }
  /** Rows, sides, and values that were not loaded. */
  readonly dropped: Findings
  /** Rows that contradict the postal data. They are loaded. */
  readonly contradictions: Findings

  readonly #client: pg.ClientBase
  readonly #dataset_id: number
  readonly #kind: DatasetKind
  readonly #defaults: PlaceDefaults
  readonly #data: PostalData
  readonly #places = new Map<string, StagedPlace | SkipReason>()
  readonly #streets = new Map<string, Columns | SkipReason>()
  readonly #aliases = new Set<string>()
  readonly #tables = new Map<number, StagingTable>()
  /** A table with enough lines to send. */
  #full: StagingTable | undefined
  #sending: Promise<void> | undefined
  #last_place: LastPlace | undefined
  #last_street: { text: string; place: StagedPlace; street: Columns } | undefined
  #last_numbers: LastNumbers | undefined
  /** Whether a row of the current record was loaded, and why others were not. */
  #is_loaded = false
  #not_loaded: SkipReason[] = []

  constructor(client: pg.ClientBase, dataset_id: number, { kind, defaults, data, example }: LoaderOptions) {
    this.#client = client
    this.#dataset_id = dataset_id
    this.#kind = kind
    this.#defaults = defaults
    this.#data = data
    this.dropped = new Findings(example)
    this.contradictions = new Findings(example)
  }

  /** Numbers of the staging tables that exist after `end`. */
  get buckets(): number[] {
    return [...this.#tables.values()].filter(({ name }) => name !== null).map(({ number }) => number)
  }

  county(fips: string): void {
    this.counties.add(fips)
  }

  skip(reason: SkipReason): void {
    this.#not_loaded.push(reason)
  }

  /** Call after each record. One of which nothing was loaded is skipped; otherwise only some of its sides are dropped. */
  endRecord(): void {
    if (!this.#is_loaded) {
      const reason = this.#not_loaded[0] ?? 'no house number'
      this.rows_skipped++
      this.skipped[reason] = (this.skipped[reason] ?? 0) + 1
      this.dropped.count('row', reason)
    } else for (const reason of this.#not_loaded) this.dropped.count(this.#kind === 'range' ? 'side' : 'value', reason)
    this.#is_loaded = false
    if (this.#not_loaded.length > 0) this.#not_loaded = []
  }

  row(fields: Partial<SourceRow> & { street: string; low: string }): void {
    const row = withDefaults(fields)
    if (row.street === '') return this.skip('no street name')
    const place = this.#place(row)
    if (typeof place === 'string') return this.skip(place)
    const street = this.#street(row.street, place)
    if (typeof street === 'string') return this.skip(street)
    const unnumbered = row.low === '' && row.high === ''
    const numbers = unnumbered ? null : resolveNumbers(row, place.country)
    if (typeof numbers === 'string') return this.skip(numbers)
    if (unnumbered && this.#kind === 'point') return this.skip('no house number')
    this.#is_loaded = true
    this.#countValues(place, street)
    if (numbers) this.#countParity(row.parity, numbers.parity)
    const street_numbers = this.#numbersOf(place, street, row)
    if (numbers) place.table.bucket.add(street_numbers, numbers)
    this.#markIfFull(place.table)
    for (const city of row.also) if (city !== '' && city !== row.city) this.#alias(row, place, city)
    return undefined
  }

  /** Sends the lines of a full table. Await it between rows; undefined if no table is full. */
  flush(): Promise<void> | undefined {
    if (this.#full === undefined) return undefined
    const table = this.#full
    this.#full = undefined
    return this.#send(table)
  }

  /** Sends the remaining lines, and resolves when the database has stored them. */
  async end(): Promise<void> {
    for (const table of this.#tables.values()) await this.#send(table)
    await this.#sending
  }

  /** Waits until sending has stopped and ignores errors. */
  async abandon(): Promise<void> {
    await Promise.allSettled([this.#sending])
  }

  #countValues({ dropped, contradiction }: StagedPlace, street: Columns): void {
    for (const reason of dropped) this.dropped.count('value', reason)
    for (const reason of street.dropped) this.dropped.count('value', reason)
    if (contradiction !== undefined) this.contradictions.count('row', contradiction)
  }

  #countParity(named: Parity, kept: 0 | 1 | 2): void {
    this.parity[PARITIES[kept]]++
    if (named === 'unknown') this.dropped.count('value', 'parity not understood')
    if (named === 'any' || named === 'unknown' || kept !== 0) return
    this.parity.contradicted++
    this.dropped.count('value', 'parity contradicts the range')
  }

  #numbersOf(place: StagedPlace, street: Columns, { esn, psap }: SourceRow): BufferedNumbers {
    const last = this.#last_numbers
    if (last?.place === place && last.street === street && last.esn === esn && last.psap === psap) return last.numbers
    const columns = `${place.columns}${street.columns}${copyValue(esn)}\t${copyValue(psap)}\t`
    const numbers = place.table.bucket.street(columns)
    this.#last_numbers = { place, street, esn, psap, numbers }
    return numbers
  }

  #markIfFull(table: StagingTable): void {
    if (table.bucket.length >= SEND_CHARACTERS) this.#full = table
  }

  /** Waits until the previous lines are stored, but not these. */
  async #send(table: StagingTable): Promise<void> {
    await this.#sending
    if (table.bucket.length === 0) return
    const lines = Buffer.from(table.bucket.take())
    this.#last_numbers = undefined
    this.#sending = this.#copy(table, lines)
    // the rejection is handled where it is awaited
    this.#sending.catch(() => undefined)
  }

  async #copy(table: StagingTable, lines: Buffer): Promise<void> {
    table.name ??= await createStaging(this.#client, this.#dataset_id, table.number)
    await copyIn(this.#client, `copy ${table.name} from stdin`, lines)
  }

  #table(number: number): StagingTable {
    const known = this.#tables.get(number)
    if (known) return known
    const table = { number, name: null, bucket: new Bucket(this.#kind) }
    this.#tables.set(number, table)
    return table
  }

  #place(row: SourceRow): StagedPlace | SkipReason {
    const last = this.#last_place
    if (last && isSame(row, last)) return last.place
    const found = cached(this.#places, `${row.country}|${row.state}|${row.postal}|${row.city}`, () => {
      const place = resolvePlace(row, this.#defaults, this.#data)
      if (typeof place === 'string') return place
      const { country, state, postal, city, city_key, derived, dropped, contradiction } = place
      return {
        table: this.#table(bucketOf(postal === '' ? city_key : postal)),
        country,
        state,
        postal,
        dropped,
        contradiction,
        columns: `${[country, state, postal, city, city_key, derived ? 't' : 'f'].join('\t')}\t`,
      }
    })
    const { country, state, postal, city } = row
    if (typeof found !== 'string') this.#last_place = { country, state, postal, city, place: found }
    return found
  }

  #street(text: string, place: StagedPlace): Columns | SkipReason {
    const last = this.#last_street
    if (last?.text === text && last.place === place) return last.street
    const found = cached(this.#streets, `${place.country}${place.state}${text}`, (): Columns | SkipReason => {
      const street = resolveStreet(text, place)
      if (typeof street === 'string') return street
      return {
        columns: `${street.label}\t${street.key}\t`,
        dropped: street.has_unit ? ['unit in the street name'] : [],
      }
    })
    if (typeof found !== 'string') this.#last_street = { text, place, street: found }
    return found
  }

  /** Adds a line for an alias of the place, without a street. Only a place with a code can have one. */
  #alias(row: SourceRow, { postal }: StagedPlace, city: string): void {
    const place = postal === '' ? 'no code' : this.#place({ ...row, city })
    if (typeof place === 'string') return this.dropped.count('value', 'other name of the city not usable')
    if (this.#aliases.has(place.columns)) return
    if (this.#aliases.size >= CACHE_ENTRIES_MAX) this.#aliases.clear()
    this.#aliases.add(place.columns)
    place.table.bucket.street(`${place.columns}\t\t\t\t`)
  }
}

/** Field by field, because it runs for every row. */
const withDefaults = (fields: Partial<SourceRow> & { street: string; low: string }): SourceRow => ({
  street: fields.street,
  low: fields.low,
  high: fields.high ?? '',
  parity: fields.parity ?? 'any',
  country: fields.country ?? '',
  state: fields.state ?? '',
  postal: fields.postal ?? '',
  city: fields.city ?? '',
  also: fields.also ?? [],
  esn: fields.esn ?? '',
  psap: fields.psap ?? '',
})

const isSame = (row: SourceRow, last: LastPlace) =>
  row.postal === last.postal && row.city === last.city && row.state === last.state && row.country === last.country

/** Equal for equal names, and evenly distributed. */
function bucketOf(name: string): number {
  return crc32(name) % BUCKETS
}

function cached<T>(cache: Map<string, T>, id: string, resolve: () => T): T {
  const hit = cache.get(id)
  if (hit !== undefined) return hit
  if (cache.size >= CACHE_ENTRIES_MAX) cache.clear()
  const value = resolve()
  cache.set(id, value)
  return value
}
