import os from 'node:os'
import { sectionMarkdown } from './markdown.ts'
import type { Comparison, Curve, Load, Section } from './results.ts'

export { median } from './markdown.ts'

/**
 * What the benchmarks of this run report: each section is printed at once, with the load of the machine, and collected for the
 * result that is kept.
 */
let collected: Section[] = []

/** The sections since the last call. */
export function takeSections(): Section[] {
  const taken = collected
  collected = []
  return taken
}

function report(section: Section): void {
  collected.push(section)
  console.log(`\n${sectionMarkdown(section)}`)
}

/** Reports facts as they were measured. `name` is for pages that show this table; it is derived from the title when absent. */
export function table(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  name = nameOf(title),
): void {
  const now = loadNow()
  report({
    kind: 'table',
    name,
    title,
    load: { lowest: now, highest: now },
    head: [...head],
    rows: rows.map((row) => [...row]),
  })
}

/** Reports sides that `inTurns` measured. */
export const comparison = (made: Omit<Comparison, 'kind'>): void => report({ kind: 'comparison', ...made })

/** Reports cost as something grows. */
export const curve = (made: Omit<Curve, 'kind'>): void => report({ kind: 'curve', ...made })

/** One side of a comparison: measures itself once and returns one number for each measure. */
export interface Side {
  name: string
  /** The name of Demarc's own side that it is measured beside, where that is not the first. */
  beside?: string
  run: (round: number) => Promise<readonly number[]>
}

/**
 * Runs the sides in turns (A, B, A, B …), so that whatever else the machine does burdens all of them. `warm_up` rounds before
 * the first are not counted.
 */
export async function inTurns(
  sides: readonly Side[],
  rounds: number,
  warm_up = 1,
): Promise<Pick<Comparison, 'rounds' | 'load' | 'sides'>> {
  const measured = sides.map(({ name, beside }) => ({
    name,
    ...(beside === undefined ? {} : { beside }),
    values: [] as number[][],
  }))
  const loads = [loadNow()]
  for (let round = -warm_up; round < rounds; round++) {
    for (const [i, side] of sides.entries()) {
      const values = await side.run(round)
      if (round < 0) continue
      for (const [m, value] of values.entries()) ((measured[i]?.values ?? [])[m] ??= []).push(significant(value))
    }
    loads.push(loadNow())
  }
  return { rounds, load: loadRange(loads), sides: measured }
}

export const loadNow = (): number => Number((os.loadavg()[0] ?? 0).toFixed(1))
export const loadRange = (loads: readonly number[]): Load => ({
  lowest: Math.min(...loads),
  highest: Math.max(...loads),
})

/** Five digits say as much as can be measured. */
export const significant = (value: number): number => Number(value.toPrecision(5))

export const mb = (bytes: number): string => (bytes / 1_000_000).toFixed(0)
export const seconds = (ms: number): string => (ms / 1000).toFixed(1)

const nameOf = (title: string): string =>
  title
    .split(/[,:;]/)[0]
    ?.toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '') ?? title
