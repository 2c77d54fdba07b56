import os from 'node:os'

/** What a benchmark reports: text that is printed and kept as it stands. */
export interface Table {
  name: string
  title: string
  head: string[]
  rows: string[][]
}

export interface Measure {
  name: string
  unit: string
  digits: number
  /** Whether the table also shows Demarc's value divided by the other side's. */
  ratio?: boolean
}

/** One side of a comparison. `run` measures once and returns one number per measure. */
export interface Side {
  name: string
  /** The Demarc side it is compared with; default: the first side. */
  baseline_of?: string
  run: (round: number) => Promise<readonly number[]>
}

let collected: Table[] = []

/** The tables reported since the last call. */
export function takeTables(): Table[] {
  const taken = collected
  collected = []
  return taken
}

/** Prints a table with the machine's load and collects it for the results file. */
export function table({ title, loads = [loadNow()], ...rest }: Table & { loads?: readonly number[] }): void {
  const [lowest, highest] = [Math.min(...loads), Math.max(...loads)].map((load) => load.toFixed(1))
  const made = { ...rest, title: `${title} (load ${lowest === highest ? lowest : `${lowest} to ${highest}`})` }
  collected.push(made)
  console.log(`\n${tableMarkdown(made)}`)
}

/** Measures the sides in turns and reports medians, and medians of the ratios of each round. */
export async function compare(options: {
  name: string
  title: string
  measures: readonly Measure[]
  sides: readonly Side[]
  rounds?: number
  warm_up?: number
}): Promise<void> {
  const { name, title, measures, sides, rounds = 5, warm_up = 1 } = options
  const { values, loads } = await inTurns(sides, rounds, warm_up)
  const rated = measures.flatMap((measure, m) => (measure.ratio ? [{ measure, m }] : []))
  const rows = sides.map((side, s) => {
    const own = demarcSide(side, sides)
    const ratio = (m: number) =>
      median((values[own]?.[m] ?? []).map((value, round) => value / (values[s]?.[m]?.[round] ?? Number.NaN)))
    return [
      side.name,
      ...measures.map(({ digits }, m) => formatNumber(median(values[s]?.[m] ?? []), digits)),
      ...rated.map(({ m }) => (own === -1 ? '' : ratio(m).toFixed(2))),
    ]
  })
  table({
    name,
    title: `${title}. Medians of ${rounds} rounds, sides in turns`,
    head: ['', ...measures.map(withUnit), ...rated.map(({ measure }) => `Demarc ÷ it, ${measure.name}`)],
    rows,
    loads,
  })
}

/** Index of the Demarc side that this one is compared with; -1 for Demarc's own sides. */
function demarcSide({ name, baseline_of }: Side, sides: readonly Side[]): number {
  if (baseline_of !== undefined) return sides.findIndex((side) => side.name === baseline_of)
  const paired = sides.some((side) => side.baseline_of !== undefined)
  return paired || name === sides[0]?.name ? -1 : 0
}

/**
 * Runs the sides in turns (A, B, A, B …) because other work on the machine then slows all of them alike. Warm-up rounds are not
 * counted. Returns the values by side, measure, and round.
 */
export async function inTurns(
  sides: readonly Side[],
  rounds: number,
  warm_up = 1,
): Promise<{ values: number[][][]; loads: number[] }> {
  const values = sides.map(() => [] as number[][])
  const loads = [loadNow()]
  for (let round = -warm_up; round < rounds; round++) {
    for (const [s, side] of sides.entries()) {
      const measured = await side.run(round)
      if (round < 0) continue
      for (const [m, value] of measured.entries()) ((values[s] ?? [])[m] ??= []).push(value)
    }
    loads.push(loadNow())
  }
  return { values, loads }
}

export function tableMarkdown({ title, head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return `${title}:\n\n${[line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')}\n`
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

export const loadNow = (): number => os.loadavg()[0] ?? 0
export const withUnit = ({ name, unit }: Pick<Measure, 'name' | 'unit'>): string => `${name}, ${unit}`
export const mb = (bytes: number): string => (bytes / 1_000_000).toFixed(0)
export const seconds = (ms: number): string => (ms / 1000).toFixed(1)
export const formatNumber = (n: number, digits = 0): string =>
  n.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
