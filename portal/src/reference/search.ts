import { textIn } from '../search.ts'

/** What of the reference is in its URL. */
export interface ReferenceSearch {
  /** Words of a name, a path or a summary. */
  find?: string
}

export const referenceSearch = (raw: Record<string, unknown>): ReferenceSearch => {
  const find = textIn(raw, 'find')
  return find === undefined ? {} : { find }
}
