import { portOrderStatuses } from '@demarc/client/rules'

/** URL parameters of pages, as plain text. */

/** Parses a URL's search; repeated names become a list. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search))
}

/** Writes a URL's search; omits undefined, empty, and default values. */
export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search))
    if (value !== undefined && value !== null && value !== '' && value !== false) params.set(name, textOf(value))
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : JSON.stringify(value)

/** Reads one parameter; undefined if it is absent or invalid. */
type Reader<V> = (value: unknown) => V | undefined

export const text: Reader<string> = (value) => (typeof value === 'string' && value !== '' ? value : undefined)

/** A positive integer, within what the API reads as an integer. */
export const integer: Reader<number> = (value) => {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

export const oneOf =
  <const V extends string>(values: readonly V[]): Reader<V> =>
  (value) =>
    values.find((each) => each === value)

export const matching =
  (pattern: RegExp): Reader<string> =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? value : undefined

/** An id in the database. */
export const id = matching(/^\d{1,18}$/)

type Readers = Record<string, Reader<unknown>>
type Search<R extends Readers> = { [K in keyof R]?: NonNullable<ReturnType<R[K]>> }

/**
 * A page's `validateSearch`, from a reader for each of its parameters. Invalid ones are undefined rather than omitted: the router
 * would add what it omits from the URL.
 */
export const searchOf =
  <R extends Readers>(readers: R) =>
  (raw: Record<string, unknown>): Search<R> => {
    const present = Object.entries(readers).filter(([name]) => raw[name] !== undefined)
    // each value is what its reader returned
    return Object.fromEntries(present.map(([name, reader]) => [name, reader(raw[name])])) as Search<R>
  }

/** Parameters that open a part of a page, or change only how it is shown. */
const view_parameters = ['order', 'event', 'refused', 'file', 'by']

/**
 * Whether a change of a page's search replaces its history entry: text that is still being typed, and parts of the page. Any
 * other change is its own entry, so that Back undoes the last change of a filter or page.
 */
export function replacesEntry(next: object, search = location.search): boolean {
  const before = parseSearch(search)
  const changes = Object.entries(next)
    .map(([name, value]) => ({ name, from: before[name] ?? '', to: textOf(value ?? '') }))
    .filter(({ from, to }) => from !== to)
  const filters = changes.filter(({ name }) => !view_parameters.includes(name))
  if (filters.length === 0) return changes.length > 0
  // the first character of a search is an entry, and so is emptying it
  return (
    filters.every(({ name, from, to }) => (name === 'offset' ? to === '' : isLonger(from, to) || isLonger(to, from))) &&
    filters.some(({ name }) => name !== 'offset')
  )
}

/** Whether a text begins with another one. */
const isLonger = (text: string, than: string): boolean => than !== '' && text.startsWith(than)

/** The parameter of every page: the account in view, unless it is the person's first. */
export const accountSearch = searchOf({ account: id })

/** The account in the URL. */
export const accountOfUrl = (): string | null => accountSearch(parseSearch(location.search)).account ?? null

export const signInSearch = searchOf({ return_to: text, openid_error: text })

export type NumbersSearch = ReturnType<typeof numbersSearch>
export const numbersSearch = searchOf({
  /** Digits, or part of the alias. */
  find: text,
  cnam_id: id,
  /** Numbers with an emergency address, or long codes without one. */
  e911: oneOf(['set', 'none']),
  offset: integer,
})

/** The lengths of a run of consecutive numbers that can be searched. */
export const runs = ['2', '5', '10'] as const

export type GetNumbersSearch = ReturnType<typeof getNumbersSearch>
export const getNumbersSearch = searchOf({
  /** An area code or other leading digits, a ZIP Code, a state, or a rate center. */
  place: text,
  /** Digits in the number, or a word that it spells. */
  spells: text,
  run: oneOf(runs),
  type: oneOf(['toll-free']),
  offset: integer,
  step: oneOf(['setup']),
  /** The order that was made. */
  order: id,
})

export type PortOrdersSearch = ReturnType<typeof portOrdersSearch>
export const portOrdersSearch = searchOf({
  /** A number in any format, an order id, or part of the alias. */
  find: text,
  status: oneOf(portOrderStatuses),
  group_id: id,
  offset: integer,
})

export const newOrderSteps = ['numbers', 'carrier', 'documents', 'presets', 'loa', 'done'] as const
export type NewOrderStep = (typeof newOrderSteps)[number]

/** `order` is set once the order exists. */
export const newPortOrderSearch = searchOf({ order: id, step: oneOf(newOrderSteps) })

/** The gaps that listE911Coverage reports. */
export const gaps = ['no_address', 'below_level', 'recheck_due', 'no_unit'] as const
export type Gap = (typeof gaps)[number]

/** `find` is part of the label. */
export const e911Search = searchOf({ find: text, gap: oneOf(gaps), offset: integer })

/** The shown check of a file of addresses. */
export const checkSearch = searchOf({ id })

export const callerIdSearch = searchOf({ state: oneOf(['approved', 'not-approved']), offset: integer })

/** Formats: a plain list, or rules for the named firewall. */
export const ruleFormats = ['addresses', 'nftables', 'iptables', 'json'] as const
export type RuleFormat = (typeof ruleFormats)[number]

export const edgeStrategiesSearch = searchOf({ id, format: oneOf(ruleFormats) })

export const deliveryStates = ['pending', 'delivered', 'failed', 'stopped'] as const

export const deliveriesSearch = searchOf({ delivery: oneOf(deliveryStates), offset: integer })

/** Words of a name, a path, or a summary. */
export const referenceSearch = searchOf({ find: text })
