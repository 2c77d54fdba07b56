import { oneOfIn, textIn, wholeIn } from '../search.ts'

export const coverages = ['covered', 'partial', 'thin'] as const

/** URL parameters of the street-data page. */
export interface StreetDataSearch {
  /** The dataset whose report is shown; the newest by default. */
  dataset?: string
  /** The coverage of the listed places. */
  covered?: (typeof coverages)[number]
  offset?: number
  /** The expanded state. */
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
