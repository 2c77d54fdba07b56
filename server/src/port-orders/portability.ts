import { numbers, type portOrders } from '@demarc/client'
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
  /** On an open port order of any account. */
  readonly on_order: ReadonlySet<string>
  /** Already on our network. */
  readonly ours: ReadonlySet<string>
  /** The current carrier of a number, and whether it releases the number. */
  readonly holdings: ReadonlyMap<string, Holding>
}

export type Holding =
  | { readonly carrier: string; readonly released: true }
  | { readonly carrier: string; readonly released: false; readonly reason: string }

export const noFacts: NumberFacts = { on_order: new Set(), ours: new Set(), holdings: new Map() }

/** The notation of orders: `+1` and ten digits. */
export const isE164 = (text: string): boolean => /^\+1[2-9]\d{2}[2-9]\d{6}$/.test(text)

/** Normalizes a number of the North American plan in any notation to `+1` and ten digits; null when it is not one. */
export function readNumber(text: string): string | null {
  if (!/^[\s\d()+.\-/]{10,24}$/.test(text)) return null
  const digits = text.replace(/\D/g, '')
  const e164 = `+${digits.length === 10 ? '1' : ''}${digits}`
  return isE164(e164) ? e164 : null
}

/** Can this number be ported to us? If not, the first reason why. */
export function portabilityOf(text: string, facts: NumberFacts = noFacts): Portability {
  const number = readNumber(text)
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
    return notPortable(number, 'number_on_other_order', 'The number is on our network already.')
  if (facts.on_order.has(number))
    return notPortable(number, 'number_on_other_order', 'The number is on another open port order.')
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
