import { oneOfIn, textIn, wholeIn } from '../search.ts'

export const coverages = ['covered', 'partial', 'thin'] as const

/** What of the page of street data is in its URL. */
export interface StreetDataSearch {
  /** The dataset whose report is shown; the newest when it is not there. */
  dataset?: string
  /** How well the places are covered that are listed. */
  covered?: (typeof coverages)[number]
  offset?: number
  /** The state whose counties are shown below it. */
  counties_of?: string
  county_offset?: number
}

export const streetDataSearch = (raw: Record<string, unknown>): StreetDataSearch => {
  const [dataset, covered] = [textIn(raw, 'dataset'), oneOfIn(raw, 'covered', coverages)]
  const [offset, county_offset] = [wholeIn(raw, 'offset'), wholeIn(raw, 'county_offset')]
  const counties_of = textIn(raw, 'counties_of')
  return {
    ...(dataset !== undefined && /^\d{1,18}$/.test(dataset) && { dataset }),
    ...(covered && { covered }),
    ...(offset && { offset }),
    ...(counties_of !== undefined && /^[A-Z]{2}$/.test(counties_of) && { counties_of }),
    ...(county_offset && { county_offset }),
  }
}
