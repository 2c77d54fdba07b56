import type { FaultRow, Result } from './results.ts'

const HEAD = `# Reliability

Faults that were injected into a running service, and their effects. To repeat a run, use its command; with \`DEMARC_RECORD=1\`
in the environment, the new result replaces the one here. \`npm run reliability\` generates this page from the recorded results,
and a test checks that they match.

*Lost* counts acknowledged writes that were missing afterward; *doubled* counts duplicated writes, files, and callbacks.
*Recovery* is the time from the fault to the first normal response.
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
