import { countText } from '@demarc/client/rules'
import type { Body } from '../api.ts'
import { durationText } from '../ui/text.ts'

/** Texts about call-record arrivals. */
export type Summary = Body<'getCdrIngestSummary'>['data']['attributes']

/** A gap this many times the usual one is overdue. */
const overdue_factor = 2

/** Whether the next delivery is overdue, based on the usual gap. */
export const isOverdue = ({ quiet_s, usual_gap_s }: Summary): boolean =>
  quiet_s !== null && usual_gap_s !== null && quiet_s > Math.max(60, usual_gap_s * overdue_factor)

/** One-line summary. */
export function arrivalText(summary: Summary): string {
  const { quiet_s, usual_gap_s, days } = summary
  if (quiet_s === null) return 'No call records have been delivered yet.'
  const since = `The last delivery arrived ${durationText(quiet_s)} ago`
  const usual = usual_gap_s === null ? '' : `; the usual interval is ${durationText(usual_gap_s)}`
  const rejected = days.reduce((sum, each) => sum + each.rejected, 0)
  const outcome = rejected === 0 ? 'No lines were' : countText(rejected, 'line was', 'lines were')
  return `${since}${usual}. ${outcome} rejected in the last ${days.length} days.`
}
