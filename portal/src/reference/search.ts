import { textIn } from '../search.ts'

/** The reference's search parameters. */
export interface ReferenceSearch {
  /** Words of a name, a path or a summary. */
  find?: string
}

export const referenceSearch = (raw: Record<string, unknown>): ReferenceSearch => {
  const find = textIn(raw, 'find')
  return find === undefined ? {} : { find }
}
