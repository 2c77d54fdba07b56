import type { Evaluation, Example, Result } from './evaluate.ts'
import { type Measure, type Trial, TRIALS } from './trials.ts'

/** A required share, and whether it was reached. */
export interface Target {
  name: string
  good: number
  of: number
  least: number
  is_reached: boolean
}

/** Targets: no false accepts, the minimum share of each group, every resubmitted correction accepted, and addresses were sent. */
export function targetsOf({ addresses, results, closure }: Evaluation): Target[] {
  const wrong = results.filter(({ name }) => TRIALS[name].wrong !== null)
  const sent = sum(wrong.map((each) => each.sent))
  const false_accepts = sum(wrong.map((each) => each.false_accepts))
  return [
    target('addresses drawn', addresses, Math.max(addresses, 1), 1),
    target('wrong address not accepted', sent - false_accepts, sent, 1),
    ...groupTargets(results),
    target('resubmitted correction accepted', closure.sent - closure.refused, closure.sent, 1),
  ]
}

function groupTargets(results: readonly Result[]): Target[] {
  const groups = new Map<string, { good: number; of: number; least: number }>()
  for (const result of results) {
    const trial: Trial = TRIALS[result.name]
    if (trial.least === undefined || trial.wanted === 'refused') continue
    const group = groups.get(trial.least.group) ?? { good: 0, of: 0, least: trial.least.share }
    group.good += result[trial.wanted]
    group.of += result.sent
    groups.set(trial.least.group, group)
  }
  return [...groups].map(([name, { good, of, least }]) => target(name, good, of, least))
}

const target = (name: string, good: number, of: number, least: number): Target => ({
  name,
  good,
  of,
  least,
  is_reached: good >= least * of,
})

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)

/** False accepts with examples, then corrections, then targets. */
export function reportText(evaluation: Evaluation): string {
  const { addresses, results, closure, latency_ms } = evaluation
  const wrong = results.filter(({ name }) => TRIALS[name].wrong !== null)
  return [
    `${addresses} addresses.`,
    '',
    'FALSE ACCEPTS',
    table(
      ['trial', 'wrong', 'sent', 'dropped', 'accepted', 'share', 'only as unknown', 'true one first', 'any'],
      wrong.map((each) => [
        each.name,
        TRIALS[each.name].wrong ?? '',
        each.sent,
        each.dropped,
        each.false_accepts,
        percent(each.false_accepts, each.sent),
        each.undecided,
        percent(each.first, each.sent),
        percent(each.any, each.sent),
      ]),
    ),
    ...wrong.flatMap(({ name, false_examples }) => examplesText(name, false_examples)),
    '',
    'CORRECTIONS',
    table(
      ['trial', 'sent', 'dropped', 'accepted', 'first', 'any', 'field named'],
      results
        .filter(({ name }) => TRIALS[name].wrong === null)
        .map((each) => [
          each.name,
          each.sent,
          each.dropped,
          ...(['accepted', 'first', 'any', 'fields'] as const satisfies Measure[]).map((measure) =>
            percent(each[measure], each.sent),
          ),
        ]),
    ),
    ...results.flatMap(({ name, misses }) => examplesText(name, misses)),
    '',
    `${closure.sent} corrections were resubmitted, ${closure.refused} were not accepted.`,
    ...examplesText('resubmitted correction', closure.examples),
    `Validation latency: ${latency_ms.p50.toFixed(1)} ms median, ${latency_ms.p99.toFixed(1)} ms at the 99th percentile.`,
    '',
    'TARGETS',
    table(
      ['target', 'share', 'at least', ''],
      targetsOf(evaluation).map(({ name, good, of, least, is_reached }) => [
        name,
        percent(good, of),
        percent(least, 1),
        is_reached ? 'reached' : 'FAILED',
      ]),
    ),
  ].join('\n')
}

function examplesText(name: string, examples: readonly Example[]): string[] {
  return examples.map(({ truth, sent, outcome }) =>
    [`  ${name}: ${sent}`, ...(truth === '' ? [] : [`    true: ${truth}`]), `    ${outcome.slice(0, 300)}`].join('\n'),
  )
}

function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const all = [header, ...rows].map((row) => row.map(String))
  const widths = header.map((_, i) => Math.max(...all.map((row) => (row[i] ?? '').length)))
  return all
    .map((row) =>
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const percent = (part: number, total: number) => (total === 0 ? '-' : `${((100 * part) / total).toFixed(2)} %`)
