import type { FaultRow, Result } from './results.ts'

const HEAD = `# Reliability

What was done to a running service, and what was found afterwards. This page is made by \`npm run reliability\` from the results
that the scripts below kept; \`npm run check\` refuses a page that differs from them. Repeat a run with its command; with
\`DEMARC_RECORD=1\` before it, its result replaces the one here.

*Lost* counts writes that were acknowledged and were missing afterwards; *doubled* counts writes, files and callbacks that were
there twice. *Recovery* is the time from the fault to the first response as before.
`

/** docs/operate/reliability.md. */
export function reliabilityPage(results: readonly Result[]): string {
  return [HEAD, ...results.map(section)].join('\n')
}

function section(result: Result): string {
  const { title, about, command, date, commit, cores, load, duration_s, rows, notes } = result
  const run = `\`${command}\` on ${date}, commit ${commit}, ${cores} cores, load ${load.before} before and ${load.after} after, ${duration(duration_s)}.`
  const table = [
    '| Fault | Tries | Lost | Doubled | Recovery, median | longest | |',
    '| --- | ---: | ---: | ---: | ---: | ---: | --- |',
    ...rows.map(line),
  ].join('\n')
  return (
    [`## ${title}\n`, `${about}\n`, `${run}\n`, `${table}\n`, ...notes.map((note) => `- ${note}`)].join('\n') + '\n'
  )
}

function line({ fault, tries, lost, doubled, recovery_ms, remark = '' }: FaultRow): string {
  const times = recovery_ms ? [seconds(recovery_ms.median), seconds(recovery_ms.longest)] : ['', '']
  return `| ${[fault, tries, lost, doubled, ...times, remark].join(' | ')} |`
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
const duration = (s: number): string => (s < 120 ? `${s} s` : `${Math.round(s / 60)} min`)
