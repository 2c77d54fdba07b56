import { oneOfIn, textIn, wholeIn } from '../search.ts'

/** The gaps that listE911Coverage reports. */
export const gaps = ['no_address', 'below_level', 'recheck_due', 'no_unit'] as const
export type Gap = (typeof gaps)[number]

/** URL parameters of the E911 page. */
export interface E911Search {
  /** Part of the label. */
  find?: string
  gap?: Gap
  offset?: number
}

export const e911Search = (raw: Record<string, unknown>): E911Search => {
  const [find, gap, offset] = [textIn(raw, 'find'), oneOfIn(raw, 'gap', gaps), wholeIn(raw, 'offset')]
  return { ...(find && { find }), ...(gap && { gap }), ...(offset && { offset }) }
}

/** URL parameters of the file check: the check shown. */
export const checkSearch = (raw: Record<string, unknown>): { id?: string } => {
  const id = textIn(raw, 'id')
  return id === undefined ? {} : { id }
}
