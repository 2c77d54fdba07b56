import { duration } from '../reliability/page.ts'
import { neverTried } from './never-tried.ts'
import type { DrillResult } from './drill.ts'
import type { Recorded } from './results.ts'

const begin = '<!-- Generated from the results of the drills: npm run check -- --write -->'
const end = '<!-- End of the generated tables -->'

/** The page with tables of the recorded results. Throws if the page has no place for them. */
export function pageWith(page: string, records: readonly Recorded[]): string {
  const [head, rest] = page.split(begin)
  const tail = rest?.split(end)[1]
  if (head === undefined || tail === undefined) throw new Error(`docs/operate/scaling.md lacks ${begin} or ${end}`)
  return `${head}${begin}\n\n${tables(records)}\n\n${end}${tail}`
}

function tables(records: readonly Recorded[]): string {
  const rows = records.flatMap((record) => record.results.map((result) => cells(record, result)))
  return [
    table(['Component', 'Version', 'Tried', 'Result', 'Figures', 'Drill'], rows),
    'Never tried:',
    table(
      ['Component', 'Version', 'Reason'],
      neverTried.map(({ component, version, reason }) => [component, version, reason]),
    ),
  ].join('\n\n')
}

function cells(
  { drill, date, commit, cores, form, duration_s }: Recorded,
  { component, version, tried, result, ok, figures }: DrillResult,
): string[] {
  const measured = figures.map(({ name, value }) => `${name}: ${value}`).join('<br>')
  const run = `\`${drill}\`, ${form}, ${duration(duration_s)} on ${date}, commit ${commit}, ${cores} cores`
  return [component, version, tried, ok ? result : `**Failed.** ${result}`, measured, run]
}

/** A Markdown table. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
