/** The parsed search text. */
export interface Terms {
  text: string
  /** The digits, if the text is part of a telephone number in any notation; null otherwise. */
  digits: string | null
  /** The same as the start of a number, with the country code. */
  prefix: string | null
  /** The text as an id; null if it is not one. */
  id: string | null
}

/** Parses what was typed. */
export function termsOf(text: string): Terms {
  const digits = text.replace(/\D/g, '')
  const is_number = /^[+\d\s().-]+$/.test(text) && digits.length >= 2 && digits.length <= 11
  const id = text.replace(/^#/, '')
  const prefix = digits.startsWith('1') ? digits : `1${digits}`
  return {
    text,
    digits: is_number ? digits : null,
    prefix: is_number ? prefix : null,
    id: /^\d{1,18}$/.test(id) ? id : null,
  }
}
