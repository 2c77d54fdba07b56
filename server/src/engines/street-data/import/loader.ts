import { crc32 } from 'node:zlib'
import type pg from 'pg'
import type { Country, PostalData } from '../../addresses/index.ts'
import type { DatasetKind } from '../tables.ts'
import { Bucket } from './bucket.ts'
import { copyIn, copyValue } from './copy.ts'
import type { Sink, SkipReason, SourceRow } from './format.ts'
import { resolveNumbers, resolvePlace, resolveStreet, type PlaceDefaults } from './resolve.ts'
import { BUCKETS, createStaging } from './staging-store.ts'

/** Characters of lines that are worth sending. */
const SEND_AT = 1 << 20
/** Raw texts repeat from row to row; the memory of them is started afresh at this many. */
const MOST_REMEMBERED = 200_000

/** Some columns of a staging line, ready to be sent. */
interface Columns {
  columns: string
}

interface KnownPlace extends Columns {
  /** That all lines of the place go into. */
  part: Part
  country: Country
  state: string
  postal: string
}

/** The place of the last row, with how that wrote it. Only of one: a text of the file may keep the piece it was cut from in memory. */
type PlaceAtHand = Pick<SourceRow, 'country' | 'state' | 'postal' | 'city'> & { place: KnownPlace }

/** A staging table, null until it is made, and the lines for it. */
interface Part {
  number: number
  table: string | null
  bucket: Bucket
}

/** The street that the last row was of. Files have the rows of a street one after another. */
interface AtHand {
  place: KnownPlace
  street: Columns
  esn: string
  psap: string
  numbers: number[]
}

/**
 * Turns source rows into lines of the staging tables and sends them, while the next are made. All lines of a place go into
 * the same table, so that its streets can be gathered apart from all others.
 */
export class Loader implements Sink {
  readonly skipped: Partial<Record<SkipReason, number>> = {}
  /** Counties that the file says it is about. */
  readonly counties = new Set<string>()
  rows_read = 0
  rows_skipped = 0

  readonly #client: pg.ClientBase
  readonly #dataset_id: number
  readonly #kind: DatasetKind
  readonly #defaults: PlaceDefaults
  readonly #data: PostalData
  readonly #places = new Map<string, KnownPlace | SkipReason>()
  readonly #streets = new Map<string, Columns | SkipReason>()
  readonly #aliases = new Set<string>()
  readonly #parts = new Map<number, Part>()
  /** The one that has enough to be sent. */
  #full: Part | undefined
  #sending: Promise<void> | undefined
  #place_at_hand: PlaceAtHand | undefined
  #street_at_hand: { text: string; place: KnownPlace; street: Columns } | undefined
  #at_hand: AtHand | undefined

  constructor(client: pg.ClientBase, dataset_id: number, kind: DatasetKind, defaults: PlaceDefaults, data: PostalData) {
    this.#client = client
    this.#dataset_id = dataset_id
    this.#kind = kind
    this.#defaults = defaults
    this.#data = data
  }

  /** Those of the staging tables that have lines. */
  get buckets(): number[] {
    return [...this.#parts.keys()]
  }

  county(fips: string): void {
    this.counties.add(fips)
  }

  skip(reason: SkipReason): void {
    this.rows_skipped++
    this.skipped[reason] = (this.skipped[reason] ?? 0) + 1
  }

  row(given: Partial<SourceRow> & { street: string; low: string }): void {
    const row = whole(given)
    if (row.street === '') return this.skip('no street name')
    const place = this.#place(row)
    if (typeof place === 'string') return this.skip(place)
    const street = this.#street(row.street, place)
    if (typeof street === 'string') return this.skip(street)
    const unnumbered = row.low === '' && row.high === ''
    const numbers = unnumbered ? null : resolveNumbers(row, place.country)
    if (typeof numbers === 'string') return this.skip(numbers)
    if (unnumbered && this.#kind === 'point') return this.skip('no house number')
    const known = this.#numbersOf(place, street, row)
    if (numbers) place.part.bucket.add(known, numbers.low, numbers.high, numbers.parity)
    this.#look(place.part)
    for (const city of row.also) if (place.postal !== '' && city !== '' && city !== row.city) this.#alias(row, city)
    return undefined
  }

  /** To be awaited between rows; undefined while little is waiting. */
  flush(): Promise<void> | undefined {
    if (this.#full === undefined) return undefined
    const part = this.#full
    this.#full = undefined
    return this.#send(part)
  }

  /** Sends the rest, and resolves when the database has it. */
  async end(): Promise<void> {
    for (const part of this.#parts.values()) await this.#send(part)
    await this.#sending
  }

  /** Waits until nothing is under way any more; what fails then no longer matters. */
  async abandon(): Promise<void> {
    await Promise.allSettled([this.#sending])
  }

  #numbersOf(place: KnownPlace, street: Columns, { esn, psap }: SourceRow): number[] {
    const at_hand = this.#at_hand
    if (at_hand?.place === place && at_hand.street === street && at_hand.esn === esn && at_hand.psap === psap)
      return at_hand.numbers
    const columns = `${place.columns}${street.columns}${copyValue(esn)}\t${copyValue(psap)}\t`
    const numbers = place.part.bucket.street(columns)
    this.#at_hand = { place, street, esn, psap, numbers }
    return numbers
  }

  #look(part: Part): void {
    if (part.bucket.length >= SEND_AT) this.#full = part
  }

  /** Waits for what was sent before, not for this. */
  async #send(part: Part): Promise<void> {
    await this.#sending
    if (part.bucket.length === 0) return
    const lines = Buffer.from(part.bucket.take())
    this.#at_hand = undefined
    this.#sending = this.#copy(part, lines)
    // it is thrown where it is waited for
    this.#sending.catch(() => undefined)
  }

  async #copy(part: Part, lines: Buffer): Promise<void> {
    part.table ??= await createStaging(this.#client, this.#dataset_id, part.number)
    await copyIn(this.#client, `copy ${part.table} from stdin`, lines)
  }

  #part(number: number): Part {
    const known = this.#parts.get(number)
    if (known) return known
    const part = { number, table: null, bucket: new Bucket(this.#kind) }
    this.#parts.set(number, part)
    return part
  }

  #place(row: SourceRow): KnownPlace | SkipReason {
    const last = this.#place_at_hand
    if (last && isSame(row, last)) return last.place
    const found = remembered(this.#places, `${row.country}|${row.state}|${row.postal}|${row.city}`, () => {
      const place = resolvePlace(row, this.#defaults, this.#data)
      if (typeof place === 'string') return place
      const { country, state, postal, city, city_key, derived } = place
      return {
        part: this.#part(bucketOf(postal === '' ? city_key : postal)),
        country,
        state,
        postal,
        columns: `${[country, state, postal, city, city_key, derived ? 't' : 'f'].join('\t')}\t`,
      }
    })
    const { country, state, postal, city } = row
    if (typeof found !== 'string') this.#place_at_hand = { country, state, postal, city, place: found }
    return found
  }

  #street(text: string, place: KnownPlace): Columns | SkipReason {
    const last = this.#street_at_hand
    if (last?.text === text && last.place === place) return last.street
    const found = remembered(this.#streets, `${place.country}${place.state}${text}`, () => {
      const street = resolveStreet(text, place)
      return typeof street === 'string' ? street : { columns: `${street.label}\t${street.key}\t` }
    })
    if (typeof found !== 'string') this.#street_at_hand = { text, place, street: found }
    return found
  }

  /** Another name of the place. */
  #alias(row: SourceRow, city: string): void {
    const place = this.#place({ ...row, city })
    if (typeof place === 'string' || this.#aliases.has(place.columns)) return
    if (this.#aliases.size >= MOST_REMEMBERED) this.#aliases.clear()
    this.#aliases.add(place.columns)
    // a line without a street
    place.part.bucket.street(`${place.columns}\t\t\t\t`)
  }
}

/** Field by field: nothing else is done as often as this. */
const whole = (given: Partial<SourceRow> & { street: string; low: string }): SourceRow => ({
  street: given.street,
  low: given.low,
  high: given.high ?? '',
  parity: given.parity ?? 'any',
  country: given.country ?? '',
  state: given.state ?? '',
  postal: given.postal ?? '',
  city: given.city ?? '',
  also: given.also ?? [],
  esn: given.esn ?? '',
  psap: given.psap ?? '',
})

const isSame = (row: SourceRow, last: PlaceAtHand) =>
  row.postal === last.postal && row.city === last.city && row.state === last.state && row.country === last.country

/** The same for equal names, and spread evenly. */
function bucketOf(name: string): number {
  return crc32(name) % BUCKETS
}

function remembered<T>(memory: Map<string, T>, id: string, make: () => T): T {
  const known = memory.get(id)
  if (known !== undefined) return known
  if (memory.size >= MOST_REMEMBERED) memory.clear()
  const made = make()
  memory.set(id, made)
  return made
}
