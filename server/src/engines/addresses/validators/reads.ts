import { localityOf, type CanonicalAddress } from '../address.ts'
import type { AreaFact, ListedStreet, StreetRow } from '../match/rows.ts'
import type { Probe, Streets } from '../match/streets.ts'
import { postalNames } from '../postal/check.ts'
import type { PostalData } from '../postal/data.ts'

/** Everything a validation has read so far, which may be more than the caller requested. */
export interface LookedUp {
  facts: AreaFact[]
  rows: StreetRow[]
}

/** The street reads of one validation. Nothing is read twice, because each read is a round trip to the database. */
export class Reads {
  readonly #streets: Streets
  /** A function, because the postal data is loaded on first use. */
  readonly #data: () => PostalData
  readonly #probes = new Set<string>()
  readonly #facts: AreaFact[] = []
  readonly #rows = new Map<string, StreetRow>()
  /** Data versions that lookups returned. */
  readonly #versions = new Set<string>()
  /** The last of them. */
  #version = ''
  /** Whether a statement that returns no version has run since. */
  #is_unconfirmed = false

  constructor(streets: Streets, data: () => PostalData) {
    this.#streets = streets
    this.#data = data
  }

  /** The places of the addresses, and every street with one of their names, in all readings. */
  ofAddresses(addresses: readonly CanonicalAddress[]): Promise<LookedUp> {
    return this.ofProbes(probesOf(addresses))
  }

  async ofProbes(probes: readonly Probe[]): Promise<LookedUp> {
    const missing = this.#missing(probes)
    if (missing.length > 0) await this.#lookUp(missing)
    return { facts: [...this.#facts], rows: [...this.#rows.values()] }
  }

  /** The streets that may have one of the numbers, by id. `likely` are addresses to look up in the same round trip. */
  async numbered(
    streets: readonly ListedStreet[],
    numbers: readonly number[],
    likely: readonly CanonicalAddress[],
  ): Promise<ReadonlyMap<string, StreetRow>> {
    const missing = this.#missing(probesOf(likely))
    const found = new Set(missing.map(({ zip, base }) => `${zip}|${base}`))
    const ids = streets
      .filter(({ id, postal, key }) => !this.#rows.has(id) && !found.has(`${postal}|${key.slice(0, key.indexOf('|'))}`))
      .map(({ id }) => id)
    if (ids.length > 0 || missing.length > 0) await this.#lookUp(missing, { ids, numbers })
    return this.#rows
  }

  /** The last seen version, for a read whose statement returns none. */
  unconfirmed(): string {
    this.#is_unconfirmed = true
    return this.#version
  }

  /** False if other data became active between the first and last statement, so the outcome may mix both. */
  async areOfOneVersion(): Promise<boolean> {
    if (this.#is_unconfirmed) this.#versions.add(await this.#streets.dataVersion())
    return this.#versions.size <= 1
  }

  #missing(probes: readonly Probe[]): Probe[] {
    return [...new Map(probes.map((probe) => [idOf(probe), probe]))].flatMap(([id, probe]) =>
      this.#probes.has(id) ? [] : [probe],
    )
  }

  async #lookUp(probes: readonly Probe[], numbered?: { ids: readonly string[]; numbers: readonly number[] }) {
    const { version, facts, rows } = await this.#streets.lookUp(probes, numbered)
    this.#versions.add(version)
    this.#version = version
    this.#is_unconfirmed = false
    for (const probe of probes) this.#probes.add(idOf(probe))
    for (const row of rows) this.#rows.set(row.id, row)
    this.#facts.push(...facts, ...postalNames(probes, this.#data()))
  }
}

function probesOf(addresses: readonly CanonicalAddress[]): Probe[] {
  return addresses.flatMap((one) =>
    [one.street, ...one.street.other_readings].map(({ base }) => ({ ...localityOf(one), base })),
  )
}

const idOf = ({ country, state, zip, city_key, base }: Probe): string =>
  `${country}|${state}|${zip}|${city_key}|${base}`
