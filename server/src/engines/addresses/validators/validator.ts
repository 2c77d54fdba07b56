import type { Alternative, CanonicalAddress } from '../address.ts'
import type { Level } from '../match/accept.ts'

/** The elements of a civic address (RFC 5139) that a verdict speaks of. A1 is the state, A3 the city, PC the postal code. */
export const ELEMENTS = ['country', 'A1', 'PC', 'A3', 'PRD', 'RD', 'STS', 'POD', 'HNO'] as const
export type Element = (typeof ELEMENTS)[number]

/**
 * What was found of each element, as RFC 5222 means it: checking stops at the first that is invalid, and a number that
 * merely lies in a range is unchecked, for only the number itself in the data makes it valid.
 */
export interface ElementVerdicts {
  valid: Element[]
  invalid: Element[]
  unchecked: Element[]
}

/** Who vouches for a verdict: a dataset and its vintage, `postal` for the shipped data, or a remote provider. */
export interface Source {
  name: string
  vintage: string
}

export interface Accepted {
  kind: 'ok'
  level: Level
  source: Source
  elements: ElementVerdicts
  /** Equal for equal places, see `canonicalKey`; of the street as the data has it. */
  key: string
  /** The data's own city where it is not the postal one that was typed, and who answers there; empty where unknown. */
  community: string
  esn: string
  psap: string
}

export interface Correctable {
  kind: 'correct'
  /** The likeliest first, at most `MOST_ALTERNATIVES`. Every one of them is accepted when it is sent back. */
  alternatives: Alternative[]
  elements: ElementVerdicts
}

export interface NotGeocodable {
  kind: 'not_geocodable'
  /** For the account holder: the reason and the way out. */
  why: string
  elements: ElementVerdicts
}

export interface Unavailable {
  kind: 'unavailable'
  /** For the log. */
  why: string
}

export type Outcome = Accepted | Correctable | NotGeocodable | Unavailable

/** Whoever can tell whether an address exists. Never throws for what an address may contain. */
export interface Validator {
  readonly name: string
  validate(address: CanonicalAddress): Promise<Outcome>
}

/** How many alternatives are shown at most, */
export const MOST_ALTERNATIVES = 5
/** and at most where those behind are just as likely: in a grid seven streets may differ in nothing but their type. */
export const MOST_EQUAL_ALTERNATIVES = 10
