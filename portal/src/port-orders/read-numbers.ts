import { readNumber } from '@demarc/client/rules'

/** The phone numbers found in pasted text. */
export interface ReadNumbers {
  /** `+1` and ten digits, without duplicates, in text order. */
  numbers: string[]
  /** Pieces with enough digits to have been meant as a number. */
  unread: string[]
}

/** A number in any format, standalone or in text. Adjacent numbers are not merged. */
const notation = /(?<![\d+])(?:\+?1[\s.\-/]{0,2})?\(?[2-9]\d{2}\)?[\s.\-/]{0,2}[2-9]\d{2}[\s.\-/]{0,2}\d{4}(?!\d)/g

/** Pieces with fewer digits are ignored. */
const meant_digits = 7

/** Reads numbers from any text: a list, a spreadsheet, an email, a CSV. */
export function readNumbers(text: string): ReadNumbers {
  const numbers = new Set<string>()
  const unread: string[] = []
  for (const line of text.split(/[\n;,\t"]+/)) {
    const rest = line.replaceAll(notation, (found) => {
      const number = readNumber(found)
      if (number === null) return found
      numbers.add(number)
      return ' '
    })
    if (rest.replaceAll(/\D/g, '').length >= meant_digits) unread.push(rest.trim())
  }
  return { numbers: [...numbers], unread }
}
