import { readNumber } from '@demarc/client/rules'

/** What was pasted, as far as it is telephone numbers. */
export interface ReadNumbers {
  /** `+1` and ten digits, each once, in the sequence of the text. */
  numbers: string[]
  /** Pieces with so many digits that a number was meant. */
  unread: string[]
}

/** A number in any notation, alone or within other text. Two that follow each other are not taken for one. */
const notation = /(?<![\d+])(?:\+?1[\s.\-/]{0,2})?\(?[2-9]\d{2}\)?[\s.\-/]{0,2}[2-9]\d{2}[\s.\-/]{0,2}\d{4}(?!\d)/g

/** The fewest digits of a piece for which somebody is told that it is no number. */
const meant_digits = 7

/** Reads numbers from anything: a list, a spreadsheet, an e-mail, a CSV. */
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
