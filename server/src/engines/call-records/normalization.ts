/** Normalizes values before comparison. Records and filters use the same functions, so they cannot disagree. */

/** Notations of numbers that switches use. */
const PLAIN_NUMBER = /^[+]?[0-9]*$/
const NUMBER_LIKE = /^[+0-9 \t()./-]*$/

/**
 * The digits of a telephone number, without `+` and punctuation: `+1 (206) 555-0100` is `12065550100`. Empty for text that is not a number
 * (`anonymous`, `sip:alice@192.0.2.1`, `*67`), which is compared unchanged.
 */
export function digitsOf(text: string): string {
  if (PLAIN_NUMBER.test(text)) return text.startsWith('+') ? text.slice(1) : text
  return NUMBER_LIKE.test(text) ? text.replace(/[^0-9]/g, '') : ''
}

/**
 * Folds case for substring search. Upper case, because Unicode's upper-casing is context-free (lower-casing Σ is not), so a substring folds
 * to a substring of the folded text.
 */
export function foldCase(text: string): string {
  return text.normalize('NFC').toUpperCase()
}

/** ISO 3166 codes are case-insensitive. */
export function countryOf(text: string): string {
  return text.toUpperCase()
}

/**
 * Whether the digits are toll-free: the NANP codes in service (800, 833, 844, 855, 866, 877, 888; https://nationalnanpa.com)
 * with or without the country code, and the international freephone numbers of ITU-T E.169.1 (+800 and eight digits).
 */
export function isTollfree(digits: string): boolean {
  return /^(?:1?8(?:00|33|44|55|66|77|88)[0-9]{7}|800[0-9]{8})$/.test(digits)
}

/** Text that UTF-8 can encode: a lone surrogate, which JSON may contain, becomes U+FFFD. */
export function wellFormed(text: string): string {
  return text.toWellFormed()
}
