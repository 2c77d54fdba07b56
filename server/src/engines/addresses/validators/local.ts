import { alternativeAddress, canonicalKey, type Alternative, type CanonicalAddress, type Locality } from '../address.ts'
import { coverage, findStreet, type Coverage, type Level, type StreetMatch } from '../match/accept.ts'
import { alikeStreets, proposals, ranked, type Proposal } from '../match/alternatives.ts'
import { exactMatches, isUnderAnotherCode, withLocality, localityOf, unverifiedStreet } from '../match/elsewhere.ts'
import { acceptedElements, differing, present, refusedElements } from '../match/elements.ts'
import type { AreaFact, StreetRow } from '../match/rows.ts'
import { StreetIndex, type Scored } from '../match/street-index.ts'
import { mailbox } from '../normalise/mailbox.ts'
import { parseStreet, readings } from '../normalise/street.ts'
import { areConsistent, likelyPlaces, type PlaceOption } from '../postal/check.ts'
import { postalData, type PostalData } from '../postal/data.ts'
import type { Found, Probe, Streets } from '../match/streets.ts'
import { meetsMinLevel, belowMinLevel, type MinLevel } from './policy.ts'
import { StreetLists } from './street-lists.ts'
import {
  ALTERNATIVES_MAX,
  EQUAL_ALTERNATIVES_MAX,
  type Accepted,
  type Element,
  type NotGeocodable,
  type Outcome,
  type Validator,
} from './validator.ts'

/** Streets whose numbers are fetched; less likely ones would not be offered. */
const CANDIDATES_MAX = 60
/** Alternatives that are verified before the list is cut. */
const VERIFIED_MAX = 16
/** A score with which the search does not go beyond the given code, and is trusted against incomplete data. */
const STRONG_SCORE = 0.8
const POSTAL_SOURCE = { name: 'postal', vintage: '' }

export interface LocalOptions {
  streets: Streets
  min_level: MinLevel
  /** Accepts at level `postal` where no data covers the address, even if more is required: a remote validator decides then. */
  defers?: boolean
  /** For tests; default that of the service. */
  data?: PostalData
}

/** Validates against the postal data and the active datasets. */
export function localValidator({ streets, min_level, defers = false, data }: LocalOptions): Validator {
  const lists = new StreetLists(streets)
  const shared: Shared = {
    streets,
    lists,
    min_level,
    defers,
    // at the first validation, because loading takes long and many processes never validate
    get data() {
      return data ?? postalData()
    },
  }
  return {
    name: 'local',
    async validate(address) {
      for (;;) {
        const search = new Search(shared, address)
        const outcome = await search.run()
        if (await search.readOneVersion()) return outcome
      }
    },
  }
}

interface Shared extends Required<LocalOptions> {
  lists: StreetLists
}

/** One validation. */
class Search {
  readonly #shared: Shared
  readonly #address: CanonicalAddress
  /** Versions of the data that lookups returned. */
  readonly #versions: string[] = []
  /** Whether anything was read by statements that return no version. */
  #searched = false

  constructor(shared: Shared, address: CanonicalAddress) {
    this.#shared = shared
    this.#address = address
  }

  async run(): Promise<Outcome> {
    const address = this.#address
    const mail = mailbox(address.street_text, address)
    if (mail !== undefined) return mailOnly(address, mail)
    const { facts, rows } = await this.#lookUpAddresses([address])
    if (!areConsistent(address, facts, this.#shared.data)) return this.#searchPlaces(facts, rows)
    const match = await this.#find(address, rows, facts)
    const cover = coverage(address, facts)
    const elsewhere = !cover.covered && isUnderAnotherCode(address, rows)
    if (match.kind === 'found' || (!cover.covered && !elsewhere)) return this.#accept(match)
    return this.#searchStreets(facts, rows, cover, match)
  }

  /** False when other data became active between the first statement and the last: the outcome may mix both. */
  async readOneVersion(): Promise<boolean> {
    if (!this.#searched && this.#versions.length <= 1) return true
    return new Set([...this.#versions, await this.#shared.streets.dataVersion()]).size === 1
  }

  #lookUpAddresses(addresses: readonly CanonicalAddress[]): Promise<Found> {
    return this.#lookUp(
      addresses.flatMap((one) =>
        [one.street, ...one.street.other_readings].map(({ base }) => ({ ...localityOf(one), base })),
      ),
    )
  }

  async #lookUp(probes: readonly Probe[]): Promise<Found> {
    const found = await this.#shared.streets.lookUp(probes)
    this.#versions.push(found.version)
    return found
  }

  /** Where the street lacks the number, streets of other readings of the same text are matched too. */
  async #find(address: CanonicalAddress, rows: readonly StreetRow[], facts: AreaFact[]): Promise<StreetMatch> {
    const match = findStreet(address, rows, facts)
    if (match.kind !== 'found' || match.level !== 'street') return match
    const bases = new Set(readings(address.street_text, address).map(({ base }) => base))
    const more = await this.#lookUp([...bases].map((base) => ({ ...localityOf(address), base })))
    return findStreet(address, [...rows, ...more.rows], facts)
  }

  /** City and code are consistent, the street or its number is not found. */
  async #searchStreets(facts: AreaFact[], rows: StreetRow[], cover: Coverage, match: StreetMatch): Promise<Outcome> {
    this.#searched = true
    const address = this.#address
    const here: PlaceOption = { ...localityOf(address), cost: 0 }
    const near = [new StreetIndex(rows), ...(await this.#shared.lists.ofCodes([address]))]
    let found = await this.#propose(near, [here], facts)
    // data without codes is found only by its city
    if ((found[0]?.score ?? 0) < STRONG_SCORE || facts.some(({ postal, streets }) => postal === '' && streets > 0)) {
      const further = await this.#propose(await this.#shared.lists.ofCities([address]), [here], facts)
      found = ranked([...found, ...further])
    }
    // data that is incomplete in this code does not prove that a street is absent; only strong scores are trusted
    const doubtful = !cover.complete && match.kind === 'no_street'
    const alternatives = await this.#verified(doubtful ? found.filter(({ score }) => score >= STRONG_SCORE) : found)
    if (alternatives.length > 0) return this.#correct(alternatives)
    if (doubtful) return this.#accept(match)
    return match.kind === 'no_number'
      ? this.#refused(
          ['HNO'],
          `${match.row.label} is known in ${name(address)}, number ${address.number.text} is not. Check the number; if the house is new, tell your carrier.`,
        )
      : this.#refused(
          ['RD'],
          `No street like ${address.street.label} is known in ${name(address)}. Check street, city and postal code; if the street is new, tell your carrier.`,
        )
  }

  /** City, state and code contradict each other: the street may show which of them is wrong. */
  async #searchPlaces(facts: AreaFact[], rows: StreetRow[]): Promise<Outcome> {
    this.#searched = true
    const address = this.#address
    const { country, state } = address
    const [codes, cities] = await Promise.all([
      this.#shared.streets.codesLike(address),
      this.#shared.streets.communities(country, state),
    ])
    const options = likelyPlaces(address, facts, { codes, communities: cities }, this.#shared.data)
    const moved = options.map((option) => withLocality(address, option))
    const more = await this.#lookUpAddresses(moved)
    const allFacts = [...facts, ...more.facts]
    const allRows = [...rows, ...more.rows]
    let found = exactMatches(address, options, allRows, allFacts)
    if (found.length === 0) found = await this.#propose([new StreetIndex(allRows)], options, allFacts)
    if ((found[0]?.score ?? 0) < STRONG_SCORE) {
      const streets = [
        ...(await this.#shared.lists.ofCodes([address, ...options])),
        ...(await this.#shared.lists.ofCities([address, ...options])),
      ]
      found = ranked([...found, ...(await this.#propose(streets, options, allFacts))])
    }
    const unchecked = options.filter((option) => !coverage(option, allFacts).covered)
    if (found.length === 0) found = ranked(unchecked.map((option) => unverifiedStreet(address, option)))
    const alternatives = await this.#verified(found)
    if (alternatives.length > 0) return this.#correct(alternatives)
    const reason = `${name(address)}: city, state and postal code do not go together, and no likely correction was found. Check all three.`
    return this.#refused(['PC'], reason)
  }

  /** Scores streets by name, fetches the numbers of the best and proposes those that have the number. */
  async #propose(
    streets: readonly StreetIndex[],
    places: readonly PlaceOption[],
    facts: readonly AreaFact[],
  ): Promise<Proposal[]> {
    const alike = alikeStreets(this.#address, streets, CANDIDATES_MAX)
    const ids = alike.map(({ row }) => row.id)
    const rows = new Map(
      (await this.#shared.streets.streetsWithNumber(ids, this.#address.number.compare)).map((row) => [row.id, row]),
    )
    const numbered = alike.flatMap(({ row, score }): Scored<StreetRow>[] => {
      const full = rows.get(row.id)
      return full ? [{ row: full, score }] : []
    })
    return proposals(this.#address, numbered, places, facts)
  }

  /** Those that would be accepted when resubmitted: nothing else may be offered. */
  async #verified(found: readonly Proposal[]): Promise<Alternative[]> {
    const candidates = found.slice(0, VERIFIED_MAX)
    if (candidates.length === 0) return []
    const addresses = candidates.map(({ alternative }) => alternativeAddress(alternative, this.#address))
    const { facts, rows } = await this.#lookUpAddresses(addresses)
    const accepted = await Promise.all(addresses.map((address) => this.#isAccepted(address, facts, rows)))
    return shown(candidates.filter((_, i) => accepted[i] === true)).map(({ alternative }) => alternative)
  }

  async #isAccepted(address: CanonicalAddress, facts: AreaFact[], rows: StreetRow[]): Promise<boolean> {
    if (!areConsistent(address, facts, this.#shared.data)) return false
    const match = await this.#find(address, rows, facts)
    if (match.kind === 'found') return this.#suffices(match.level)
    const cover = coverage(address, facts)
    return !cover.covered && this.#suffices('postal')
  }

  #suffices(level: Level): boolean {
    const { defers, min_level } = this.#shared
    return (defers && level === 'postal') || meetsMinLevel(level, min_level)
  }

  #accept(match: StreetMatch): Outcome {
    const level = match.kind === 'found' ? match.level : 'postal'
    if (!this.#suffices(level)) return belowMinLevel(this.#address.street, level, this.#shared.min_level)
    return match.kind === 'found' ? this.#onStreet(match.level, match.row) : this.#byPostOnly()
  }

  #onStreet(level: Level, row: StreetRow): Accepted {
    const address = this.#address
    const street = parseStreet(row.label, address)
    return {
      kind: 'ok',
      level,
      source: { name: row.dataset, vintage: row.vintage },
      elements: acceptedElements(street, level),
      key: canonicalKey({ ...address, street }),
      community: row.city_derived || row.city_key === address.city_key ? '' : row.city,
      esn: row.esn,
      psap: row.psap,
    }
  }

  #byPostOnly(): Accepted {
    const address = this.#address
    const elements = acceptedElements(address.street, 'postal')
    const key = canonicalKey(address)
    return { kind: 'ok', level: 'postal', source: POSTAL_SOURCE, elements, key, community: '', esn: '', psap: '' }
  }

  #correct(alternatives: Alternative[]): Outcome {
    const [first] = alternatives
    const invalid = first ? differing(this.#address, first) : []
    return { kind: 'correct', alternatives, elements: refusedElements(this.#address.street, invalid) }
  }

  #refused(invalid: Element[], reason: string): NotGeocodable {
    return { kind: 'not_geocodable', reason, elements: refusedElements(this.#address.street, invalid) }
  }
}

/** The likeliest, and those with the same score as the last of them. */
function shown(found: readonly Proposal[]): Proposal[] {
  const least = found[ALTERNATIVES_MAX - 1]?.score ?? 0
  return found.filter(({ score }, i) => i < ALTERNATIVES_MAX || score === least).slice(0, EQUAL_ALTERNATIVES_MAX)
}

/** Needs no lookup. */
function mailOnly(address: CanonicalAddress, kind: string): NotGeocodable {
  const unchecked = present(address.street).filter((element) => element !== 'RD')
  const reason = `This is ${kind}. Give the street address where somebody can be found.`
  return { kind: 'not_geocodable', reason, elements: { valid: [], invalid: ['RD'], unchecked } }
}

function name({ city, state, zip }: Locality): string {
  return `${city}, ${state} ${zip}`
}
