import { numbers, type portOrders } from '@demarc/client'
import { areaOf } from './area-codes.ts'
import type { Area } from './area-codes.ts'

/** Which numbers can be ported at all, and why not. What others know of a number comes in as a value. */

export type NumberKind = 'local' | 'toll-free'

/** A number that can be ported. `area` is null for toll-free numbers, which belong to no place. */
export interface Portable {
  portable: true
  /** `+1` and ten digits. */
  number: string
  kind: NumberKind
  area: Area | null
  /** The losing carrier where somebody knows it, else null. */
  carrier: string | null
}

export interface NotPortable {
  portable: false
  /** `+1` and ten digits where the text can be read as that, else null. */
  number: string | null
  code: portOrders.RejectCode
  because: string
}

export type Portability = Portable | NotPortable

/** What is known of numbers beside their digits, keyed by `+1` and ten digits. */
export interface KnownNumbers {
  /** On an open port order, whoever's it is. */
  readonly on_order: ReadonlySet<string>
  /** Already on our network. */
  readonly ours: ReadonlySet<string>
  /** Looked up: who holds the number, and whether it is released. */
  readonly holdings: ReadonlyMap<string, Holding>
}

export type Holding =
  | { readonly carrier: string; readonly released: true }
  | { readonly carrier: string; readonly released: false; readonly because: string }

export const nothingKnown: KnownNumbers = { on_order: new Set(), ours: new Set(), holdings: new Map() }

/** The one spelling that orders use: `+1` and ten digits. */
export const isE164 = (text: string): boolean => /^\+1[2-9]\d{2}[2-9]\d{6}$/.test(text)

/** A number of the North American plan as people write it, brought to `+1` and ten digits; null when it is none. */
export function readNumber(text: string): string | null {
  if (!/^[\s\d()+.\-/]{10,24}$/.test(text)) return null
  const digits = text.replace(/\D/g, '')
  const e164 = `+${digits.length === 10 ? '1' : ''}${digits}`
  return isE164(e164) ? e164 : null
}

/** Can this number be ported to us? The first reason that stands against it is given. */
export function portabilityOf(text: string, known: KnownNumbers = nothingKnown): Portability {
  const number = readNumber(text)
  if (number === null)
    return no(
      null,
      'number_malformed',
      `${quoted(text)} is not a number of the US or Canada: + 1 and ten digits, like +12065550100.`,
    )
  const [code, exchange] = [number.slice(2, 5), number.slice(5, 8)]
  const tollfree = numbers.tollFreeCodes.includes(code)
  const area = tollfree ? null : areaOf(code)
  if (!tollfree && area === null) return no(number, ...areaFault(code))
  if (exchange.endsWith('11'))
    return no(
      number,
      'number_malformed',
      `No exchange is called ${exchange}: codes that end in 11 are service numbers.`,
    )
  if (!tollfree && exchange === '976')
    return no(number, 'number_not_portable', 'Exchange 976 is a premium service; its numbers stay with their carrier.')
  if (known.ours.has(number)) return no(number, 'number_on_other_order', 'The number is on our network already.')
  if (known.on_order.has(number))
    return no(number, 'number_on_other_order', 'The number is on another open port order.')
  const holding = known.holdings.get(number)
  if (holding?.released === false) return no(number, 'number_not_portable', holding.because)
  return { portable: true, number, kind: tollfree ? 'toll-free' : 'local', area, carrier: holding?.carrier ?? null }
}

const no = (number: string | null, code: portOrders.RejectCode, because: string): NotPortable => ({
  portable: false,
  number,
  code,
  because,
})

/** Codes of the plan that belong to no place and do not port. 5XX are personal numbers, 600 and its like Canada's services. */
const otherCodes: readonly [codes: RegExp, what: string][] = [
  [/^900$/, 'a premium service'],
  [/^(500|52\d|532|533|544|566|577|588)$/, 'for personal and machine numbers'],
  [/^(600|622|633|644|655|677|688)$/, 'a service code of Canada'],
  [/^(700|710)$/, 'for services of carriers and the government'],
  [/^\d11$/, 'a service number'],
]

function areaFault(code: string): [portOrders.RejectCode, string] {
  const other = otherCodes.find(([codes]) => codes.test(code))
  if (other) return ['number_not_portable', `${code} is ${other[1]}; its numbers do not port.`]
  return ['number_malformed', `${code} is not an area code of the US or Canada.`]
}

/** A text of a stranger inside a sentence: short, and without anything that could leave its line. */
const quoted = (text: string) => JSON.stringify(text.length > 30 ? `${text.slice(0, 30)}…` : text)
