/** What is searched for. */
export interface Terms {
  text: string
  /** The digits, where the text is a part of a telephone number in any notation; null otherwise. */
  digits: string | null
  /** The same as the beginning of a number, with the country code. */
  prefix: string | null
  /** The text as an id; null where it is none. */
  id: string | null
}

/** Reads what was typed. */
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
