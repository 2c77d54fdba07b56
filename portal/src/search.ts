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

type Raw = Record<string, unknown>

/** A text parameter; undefined if absent. */
export const textIn = (raw: Raw, name: string): string | undefined => {
  const value = raw[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** An integer parameter. */
export const wholeIn = (raw: Raw, name: string): number | undefined => {
  const value = Number(raw[name])
  return Number.isSafeInteger(value) && value > 0 ? value : undefined
}

/** A parameter with one of these values. */
export const oneOfIn = <V extends string>(raw: Raw, name: string, values: readonly V[]): V | undefined =>
  values.find((each) => each === raw[name])

/** The parameter of every page: the account in view, unless it is the person's first. */
export const accountSearch = (raw: Raw): { account?: string } => {
  const account = textIn(raw, 'account')
  return account !== undefined && /^\d{1,18}$/.test(account) ? { account } : {}
}

/** The account in the URL. */
export const accountOfUrl = (): string | null => accountSearch(parseSearch(location.search)).account ?? null
