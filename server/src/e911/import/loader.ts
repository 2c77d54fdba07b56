import type pg from 'pg'
import type { Country } from '../normalise/types.ts'
import type { PostalData } from '../postal/data.ts'
import type { DatasetKind } from '../tables.ts'
import { CopyIn, copyValue } from './copy.ts'
import type { Sink, SkipReason, SourceRow } from './format.ts'
import { resolveNumbers, resolvePlace, resolveStreet, type PlaceDefaults } from './resolve.ts'

const SEND_BYTES = 1 << 18
/** Raw texts repeat from row to row; the memory of them is started afresh at this many. */
const MOST_REMEMBERED = 200_000

const UNNUMBERED: Columns = { columns: '\\N\t\\N\t\\N\t' }
const EMPTY: SourceRow = {
  street: '',
  low: '',
  high: '',
  parity: 'any',
  country: '',
  state: '',
  postal: '',
  city: '',
  also: [],
  esn: '',
  psap: '',
}

/** Some columns of a staging line, ready to be sent. */
interface Columns {
  columns: string
}

interface KnownPlace extends Columns {
  country: Country
  state: string
  postal: string
}

/** Turns source rows into lines of the staging table and sends them. */
export class Loader implements Sink {
  readonly skipped: Partial<Record<SkipReason, number>> = {}
  /** Counties that the file says it is about. */
  readonly counties = new Set<string>()
  rows_read = 0
  rows_skipped = 0

  readonly #copy: CopyIn
  readonly #kind: DatasetKind
  readonly #defaults: PlaceDefaults
  readonly #data: PostalData
  readonly #places = new Map<string, KnownPlace | SkipReason>()
  readonly #streets = new Map<string, Columns | SkipReason>()
  readonly #aliases = new Set<string>()
  #pending: string[] = []
  #pending_bytes = 0
  #last = ''

  constructor(client: pg.ClientBase, table: string, kind: DatasetKind, defaults: PlaceDefaults, data: PostalData) {
    this.#copy = new CopyIn(client, `copy ${table} from stdin`)
    this.#kind = kind
    this.#defaults = defaults
    this.#data = data
  }

  county(fips: string): void {
    this.counties.add(fips)
  }

  skip(reason: SkipReason): void {
    this.rows_skipped++
    this.skipped[reason] = (this.skipped[reason] ?? 0) + 1
  }

  row(given: Partial<SourceRow> & { street: string; low: string }): void {
    const row = { ...EMPTY, ...given }
    if (row.street === '') return this.skip('no street name')
    const place = this.#place(row)
    if (typeof place === 'string') return this.skip(place)
    const street = this.#street(row.street, place)
    if (typeof street === 'string') return this.skip(street)
    const numbers = this.#numbers(row, place)
    if (typeof numbers === 'string') return this.skip(numbers)
    // a building's units follow one another
    const line = `${place.columns}${street.columns}${numbers.columns}${copyValue(row.esn)}\t${copyValue(row.psap)}\n`
    if (line !== this.#last) this.#send((this.#last = line))
    for (const city of row.also) if (place.postal !== '' && city !== '' && city !== row.city) this.#alias(row, city)
    return undefined
  }

  /** To be awaited now and then; undefined while little is waiting. */
  flush(everything = false): Promise<void> | undefined {
    if (this.#pending_bytes === 0 || (!everything && this.#pending_bytes < SEND_BYTES)) return undefined
    const bytes = Buffer.from(this.#pending.join(''))
    this.#pending = []
    this.#pending_bytes = 0
    return this.#copy.write(bytes)
  }

  async end(): Promise<void> {
    await this.flush(true)
    await this.#copy.end()
  }

  abort(reason: string): Promise<void> {
    return this.#copy.abort(reason)
  }

  #send(line: string): void {
    this.#pending.push(line)
    this.#pending_bytes += line.length
  }

  #place(row: SourceRow): KnownPlace | SkipReason {
    return remembered(this.#places, `${row.country}|${row.state}|${row.postal}|${row.city}`, () => {
      const place = resolvePlace(row, this.#defaults, this.#data)
      if (typeof place === 'string') return place
      const { country, state, postal, city, city_key, derived } = place
      return {
        country,
        state,
        postal,
        columns: `${[country, state, postal, city, city_key, derived ? 't' : 'f'].join('\t')}\t`,
      }
    })
  }

  #street(text: string, place: KnownPlace): Columns | SkipReason {
    return remembered(this.#streets, `${place.country}${place.state}${text}`, () => {
      const street = resolveStreet(text, place)
      return typeof street === 'string' ? street : { columns: `${street.label}\t${street.key}\t` }
    })
  }

  #numbers(row: SourceRow, place: KnownPlace): Columns | SkipReason {
    if (row.low === '' && row.high === '') return this.#kind === 'range' ? UNNUMBERED : 'no house number'
    const numbers = resolveNumbers(row, place.country)
    return typeof numbers === 'string' ? numbers : { columns: `${numbers.low}\t${numbers.high}\t${numbers.parity}\t` }
  }

  /** Another name of the place: a line without a street. */
  #alias(row: SourceRow, city: string): void {
    const place = this.#place({ ...row, city })
    if (typeof place === 'string' || this.#aliases.has(place.columns)) return
    if (this.#aliases.size >= MOST_REMEMBERED) this.#aliases.clear()
    this.#aliases.add(place.columns)
    this.#send(`${place.columns}\t\t\\N\t\\N\t\\N\t\t\n`)
  }
}

function remembered<T>(memory: Map<string, T>, id: string, make: () => T): T {
  const known = memory.get(id)
  if (known !== undefined) return known
  if (memory.size >= MOST_REMEMBERED) memory.clear()
  const made = make()
  memory.set(id, made)
  return made
}
