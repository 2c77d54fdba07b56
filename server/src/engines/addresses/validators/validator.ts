import type { Alternative, CanonicalAddress } from '../address.ts'
import type { Level } from '../match/accept.ts'

/** The elements of a civic address (RFC 5139) that get a verdict. A1 is the state, A3 the city, PC the postal code. */
export const ELEMENTS = ['country', 'A1', 'PC', 'A3', 'PRD', 'RD', 'STS', 'POD', 'HNO'] as const
export type Element = (typeof ELEMENTS)[number]

/**
 * The verdict of each element as in RFC 5222. Checking stops at the first invalid element. A number within a range is unchecked;
 * only the number itself in the data is valid.
 */
export interface ElementVerdicts {
  valid: Element[]
  invalid: Element[]
  unchecked: Element[]
}

/** What an address was accepted by: a dataset and its vintage, `postal` for the postal data, or a remote validator. */
export interface Source {
  name: string
  vintage: string
}

export interface Accepted {
  kind: 'ok'
  level: Level
  source: Source
  elements: ElementVerdicts
  /** The `canonicalKey` with the street as the data spells it. */
  key: string
  /** The city of the data if it isn't the requested postal city; emergency service zone; answering point. Empty if unknown. */
  community: string
  esn: string
  psap: string
}

export interface Correctable {
  kind: 'correct'
  /** Most likely first. Each is accepted if resubmitted. */
  alternatives: Alternative[]
  /** For the customer, if the alternatives don't show it: the street ends before the number. */
  reason?: string
  elements: ElementVerdicts
}

export interface NotGeocodable {
  kind: 'not_geocodable'
  /** For the customer: the reason and the remedy. */
  reason: string
  elements: ElementVerdicts
}

export interface Unavailable {
  kind: 'unavailable'
  /** For the log. */
  reason: string
}

export type Outcome = Accepted | Correctable | NotGeocodable | Unavailable

/** Validates that an address exists. Never throws because of the address's content. */
export interface Validator {
  readonly name: string
  validate(address: CanonicalAddress): Promise<Outcome>
}

/** Maximum alternatives in a response. */
export const ALTERNATIVES_MAX = 5
/** Maximum with ties: in a grid, seven streets may differ only in their type. */
export const EQUAL_ALTERNATIVES_MAX = 10
