import type { DatasetKind, DatasetReport } from '../tables.ts'
import type { SkipReason, ValueReason } from './format.ts'
import { REPORT_LIMITS } from './limits.ts'

/** Rules for holding a dataset until an operator has reviewed its report. Pure. */

type Finding = DatasetReport['dropped'][number]

export interface Assessed {
  kind: DatasetKind
  rows_read: number
  skipped: Partial<Record<SkipReason, number>>
  ranges: number
  places: number
  streets_in_thin_places: number
  report: Omit<DatasetReport, 'held'>
}

/** Reasons why a row is unusable. Rows without a number are normal in a map of roads, but not among points. */
const NOT_UNDERSTOOD: Record<DatasetKind, readonly SkipReason[]> = {
  range: [
    'house number not understood',
    'no state',
    'no city and no postal code',
    'too long',
    'not a record',
    'only one end of a range',
  ],
  point: [
    'house number not understood',
    'no state',
    'no city and no postal code',
    'too long',
    'not a record',
    'no street name',
    'no house number',
  ],
}

const COLUMN_VALUES: ReadonlySet<string> = new Set<ValueReason>([
  'country not understood',
  'state not understood',
  'postal code not understood',
])

/** Why the dataset is held, with the measured value and the limit. Empty if it can be activated. */
export function heldBecause(assessed: Assessed): string[] {
  const { report } = assessed
  return [...ofColumns(assessed), ...ofRows(assessed), ...ofPlaces(assessed), ...ofComparison(report.compared_with)]
}

/** Columns that contradict the postal data, or that have values of another kind. */
function ofColumns({ rows_read, report: { contradictions, dropped } }: Assessed): string[] {
  const values = dropped.filter(({ part, reason }) => part === 'value' && COLUMN_VALUES.has(reason))
  const among = (found: readonly Finding[], limit: number) =>
    found.flatMap(({ reason, count, examples }) => {
      // both sides of a street count
      const share = Math.min(1, count / Math.max(1, rows_read))
      if (share <= limit) return []
      return [
        `${reason.replace(/^./, (first) => first.toUpperCase())} in ${percent(share)} of its rows; the limit is ${percent(limit)}. ${examples.join('; ')}. Is each column the right one?`,
      ]
    })
  return [
    ...among(contradictions, REPORT_LIMITS.contradicted_places_share),
    ...among(values, REPORT_LIMITS.not_understood_share),
  ]
}

function ofRows({ kind, rows_read, skipped, ranges, report }: Assessed): string[] {
  if (rows_read < REPORT_LIMITS.rows_min) return []
  const reasons: string[] = []
  const add = (share: number, limit: number, what: string) => {
    if (share > limit) reasons.push(`${percent(share)} of ${what}; the limit is ${percent(limit)}.`)
  }
  const not_understood = NOT_UNDERSTOOD[kind].reduce((sum, reason) => sum + (skipped[reason] ?? 0), 0)
  add(not_understood / rows_read, REPORT_LIMITS.not_understood_share, 'its rows were not understood')
  if (ranges >= REPORT_LIMITS.rows_min)
    add(
      report.without.suffix,
      REPORT_LIMITS.without_suffix_share,
      `its ${kind === 'point' ? 'addresses' : 'ranges'} are on streets without a suffix. Is the column of suffixes read?`,
    )
  const { odd = 0, even = 0, both = 0, contradicted = 0 } = report.parity ?? {}
  add(
    contradicted / Math.max(1, odd + even + both),
    REPORT_LIMITS.contradicted_parity_share,
    'its ranges have end numbers on the other side of the street than they name',
  )
  return reasons
}

function ofPlaces({ places, streets_in_thin_places: share }: Assessed): string[] {
  if (places < REPORT_LIMITS.places_min || share <= REPORT_LIMITS.thin_streets_share) return []
  return [
    `${percent(share)} of its streets are in places with only stray rows; the limit is ${percent(REPORT_LIMITS.thin_streets_share)}. Is it complete?`,
  ]
}

function ofComparison(compared: DatasetReport['compared_with']): string[] {
  if (compared === null || compared.streets.before < REPORT_LIMITS.streets_min) return []
  const { vintage, streets, ranges, places } = compared
  const reasons: string[] = []
  const add = (lost: number, before: number, limit: number, what: string) => {
    if (before > 0 && lost > limit * before)
      reasons.push(`It lacks ${percent(lost / before)} of the ${what} of ${vintage}; the limit is ${percent(limit)}.`)
  }
  add(streets.lost, streets.before, REPORT_LIMITS.streets_lost_share, 'streets')
  add(ranges.before - ranges.after, ranges.before, REPORT_LIMITS.ranges_lost_share, 'ranges or numbers')
  if (places.before >= REPORT_LIMITS.places_min)
    add(
      places.lost,
      places.before,
      REPORT_LIMITS.places_lost_share,
      `places (${places.lost_names.slice(0, 3).join(', ')}, …)`,
    )
  return reasons
}

function percent(share: number): string {
  const value = share * 100
  return `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} %`
}
