import { countText } from '@demarc/client/rules'
import type { Body } from '../api.ts'
import type { Meaning, StatusWords } from '../ui/index.ts'

type List = Body<'listE911Datasets'>
export type Dataset = List['data'][number]
export type DatasetPlace = Body<'listE911DatasetPlaces'>['data'][number]
export type County = Body<'listE911Counties'>['data'][number]
export type StateCoverage = List['meta']['coverage'][number]

export const statusWords: StatusWords<Dataset['attributes']['status']> = {
  loading: { label: 'Loading', meaning: 'moving' },
  loaded: { label: 'Loaded', meaning: 'needs-you' },
  held: { label: 'Held', meaning: 'needs-you' },
  active: { label: 'Active', meaning: 'done' },
  superseded: { label: 'Superseded', meaning: 'quiet' },
  failed: { label: 'Failed', meaning: 'refused' },
}

/** Coverage levels, with what happens to addresses missing from the data. */
export const coverageWords = {
  covered: { label: 'Covered', meaning: 'done', missing: 'Corrected or refused' },
  partial: { label: 'Partial', meaning: 'moving', missing: 'Corrected if close, otherwise accepted by postal code' },
  thin: {
    label: 'Thin',
    meaning: 'needs-you',
    missing: 'Corrected if one letter is wrong, otherwise accepted by postal code',
  },
} as const satisfies Record<DatasetPlace['coverage'], { label: string; meaning: Meaning; missing: string }>

/** A dataset's name and vintage. */
export const titleOf = ({ attributes: { name, vintage } }: Dataset): string => `${name} ${vintage}`

/** A fraction as a percentage. */
export const percentText = (share: number): string =>
  share.toLocaleString('en-US', { style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 })

/** One-line summary of coverage and datasets awaiting a decision. */
export function streetDataText({ data, meta: { coverage } }: List): string {
  const active = data.filter(({ attributes: { status } }) => status === 'active').length
  const states = coverage.map(({ state }) => state).join(', ')
  const covered =
    coverage.length === 0
      ? 'No street data is active. Only the city, state, and postal code of an address are checked.'
      : `Streets of ${states} in ${countText(active, 'dataset')}. Elsewhere, only the city, state, and postal code are checked.`
  const waiting = data.filter(({ attributes: { status } }) => status === 'held' || status === 'loaded').length
  if (waiting === 0) return covered
  return `${countText(waiting, 'dataset needs', 'datasets need')} to be activated or removed. ${covered}`
}
