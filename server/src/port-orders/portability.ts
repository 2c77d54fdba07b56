import { numbers, portOrders } from '@demarc/client'
import { areaOf } from './area-codes.ts'
import type { Area } from './area-codes.ts'

/** Which numbers can be ported, and why not. Pure: facts about numbers are an argument. */

export type NumberKind = 'local' | 'toll-free'

/** A number that can be ported. `area` is null for toll-free numbers, which are not geographic. */
export interface Portable {
  portable: true
  /** `+1` and ten digits. */
  number: string
  kind: NumberKind
  area: Area | null
  /** The current carrier where it is known, else null. */
  carrier: string | null
}

export interface NotPortable {
  portable: false
  /** `+1` and ten digits where the text is a number, else null. */
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
  /** On another account, or on its signed port order: which of the two, and that there is one, is not to be seen. */
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

/** Why an account cannot order a number that another account has. It must not say that another account has it. */
export const unavailableReason = 'The number cannot be ordered now. If it is yours, ask support.'

/** Can this number be ported to us? If not, the first reason why. */
export function portabilityOf(text: string, facts: NumberFacts = noFacts): Portability {
  const number = portOrders.readNumber(text)
  if (number === null)
    return notPortable(
      null,
      'number_malformed',
      `${quoted(text)} is not a number of the US or Canada: + 1 and ten digits, like +12065550100.`,
    )
  const [code, exchange] = [number.slice(2, 5), number.slice(5, 8)]
  const tollfree = numbers.tollFreeCodes.includes(code)
  const area = tollfree ? null : areaOf(code)
  if (!tollfree && area === null) return notPortable(number, ...areaError(code))
  if (exchange.endsWith('11'))
    return notPortable(
      number,
      'number_malformed',
      `${exchange} is not an exchange: codes that end in 11 are service numbers.`,
    )
  if (!tollfree && exchange === '976')
    return notPortable(
      number,
      'number_not_portable',
      'Exchange 976 is a premium service; its numbers stay with their carrier.',
    )
  if (facts.ours.has(number))
    return notPortable(number, 'number_on_other_order', 'The number is on the account already.')
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

/** Non-geographic codes of the plan, which do not port. 5XX are personal numbers, 600 and its like Canada's services. */
const otherCodes: readonly [codes: RegExp, what: string][] = [
  [/^900$/, 'a premium service'],
  [/^(500|52\d|532|533|544|566|577|588)$/, 'for personal and machine numbers'],
  [/^(600|622|633|644|655|677|688)$/, 'a service code of Canada'],
  [/^(700|710)$/, 'for services of carriers and the government'],
  [/^\d11$/, 'a service number'],
]

function areaError(code: string): [portOrders.RejectCode, string] {
  const other = otherCodes.find(([codes]) => codes.test(code))
  if (other) return ['number_not_portable', `${code} is ${other[1]}; its numbers do not port.`]
  return ['number_malformed', `${code} is not an area code of the US or Canada.`]
}

/** Untrusted text inside a message: shortened, and without control characters. */
const quoted = (text: string) => JSON.stringify(text.length > 30 ? `${text.slice(0, 30)}…` : text)
