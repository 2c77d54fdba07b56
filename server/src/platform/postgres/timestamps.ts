const LONGEST = '2026-03-01 12:00:00.123456+00'.length
const WITHOUT_FRACTION = '2026-03-01 12:00:00+00'.length
/** Position of the first fractional digit, and the end of the milliseconds, which is all a Date holds. */
const DECIMALS = { first: 20, end: 23 } as const

/**
 * Parses a UTC `timestamptz` of the years 100 to 9999, the form our connections receive; `otherwise` parses any other form.
 * Reads by position, because the driver's regular expression is a large part of the cost of reading a list page. Truncates
 * microseconds, like the driver.
 */
export function timestampOf<T>(text: string, otherwise: (text: string) => T): Date | T {
  if (!isInUtc(text)) return otherwise(text)
  let ms = 0
  const end = text.length - '+00'.length
  for (let i: number = DECIMALS.first; i < DECIMALS.end; i++) ms = ms * 10 + (i < end ? digit(text, i) : 0)
  const year = two(text, 0) * 100 + two(text, 2)
  // the Date constructor maps years before 100 to the twentieth century
  if (year < 100) return otherwise(text)
  return new Date(Date.UTC(year, two(text, 5) - 1, two(text, 8), two(text, 11), two(text, 14), two(text, 17), ms))
}

const ZERO = '0'.charCodeAt(0)
const digit = (text: string, at: number): number => text.charCodeAt(at) - ZERO
const two = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1)

function isInUtc(text: string): boolean {
  const { length } = text
  if (length < WITHOUT_FRACTION || length > LONGEST || !text.endsWith('+00')) return false
  if (text[4] !== '-' || text[7] !== '-' || text[10] !== ' ' || text[13] !== ':' || text[16] !== ':') return false
  return length === WITHOUT_FRACTION || text[19] === '.'
}
