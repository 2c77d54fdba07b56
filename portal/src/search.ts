/** What of a page is in its URL: texts, as people would write them. */

/** The search of a URL: a name that is there twice is a list. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search))
}

/** The search of a URL; what is undefined, empty or a default is left out. */
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

/** A text of the search; undefined when it is not there. */
export const textIn = (raw: Raw, name: string): string | undefined => {
  const value = raw[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A whole number of the search. */
export const wholeIn = (raw: Raw, name: string): number | undefined => {
  const value = Number(raw[name])
  return Number.isSafeInteger(value) && value > 0 ? value : undefined
}

/** One of these values. */
export const oneOfIn = <V extends string>(raw: Raw, name: string, values: readonly V[]): V | undefined =>
  values.find((each) => each === raw[name])

/** What every page has: the account that is seen, where it is not the person's first. */
export const accountSearch = (raw: Raw): { account?: string } => {
  const account = textIn(raw, 'account')
  return account !== undefined && /^\d{1,18}$/.test(account) ? { account } : {}
}

/** The account that the URL names. */
export const accountOfUrl = (): string | null => accountSearch(parseSearch(location.search)).account ?? null
