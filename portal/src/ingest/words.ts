import type { Body } from '../api.ts'
import { durationText } from '../ui/text.ts'

/** When call records arrived, and how many. */
export type Summary = Body<'getCdrIngestSummary'>['data']['attributes']

/** So many times as long as usual is too long. */
const overdue_factor = 2

/** Whether the next delivery is late, by how often they came. */
export const isOverdue = ({ quiet_s, usual_gap_s }: Summary): boolean =>
  quiet_s !== null && usual_gap_s !== null && quiet_s > Math.max(60, usual_gap_s * overdue_factor)

/** The response to the page's question, in a line. */
export function arrivalText(summary: Summary): string {
  const { quiet_s, usual_gap_s, days } = summary
  if (quiet_s === null) return 'No call records have been delivered yet.'
  const since = `The last delivery came ${durationText(quiet_s)} ago`
  const usual = usual_gap_s === null ? '' : `; usually one comes every ${durationText(usual_gap_s)}`
  const rejected = days.reduce((sum, each) => sum + each.rejected, 0)
  const refused = rejected === 0 ? 'Nothing was refused' : `${rejected.toLocaleString('en-US')} lines were refused`
  return `${since}${usual}. ${refused} in ${days.length} days.`
}
