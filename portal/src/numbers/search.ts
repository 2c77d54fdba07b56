import { oneOfIn, textIn, wholeIn } from '../search.ts'

/** URL parameters of the numbers page. */
export interface NumbersSearch {
  /** Digits, or part of the alias. */
  find?: string
  cnam_id?: string
  /** Numbers with an emergency address, or long codes without one. */
  e911?: 'set' | 'none'
  offset?: number
}

export const numbersSearch = (raw: Record<string, unknown>): NumbersSearch => {
  const [find, cnam_id, offset] = [textIn(raw, 'find'), textIn(raw, 'cnam_id'), wholeIn(raw, 'offset')]
  const e911 = oneOfIn(raw, 'e911', ['set', 'none'])
  return { ...(find && { find }), ...(cnam_id && { cnam_id }), ...(e911 && { e911 }), ...(offset && { offset }) }
}
