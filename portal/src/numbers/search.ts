import { textIn, wholeIn } from '../search.ts'

/** What of the list of numbers is in its URL. */
export interface NumbersSearch {
  /** Digits, or a part of the alias. */
  find?: string
  cnam_id?: string
  offset?: number
}

export const numbersSearch = (raw: Record<string, unknown>): NumbersSearch => {
  const [find, cnam_id, offset] = [textIn(raw, 'find'), textIn(raw, 'cnam_id'), wholeIn(raw, 'offset')]
  return { ...(find && { find }), ...(cnam_id && { cnam_id }), ...(offset && { offset }) }
}
