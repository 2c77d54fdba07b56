import { alternativeAddress, localityOf, type Alternative, type CanonicalAddress } from '../address.ts'
import { coverage, factsOf, findStreet, type Coverage, type Level, type StreetMatch } from '../match/accept.ts'
import {
  alikeStreets,
  endOf,
  likelyAddresses,
  numbersOfStreet,
  preferSameName,
  proposals,
  ranked,
  type Proposal,
} from '../match/alternatives.ts'
import { exactMatches, isUnderAnotherCode, withLocality, unverifiedStreet } from '../match/elsewhere.ts'
import { isNearMiss } from '../match/near-miss.ts'
import { soughtNumbers } from '../match/number-forms.ts'
import type { AreaFact, StreetRow } from '../match/rows.ts'
import { StreetIndex, type Scored } from '../match/street-index.ts'
import type { Streets } from '../match/streets.ts'
import { mailbox } from '../normalize/mailbox.ts'
import { readings } from '../normalize/street.ts'
import { fold } from '../normalize/text.ts'
import {
  areConsistent,
  isBoxesOnly,
  isPostalCity,
  likelyPlaces,
  nearerTowns,
  type PlaceOption,
} from '../postal/check.ts'
import type { PostalData } from '../postal/data.ts'
import { byPostOnly, corrected, mailOnly, onStreet, placeName, refused } from './local-outcomes.ts'
import { meetsMinLevel, belowMinLevel, type MinLevel } from './policy.ts'
import { Reads } from './reads.ts'
import type { StreetLists } from './street-lists.ts'
import { ALTERNATIVES_MAX, EQUAL_ALTERNATIVES_MAX, type Outcome } from './validator.ts'

/** Maximum streets whose numbers are fetched; less likely ones would not be offered. */
const CANDIDATES_MAX = 60
/** Maximum alternatives that are verified before the list is cut. */
const VERIFIED_MAX = 16
/** A score that ends the search within the given code, and is trusted even if the data is incomplete. */
const STRONG_SCORE = 0.8

/** Shared by all validations. */
export interface SearchContext {
  streets: Streets
  lists: StreetLists
  min_level: MinLevel
  defers: boolean
  data: PostalData
}

/** One validation. */
export class Search {
  readonly #shared: SearchContext
  readonly #address: CanonicalAddress
  readonly #reads: Reads

  constructor(shared: SearchContext, address: CanonicalAddress) {
    this.#shared = shared
    this.#address = address
    this.#reads = new Reads(shared.streets, () => shared.data)
  }

  async run(): Promise<Outcome> {
    const address = this.#address
    const mail = mailbox(address.street_text, address)
    if (mail !== undefined) return mailOnly(address, mail)
    const { facts, rows } = await this.#reads.ofAddresses([address])
    if (!areConsistent(address, facts, this.#shared.data)) return this.#searchPlaces(facts, rows)
    const match = await this.#find(address, rows, facts)
    const repeated = match.kind === 'found' ? undefined : await this.#withoutRepeatedNumber()
    if (repeated) return repeated
    const cover = coverage(address, facts)
    if (match.kind === 'found' && (this.#suffices(match.level, cover) || !cover.by_number))
      return this.#accept(match, cover)
    if (cover.covered || isUnderAnotherCode(address, rows)) return this.#searchStreets(facts, rows, cover, match)
    return (
      (await this.#searchNearerTowns(facts)) ??
      (match.kind === 'no_street' ? await this.#searchThinPlace(facts) : undefined) ??
      this.#accept(match, cover)
    )
  }

  /** False if other data became active during the search, so the outcome may mix both. */
  readOneVersion(): Promise<boolean> {
    return this.#reads.areOfOneVersion()
  }

  /** If the street lacks the number, also matches streets of other readings of the same text. */
  async #find(address: CanonicalAddress, rows: readonly StreetRow[], facts: AreaFact[]): Promise<StreetMatch> {
    const match = findStreet(address, rows, facts)
    if (match.kind !== 'found' || match.level !== 'street') return match
    const bases = new Set(readings(address.street_text, address).map(({ base }) => base))
    const more = await this.#reads.ofProbes([...bases].map((base) => ({ ...localityOf(address), base })))
    return findStreet(address, [...rows, ...more.rows], facts)
  }

  /** `30 30 Grove St`: the house number is also at the start of the street, which the data has without it. */
  async #withoutRepeatedNumber(): Promise<Outcome | undefined> {
    const address = this.#address
    const street_name = withoutNumber(address.street_text, address.number.text)
    if (street_name === undefined) return undefined
    const alternative = { ...localityOf(address), street_number: address.number.text, street_name }
    const shorter = alternativeAddress(alternative, address)
    const { facts, rows } = await this.#reads.ofAddresses([shorter])
    const match = await this.#find(shorter, rows, facts)
    if (match.kind !== 'found') return undefined
    const { city, state, country, zip, street_number } = alternative
    const found = {
      alternative: { city, state, country, zip, street_number, street_name: match.row.label },
      score: 1,
      id: '',
    }
    const alternatives = await this.#verified([found])
    return alternatives.length > 0 ? corrected(address, alternatives) : undefined
  }

  /** City and code are consistent, but the street or number was not found. */
  async #searchStreets(facts: AreaFact[], rows: StreetRow[], cover: Coverage, match: StreetMatch): Promise<Outcome> {
    const address = this.#address
    const here: PlaceOption = { ...localityOf(address), cost: 0 }
    const near = [StreetIndex.of(rows), ...(await this.#shared.lists.ofCodes(this.#reads.unconfirmed(), [address]))]
    let found = await this.#propose(near, [here], facts)
    // data without codes can only be found by city
    if ((found[0]?.score ?? 0) < STRONG_SCORE || facts.some(({ postal, streets }) => postal === '' && streets > 0)) {
      const further = await this.#propose(
        await this.#shared.lists.ofCities(this.#reads.unconfirmed(), [address]),
        [here],
        facts,
      )
      found = ranked([...found, ...further])
    }
    const missing = match.kind === 'no_street' ? undefined : this.#missingNumber(match)
    if (missing) found = ranked([...preferSameName(address, found), ...missing.proposals])
    // incomplete data doesn't prove that a street is missing, so only strong scores are trusted
    const doubtful = !cover.complete && match.kind === 'no_street'
    const alternatives = await this.#verified(doubtful ? found.filter(({ score }) => score >= STRONG_SCORE) : found)
    if (alternatives.length > 0) return corrected(address, alternatives, missing?.reason)
    if (doubtful) return this.#accept(match, cover)
    return missing
      ? refused(address, ['HNO'], `${missing.reason} Check the number. If the house is new, tell your carrier.`)
      : refused(
          address,
          ['RD'],
          `No street like ${address.street.label} is known in ${placeName(address)}. Check the street, city, and postal code. If the street is new, tell your carrier.`,
        )
  }

  /** For a place without data: a town nearer to the code, in data without codes, that has the exact address. */
  async #searchNearerTowns(facts: AreaFact[]): Promise<Outcome | undefined> {
    const address = this.#address
    if (isPostalCity(address, this.#shared.data)) return undefined
    const all = await this.#shared.lists.communities(this.#reads.unconfirmed(), address)
    const options = nearerTowns(address, all, this.#shared.data)
    if (options.length === 0) return undefined
    const { rows, facts: more } = await this.#reads.ofAddresses(options.map((option) => withLocality(address, option)))
    const found = exactMatches(address, options, rows, [...facts, ...more])
    const alternatives = await this.#verified(found)
    return alternatives.length > 0 ? corrected(address, alternatives) : undefined
  }

  /** In a place with little data, a missing street proves nothing, but one with a single error is offered if it has the number. */
  async #searchThinPlace(facts: AreaFact[]): Promise<Outcome | undefined> {
    const address = this.#address
    const there = factsOf(address, facts)
    if (there.length === 0) return undefined
    const version = this.#reads.unconfirmed()
    const { lists } = this.#shared
    const by_city = there.some(({ postal }) => postal === '') ? await lists.ofCities(version, [address]) : []
    const streets = [...(await lists.ofCodes(version, [address])), ...by_city]
    const found = await this.#propose(streets, [{ ...localityOf(address), cost: 0 }], facts)
    const alternatives = await this.#verified(found.filter(({ alternative }) => isNearMiss(address, alternative)))
    return alternatives.length > 0 ? corrected(address, alternatives) : undefined
  }

  /** Numbers of the given street to offer instead, and a sentence about the missing one. */
  #missingNumber(match: Exclude<StreetMatch, { kind: 'no_street' }>) {
    const address = this.#address
    // in a gap, the number may exist on another street of the name
    const nearest = match.kind === 'found' || match.status === 'outside'
    return {
      proposals: numbersOfStreet(address, match.rows, localityOf(address), nearest),
      reason: `${match.row.label} exists in ${placeName(address)}, but number ${address.number.text} was not found${endOf(match.rows, address)}.`,
    }
  }

  /** City, state, and code contradict each other; the street may show which is wrong. */
  async #searchPlaces(facts: AreaFact[], rows: StreetRow[]): Promise<Outcome> {
    const address = this.#address
    const [codes, cities] = await Promise.all([
      this.#shared.streets.codesLike(address),
      this.#shared.lists.communities(this.#reads.unconfirmed(), address),
    ])
    const options = likelyPlaces(address, facts, { codes, communities: cities }, this.#shared.data)
    const moved = options.map((option) => withLocality(address, option))
    const more = await this.#reads.ofAddresses(moved)
    const allFacts = [...facts, ...more.facts]
    const allRows = [...rows, ...more.rows]
    let found = exactMatches(address, options, allRows, allFacts)
    if (found.length === 0) found = await this.#propose([StreetIndex.of(allRows)], options, allFacts)
    if ((found[0]?.score ?? 0) < STRONG_SCORE) {
      const streets = [
        ...(await this.#shared.lists.ofCodes(this.#reads.unconfirmed(), [address, ...options])),
        ...(await this.#shared.lists.ofCities(this.#reads.unconfirmed(), [address, ...options])),
      ]
      found = ranked([...found, ...(await this.#propose(streets, options, allFacts))])
    }
    const unchecked = options.filter((option) => !coverage(option, allFacts).covered)
    if (found.length === 0) found = ranked(unchecked.map((option) => unverifiedStreet(address, option)))
    const alternatives = await this.#verified(found)
    if (alternatives.length > 0) return corrected(address, alternatives)
    const reason = isBoxesOnly(address, facts, this.#shared.data)
      ? `${address.zip} is a mail-only ZIP code that no house has. Use the ZIP code of the street.`
      : `${placeName(address)}: the city, state, and postal code don't match, and no likely correction was found. Check all three.`
    return refused(address, ['PC'], reason)
  }

  /** Scores streets by name, fetches the numbers of the best, and proposes those that have the number. */
  async #propose(
    streets: readonly StreetIndex[],
    places: readonly PlaceOption[],
    facts: readonly AreaFact[],
  ): Promise<Proposal[]> {
    const alike = alikeStreets(this.#address, streets, CANDIDATES_MAX)
    const rows = await this.#reads.numbered(
      alike.map(({ row }) => row),
      soughtNumbers(this.#address.number),
      likelyAddresses(this.#address, alike, places).slice(0, VERIFIED_MAX),
    )
    const numbered = alike.flatMap(({ row, score }): Scored<StreetRow>[] => {
      const full = rows.get(row.id)
      return full ? [{ row: full, score }] : []
    })
    return proposals(this.#address, numbered, places, facts)
  }

  /** The proposals that would be accepted if resubmitted; only these may be offered. */
  async #verified(found: readonly Proposal[]): Promise<Alternative[]> {
    const candidates = found.slice(0, VERIFIED_MAX)
    if (candidates.length === 0) return []
    const addresses = candidates.map(({ alternative }) => alternativeAddress(alternative, this.#address))
    const { facts, rows } = await this.#reads.ofAddresses(addresses)
    const accepted = await Promise.all(addresses.map((address) => this.#isAccepted(address, facts, rows)))
    return shown(candidates.filter((_, i) => accepted[i] === true)).map(({ alternative }) => alternative)
  }

  async #isAccepted(address: CanonicalAddress, facts: AreaFact[], rows: StreetRow[]): Promise<boolean> {
    if (!areConsistent(address, facts, this.#shared.data)) return false
    const match = await this.#find(address, rows, facts)
    const cover = coverage(address, facts)
    if (match.kind === 'found') return this.#suffices(match.level, cover)
    return !cover.covered && this.#suffices('postal', cover)
  }

  #suffices(level: Level, cover: Coverage): boolean {
    const { defers, min_level } = this.#shared
    return (defers && level === 'postal') || meetsMinLevel(level, min_level, cover)
  }

  #accept(match: StreetMatch, cover: Coverage): Outcome {
    const level = match.kind === 'found' ? match.level : 'postal'
    if (!this.#suffices(level, cover)) return belowMinLevel(this.#address.street, level, this.#shared.min_level)
    return match.kind === 'found' ? onStreet(this.#address, match.level, match.row) : byPostOnly(this.#address)
  }
}

/** The street without the house number before it; undefined if it has none, or is only a number. */
function withoutNumber(street: string, number: string): string | undefined {
  const [first, ...rest] = fold(street).split(' ')
  return first === number && rest.length > 0 ? rest.join(' ') : undefined
}

/** The most likely ones, and others that tie with the last of them. */
function shown(found: readonly Proposal[]): Proposal[] {
  const least = found[ALTERNATIVES_MAX - 1]?.score ?? 0
  return found.filter(({ score }, i) => i < ALTERNATIVES_MAX || score === least).slice(0, EQUAL_ALTERNATIVES_MAX)
}
