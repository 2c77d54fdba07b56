import { oneOfIn, textIn, wholeIn } from '../search.ts'

/** What can be missing: see the operation listE911Coverage. */
export const gaps = ['no_address', 'below_level', 'recheck_due', 'no_unit'] as const
export type Gap = (typeof gaps)[number]

/** What of the list of emergency addresses is in its URL. */
export interface E911Search {
  /** A part of the label. */
  find?: string
  gap?: Gap
  offset?: number
}

export const e911Search = (raw: Record<string, unknown>): E911Search => {
  const [find, gap, offset] = [textIn(raw, 'find'), oneOfIn(raw, 'gap', gaps), wholeIn(raw, 'offset')]
  return { ...(find && { find }), ...(gap && { gap }), ...(offset && { offset }) }
}

/** Of the page that checks a file: which check is shown. */
export const checkSearch = (raw: Record<string, unknown>): { id?: string } => {
  const id = textIn(raw, 'id')
  return id === undefined ? {} : { id }
}
