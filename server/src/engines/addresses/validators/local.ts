import { alternativeAddress, canonicalKey, type Alternative, type CanonicalAddress, type Locality } from '../address.ts'
import { coverage, findStreet, type Coverage, type Level, type StreetVerdict } from '../match/accept.ts'
import { alikeStreets, proposals, ranked, type Proposal } from '../match/alternatives.ts'
import { exactly, isElsewhere, movedTo, place, unseen } from '../match/elsewhere.ts'
import { acceptedElements, differing, present, refusedElements } from '../match/elements.ts'
import type { AreaFact, StreetRow } from '../match/rows.ts'
import { StreetIndex, type Scored } from '../match/street-index.ts'
import { mailbox } from '../normalise/mailbox.ts'
import { parseStreet, readings } from '../normalise/street.ts'
import { goTogether, likelyPlaces, type PlaceOption } from '../postal/check.ts'
import { postalData, type PostalData } from '../postal/data.ts'
import type { Found, Probe, Streets } from '../match/streets.ts'
import { suffices, tooShallow, type MinLevel } from './policy.ts'
import { StreetLists } from './street-lists.ts'
import {
  MOST_ALTERNATIVES,
  MOST_EQUAL_ALTERNATIVES,
  type Accepted,
  type Element,
  type NotGeocodable,
  type Outcome,
  type Validator,
} from './validator.ts'

/** Streets of which the numbers are fetched; those behind have no chance to be shown. */
const MOST_CANDIDATES = 60
/** Alternatives that are tried before the list is cut. */
const MOST_TRIED = 16
/** A likeness that settles the search without looking beyond the typed code, or against incomplete data. */
const STRONG = 0.8
const POSTAL_SOURCE = { name: 'postal', vintage: '' }

export interface LocalOptions {
  streets: Streets
  min_level: MinLevel
  /** Answers `postal` where no data covers the address even if more is required: somebody else is asked then. */
  defers?: boolean
  /** For tests; default what ships with the service. */
  data?: PostalData
}

/** Validates against the shipped postal data and the active datasets. */
export function localValidator({ streets, min_level, defers = false, data = postalData() }: LocalOptions): Validator {
  const shared: Shared = { streets, lists: new StreetLists(streets), min_level, defers, data }
  return {
    name: 'local',
    async validate(address) {
      for (;;) {
        const search = new Search(shared, address)
        const outcome = await search.run()
        if (await search.sawOneState()) return outcome
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
  /** Versions of the data that were looked at. */
  readonly #versions: string[] = []
  /** Whether anything was read by other statements than these looks. */
  #searched = false

  constructor(shared: Shared, address: CanonicalAddress) {
    this.#shared = shared
    this.#address = address
  }

  async run(): Promise<Outcome> {
    const address = this.#address
    const mail = mailbox(address.street_text, address)
    if (mail !== undefined) return mailOnly(address, mail)
    const { facts, rows } = await this.#look([address])
    if (!goTogether(address, facts, this.#shared.data)) return this.#searchPlaces(facts, rows)
    const verdict = await this.#find(address, rows, facts)
    const cover = coverage(address, facts)
    const elsewhere = !cover.covered && isElsewhere(address, rows)
    if (verdict.kind === 'found' || (!cover.covered && !elsewhere)) return this.#accept(verdict)
    return this.#searchStreets(facts, rows, cover, verdict)
  }

  /** False when other data became active between the first statement and the last: what was found may be of neither. */
  async sawOneState(): Promise<boolean> {
    if (!this.#searched && this.#versions.length <= 1) return true
    return new Set([...this.#versions, await this.#shared.streets.dataVersion()]).size === 1
  }

  #look(addresses: readonly CanonicalAddress[]): Promise<Found> {
    return this.#lookUp(
      addresses.flatMap((one) => [one.street, ...one.street.also].map(({ base }) => ({ ...place(one), base }))),
    )
  }

  async #lookUp(probes: readonly Probe[]): Promise<Found> {
    const found = await this.#shared.streets.lookUp(probes)
    this.#versions.push(found.version)
    return found
  }

  /** Where the street lacks the number, those that the same words may name are looked at too. */
  async #find(address: CanonicalAddress, rows: readonly StreetRow[], facts: AreaFact[]): Promise<StreetVerdict> {
    const verdict = findStreet(address, rows, facts)
    if (verdict.kind !== 'found' || verdict.level !== 'street') return verdict
    const bases = new Set(readings(address.street_text, address).map(({ base }) => base))
    const more = await this.#lookUp([...bases].map((base) => ({ ...place(address), base })))
    return findStreet(address, [...rows, ...more.rows], facts)
  }

  /** The place is right, the street or its number is not. */
  async #searchStreets(
    facts: AreaFact[],
    rows: StreetRow[],
    cover: Coverage,
    verdict: StreetVerdict,
  ): Promise<Outcome> {
    this.#searched = true
    const address = this.#address
    const here: PlaceOption = { ...place(address), cost: 0 }
    const near = [new StreetIndex(rows), ...(await this.#shared.lists.ofCodes([address]))]
    let found = await this.#propose(near, [here], facts)
    // data without codes is known by its city alone
    if ((found[0]?.score ?? 0) < STRONG || facts.some(({ postal, streets }) => postal === '' && streets > 0)) {
      const further = await this.#propose(await this.#shared.lists.ofCities([address]), [here], facts)
      found = ranked([...found, ...further])
    }
    // data that is known to end within this code has no say on streets it lacks, save where the likeness is plain
    const doubtful = !cover.complete && verdict.kind === 'no_street'
    const alternatives = await this.#verified(doubtful ? found.filter(({ score }) => score >= STRONG) : found)
    if (alternatives.length > 0) return this.#correct(alternatives)
    if (doubtful) return this.#accept(verdict)
    return verdict.kind === 'no_number'
      ? this.#refused(
          ['HNO'],
          `${verdict.row.label} is known in ${name(address)}, number ${address.number.text} is not. Check the number; if the house is new, tell your carrier.`,
        )
      : this.#refused(
          ['RD'],
          `No street like ${address.street.label} is known in ${name(address)}. Check street, city and postal code; if the street is new, tell your carrier.`,
        )
  }

  /** City, state and code contradict each other: the street may tell which of them is meant. */
  async #searchPlaces(facts: AreaFact[], rows: StreetRow[]): Promise<Outcome> {
    this.#searched = true
    const address = this.#address
    const { country, state } = address
    const [codes, cities] = await Promise.all([
      this.#shared.streets.codesLike(address),
      this.#shared.streets.communities(country, state),
    ])
    const options = likelyPlaces(address, facts, { codes, communities: cities }, this.#shared.data)
    const moved = options.map((option) => movedTo(address, option))
    const more = await this.#look(moved)
    const allFacts = [...facts, ...more.facts]
    const allRows = [...rows, ...more.rows]
    let found = exactly(address, options, allRows, allFacts)
    if (found.length === 0) found = await this.#propose([new StreetIndex(allRows)], options, allFacts)
    if ((found[0]?.score ?? 0) < STRONG) {
      const streets = [
        ...(await this.#shared.lists.ofCodes([address, ...options])),
        ...(await this.#shared.lists.ofCities([address, ...options])),
      ]
      found = ranked([...found, ...(await this.#propose(streets, options, allFacts))])
    }
    const unchecked = options.filter((option) => !coverage(option, allFacts).covered)
    if (found.length === 0) found = ranked(unchecked.map((option) => unseen(address, option)))
    const alternatives = await this.#verified(found)
    if (alternatives.length > 0) return this.#correct(alternatives)
    const why = `${name(address)}: city, state and postal code do not go together, and no likely correction was found. Check all three.`
    return this.#refused(['PC'], why)
  }

  /** Scores streets by name, fetches the numbers of the best and keeps those that have the number. */
  async #propose(
    streets: readonly StreetIndex[],
    places: readonly PlaceOption[],
    facts: readonly AreaFact[],
  ): Promise<Proposal[]> {
    const alike = alikeStreets(this.#address, streets, MOST_CANDIDATES)
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

  /** Those that would be accepted if they were sent back: nothing else may be offered. */
  async #verified(found: readonly Proposal[]): Promise<Alternative[]> {
    const tried = found.slice(0, MOST_TRIED)
    if (tried.length === 0) return []
    const addresses = tried.map(({ alternative }) => alternativeAddress(alternative, this.#address))
    const { facts, rows } = await this.#look(addresses)
    const passes = await Promise.all(addresses.map((address) => this.#wouldPass(address, facts, rows)))
    return shown(tried.filter((_, i) => passes[i] === true)).map(({ alternative }) => alternative)
  }

  async #wouldPass(address: CanonicalAddress, facts: AreaFact[], rows: StreetRow[]): Promise<boolean> {
    if (!goTogether(address, facts, this.#shared.data)) return false
    const verdict = await this.#find(address, rows, facts)
    if (verdict.kind === 'found') return this.#suffices(verdict.level)
    const cover = coverage(address, facts)
    return !cover.covered && this.#suffices('postal')
  }

  #suffices(level: Level): boolean {
    const { defers, min_level } = this.#shared
    return (defers && level === 'postal') || suffices(level, min_level)
  }

  #accept(verdict: StreetVerdict): Outcome {
    const level = verdict.kind === 'found' ? verdict.level : 'postal'
    if (!this.#suffices(level)) return tooShallow(this.#address.street, level, this.#shared.min_level)
    return verdict.kind === 'found' ? this.#onStreet(verdict.level, verdict.row) : this.#byPostOnly()
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

  #refused(invalid: Element[], why: string): NotGeocodable {
    return { kind: 'not_geocodable', why, elements: refusedElements(this.#address.street, invalid) }
  }
}

/** The likeliest, and those that are as likely as the last of them. */
function shown(found: readonly Proposal[]): Proposal[] {
  const least = found[MOST_ALTERNATIVES - 1]?.score ?? 0
  return found.filter(({ score }, i) => i < MOST_ALTERNATIVES || score === least).slice(0, MOST_EQUAL_ALTERNATIVES)
}

/** Before anything is looked up. */
function mailOnly(address: CanonicalAddress, kind: string): NotGeocodable {
  const unchecked = present(address.street).filter((element) => element !== 'RD')
  const why = `This is ${kind}. Give the street address where somebody can be found.`
  return { kind: 'not_geocodable', why, elements: { valid: [], invalid: ['RD'], unchecked } }
}

function name({ city, state, zip }: Locality): string {
  return `${city}, ${state} ${zip}`
}
