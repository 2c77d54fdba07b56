import { numbers, portOrders } from '@demarc/client'
import { areaOf } from './area-codes.ts'
import type { Area } from './area-codes.ts'

/** Which numbers can be ported, and why others cannot. Pure: facts about numbers are an argument. */

export type NumberKind = 'local' | 'toll-free'

/** A number that can be ported. `area` is null for toll-free numbers, which are not geographic. */
export interface Portable {
  portable: true
  /** `+1` and ten digits. */
  number: string
  kind: NumberKind
  area: Area | null
  /** The current carrier; null when unknown. */
  carrier: string | null
}

export interface NotPortable {
  portable: false
  /** `+1` and ten digits; null when the text is not a number. */
  number: string | null
  code: portOrders.RejectCode
  reason: string
}

export type Portability = Portable | NotPortable

/** Facts about numbers, keyed by `+1` and ten digits. */
export interface NumberFacts {
  /** On another open port order of the account. */
  readonly on_order: ReadonlySet<string>
  /** On the account already. */
  readonly ours: ReadonlySet<string>
  /** On another account, or on a signed port order of it. Must not be revealed to the customer. */
  readonly elsewhere: ReadonlySet<string>
  /** The current carrier of a number, and whether it releases the number. */
  readonly holdings: ReadonlyMap<string, Holding>
}

export type Holding =
  | { readonly carrier: string; readonly released: true }
  | { readonly carrier: string; readonly released: false; readonly reason: string }

export const noFacts: NumberFacts = {
  on_order: new Set(),
  ours: new Set(),
  elsewhere: new Set(),
  holdings: new Map(),
}

export const onOrderReason = 'The number is on another open port order of the account.'

/** Must not reveal that another account has the number. */
export const unavailableReason = 'The number cannot be ordered now. If it is yours, contact support.'

/** Can this number be ported to us? If not, the first reason why not. */
export function portabilityOf(text: string, facts: NumberFacts = noFacts): Portability {
  const number = portOrders.readNumber(text)
  if (number === null)
    return notPortable(
      null,
      'number_malformed',
      `${quoted(text)} is not a US or Canadian number. Write +1 and ten digits, like +12065550100.`,
    )
  const [code, exchange] = [number.slice(2, 5), number.slice(5, 8)]
  const tollfree = numbers.tollFreeCodes.includes(code)
  const area = tollfree ? null : areaOf(code)
  if (!tollfree && area === null) return notPortable(number, ...areaError(code))
  if (exchange.endsWith('11'))
    return notPortable(
      number,
      'number_malformed',
      `${exchange} is not an exchange code. Codes that end in 11 are service numbers.`,
    )
  if (!tollfree && exchange === '976')
    return notPortable(
      number,
      'number_not_portable',
      'Exchange 976 is a premium service. Its numbers cannot be ported.',
    )
  if (facts.ours.has(number))
    return notPortable(number, 'number_on_other_order', 'The number is already on the account.')
  if (facts.on_order.has(number)) return notPortable(number, 'number_on_other_order', onOrderReason)
  if (facts.elsewhere.has(number)) return notPortable(number, 'number_not_portable', unavailableReason)
  const holding = facts.holdings.get(number)
  if (holding?.released === false) return notPortable(number, 'number_not_portable', holding.reason)
  return { portable: true, number, kind: tollfree ? 'toll-free' : 'local', area, carrier: holding?.carrier ?? null }
}

const notPortable = (number: string | null, code: portOrders.RejectCode, reason: string): NotPortable => ({
  portable: false,
  number,
  code,
  reason,
})

/** Non-geographic codes of the plan, which cannot be ported. */
const otherCodes: readonly [codes: RegExp, what: string][] = [
  [/^900$/, 'a premium service'],
  [/^(500|52\d|532|533|544|566|577|588)$/, 'used for personal and machine numbers'],
  [/^(600|622|633|644|655|677|688)$/, 'a Canadian service code'],
  [/^(700|710)$/, 'used for carrier and government services'],
  [/^\d11$/, 'a service number'],
]

function areaError(code: string): [portOrders.RejectCode, string] {
  const other = otherCodes.find(([codes]) => codes.test(code))
  if (other) return ['number_not_portable', `${code} is ${other[1]}. Its numbers cannot be ported.`]
  return ['number_malformed', `${code} is not a US or Canadian area code.`]
}

/** Untrusted text inside a message: shortened, and without control characters. */
const quoted = (text: string) => JSON.stringify(text.length > 30 ? `${text.slice(0, 30)}…` : text)
