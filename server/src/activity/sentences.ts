/** Text for the facts of events. Fact types are checked here, because an event's data is JSON. */

/** An event's data, or an object within it. */
export type Facts = Readonly<Record<string, unknown>>

export const picked = (facts: Facts, names: readonly string[]) =>
  Object.fromEntries(Object.entries(facts).filter(([name]) => names.includes(name)))

export const objectOf = (value: unknown): Facts =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
export const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
export const quoted = (value: unknown): string => `“${textOf(value)}”`

const terms: Readonly<Record<string, string>> = {
  cnam_id: 'caller ID name',
  cnam_lookups_enabled: 'CNAM lookup',
  e911_id: 'emergency address',
  failover_route_id: 'failover route',
  primary_route_id: 'primary route',
}
export const plain = (name: string): string => terms[name] ?? name.replaceAll('_', ' ')
export const words = (names: readonly string[]): string => names.map(plain).join(', ')
export const capitalized = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1)

/** The end of a sentence, with the reason if there is one. Reasons are sentences. */
export const because = (reason: unknown): string => {
  const text = textOf(reason)
  return text === '' ? '.' : `: ${text}${/[.!?]$/.test(text) ? '' : '.'}`
}

export const counted = (count: unknown, one: string, many: string): string =>
  Number(count) === 1 ? `one ${one}` : `${Number(count).toLocaleString('en-US')} ${many}`

/** Numbers that a sentence lists; beyond that it gives the count. */
const namedNumbers_max = 3

export function numbersOf(facts: Facts): string {
  const count = Number(facts['numbers_count'])
  const numbers = listOf(facts['numbers']).map((number) => `+${number.replace(/^\+/, '')}`)
  if (count > namedNumbers_max) return counted(count, 'number', 'numbers')
  return `the ${count === 1 ? 'number' : 'numbers'} ${numbers.join(', ')}`
}

export const wereOf = (facts: Facts): string => (Number(facts['numbers_count']) === 1 ? 'was' : 'were')

export const takenOff = (facts: Facts): string =>
  Number(facts['numbers_count'] ?? 0) === 0
    ? ''
    : ` and removed from ${counted(facts['numbers_count'], 'number', 'numbers')}`

/** The name of the record that a column refers to by id. Null if it was deleted or the column refers to none. */
export type NameOf = (column: string, id: string) => string | null

/** What customers see of an event. */
export interface Shown {
  sentence: (facts: Facts, nameOf: NameOf) => string
  /** Members of the event's data that are shown unchanged. */
  details?: readonly string[]
  /** Members of its `from` and `to` that are shown. */
  changes?: readonly string[]
}

/** “alias” set to “Front desk”; “failover route” removed. A deleted record is named by its id. */
export function changeOf(facts: Facts, columns: readonly string[], nameOf: NameOf): string {
  const to = picked(objectOf(facts['to']), columns)
  const parts = Object.entries(to).map(([name, value]) =>
    value === null || value === ''
      ? `the ${plain(name)} was removed`
      : `the ${plain(name)} was set to ${shownValue(nameOf(name, textOf(value)) ?? value)}`,
  )
  return parts.length === 0 ? 'no visible field was changed.' : `${parts.join('; ')}.`
}

const shownValue = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? 'on' : 'off') : /^\d{1,18}$/.test(textOf(value)) ? textOf(value) : quoted(value)
