import type { Body } from '../api.ts'
import type { Meaning } from '../ui/status.tsx'

type List = Body<'listE911Datasets'>
export type Dataset = List['data'][number]
export type DatasetPlace = Body<'listE911DatasetPlaces'>['data'][number]
export type County = Body<'listE911Counties'>['data'][number]
export type StateCoverage = List['meta']['coverage'][number]

export const statusWords: Readonly<Record<Dataset['attributes']['status'], { label: string; meaning: Meaning }>> = {
  loading: { label: 'Loading', meaning: 'moving' },
  loaded: { label: 'Loaded', meaning: 'needs-you' },
  held: { label: 'Held', meaning: 'needs-you' },
  active: { label: 'Active', meaning: 'done' },
  superseded: { label: 'Superseded', meaning: 'quiet' },
  failed: { label: 'Failed', meaning: 'refused' },
}

/** How well a place is covered, and by that what becomes of an address there that the data does not have. */
export const coverageWords = {
  covered: { label: 'Covered', meaning: 'done', missing: 'Corrected or refused' },
  partial: { label: 'In part', meaning: 'moving', missing: 'Corrected if nearly right, or accepted by postal code' },
  thin: { label: 'Thin', meaning: 'needs-you', missing: 'Accepted by postal code' },
} as const satisfies Record<DatasetPlace['coverage'], { label: string; meaning: Meaning; missing: string }>

/** Name and vintage, as one text. */
export const titleOf = ({ attributes: { name, vintage } }: Dataset): string => `${name} ${vintage}`

/** A share of 1 in percent. */
export const percentText = (share: number): string =>
  share.toLocaleString('en-US', { style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 })

/** What the data covers and what waits for the operator, in a line. */
export function streetDataText({ data, meta: { coverage } }: List): string {
  const active = data.filter(({ attributes: { status } }) => status === 'active').length
  const states = coverage.map(({ state }) => state).join(', ')
  const covered =
    coverage.length === 0
      ? 'No street data is active: of an address only city, state and postal code are checked.'
      : `Streets of ${states} in ${active === 1 ? '1 dataset' : `${active} datasets`}; elsewhere only city, state and postal code are checked.`
  const waiting = data.filter(({ attributes: { status } }) => status === 'held' || status === 'loaded').length
  if (waiting === 0) return covered
  return `${waiting === 1 ? '1 dataset waits' : `${waiting} datasets wait`} for you to activate or remove. ${covered}`
}
