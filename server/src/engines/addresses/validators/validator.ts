import type { Alternative, CanonicalAddress } from '../address.ts'
import type { Level } from '../match/accept.ts'

/** The elements of a civic address (RFC 5139) that have a verdict. A1 is the state, A3 the city, PC the postal code. */
export const ELEMENTS = ['country', 'A1', 'PC', 'A3', 'PRD', 'RD', 'STS', 'POD', 'HNO'] as const
export type Element = (typeof ELEMENTS)[number]

/**
 * The verdict of each element in the sense of RFC 5222: checking stops at the first that is invalid, and a number that is
 * only within a range is unchecked, because only the number itself in the data makes it valid.
 */
export interface ElementVerdicts {
  valid: Element[]
  invalid: Element[]
  unchecked: Element[]
}

/** The data of an accepted address: a dataset and its vintage, `postal` for the postal data, or a remote validator. */
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
  /** The data's own city where it is not the postal one of the request, its emergency service zone and answering point; empty where unknown. */
  community: string
  esn: string
  psap: string
}

export interface Correctable {
  kind: 'correct'
  /** The likeliest first. Every one of them is accepted when it is resubmitted. */
  alternatives: Alternative[]
  /** For the account holder, where the alternatives alone do not show it: the street ends before the number. */
  reason?: string
  elements: ElementVerdicts
}

export interface NotGeocodable {
  kind: 'not_geocodable'
  /** For the account holder: the reason and the remedy. */
  reason: string
  elements: ElementVerdicts
}

export interface Unavailable {
  kind: 'unavailable'
  /** For the log. */
  reason: string
}

export type Outcome = Accepted | Correctable | NotGeocodable | Unavailable

/** Validates whether an address exists. Never throws because of what an address contains. */
export interface Validator {
  readonly name: string
  validate(address: CanonicalAddress): Promise<Outcome>
}

/** Alternatives in a response. */
export const ALTERNATIVES_MAX = 5
/** The same where further ones are as likely as the last: in a grid seven streets may differ in their type only. */
export const EQUAL_ALTERNATIVES_MAX = 10
