import type { FaultRow, Result } from './results.ts'

const HEAD = `# Reliability

What was done to a running service, and what was found afterwards. This page is made by \`npm run reliability\` from the results
that the scripts below kept; a test refuses a page that differs from them. Repeat a run with its command; with
\`DEMARC_RECORD=1\` before it, its result replaces the one here.

*Lost* counts writes that were acknowledged and were missing afterwards; *doubled* counts writes, files and callbacks that were
there twice. *Recovery* is the time from the fault to the first response as before.
`

/** docs/operate/reliability.md. */
export function reliabilityPage(results: readonly Result[]): string {
  return [HEAD, ...results.map(section)].join('\n')
}

function section(result: Result): string {
  const { title, about, rows, figures, remarks } = result
  const parts = [
    `## ${title}`,
    about,
    run(result),
    ...(rows.length > 0
      ? [table(['Fault', 'Tries', 'Lost', 'Doubled', 'Recovery, median', 'longest', ''], rows.map(cells))]
      : []),
    ...(figures
      ? [
          table(
            ['Measured', ''],
            figures.map(({ name, value }) => [name, value]),
          ),
        ]
      : []),
    ...(remarks.length > 0 ? [remarks.map((remark) => `- ${remark}`).join('\n')] : []),
  ]
  return `${parts.join('\n\n')}\n`
}

function run({ command, date, commit, cores, load, duration_s }: Result): string {
  return `\`${command}\` on ${date}, commit ${commit}, ${cores} cores, load ${load.before} before and ${load.after} after, ${duration(duration_s)}.`
}

function cells({ fault, tries, lost, doubled, recovery_ms, remark = '' }: FaultRow): string[] {
  const times = recovery_ms ? [seconds(recovery_ms.median), seconds(recovery_ms.longest)] : ['', '']
  return [fault, ...[tries, lost, doubled].map(grouped), ...times, remark]
}

/** The first and the last column are text, the others are numbers. */
function table(heads: readonly string[], lines: readonly (readonly string[])[]): string {
  const rule = heads.map((_, i) => (i === 0 || i === heads.length - 1 ? '---' : '---:'))
  return [heads, rule, ...lines].map((each) => `| ${each.join(' | ')} |`).join('\n')
}

const grouped = (n: number): string => n.toLocaleString('en-US')
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
export const duration = (s: number): string => (s < 120 ? `${s} s` : `${Math.round(s / 60)} min`)
