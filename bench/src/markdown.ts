import { duration } from '../../acceptance/reliability/page.ts'
import type { Comparison, Curve, Load, Result, Section, Table } from './results.ts'

/** Results as Markdown. Pure: what is kept is what is shown. */

/** Where the plots are, seen from the page that shows them. */
export const plotFile = (result: Pick<Result, 'bench'>, section: Pick<Curve, 'name'>): string =>
  `performance/${result.bench}-${section.name}.svg`

export function sectionMarkdown(section: Section): string {
  switch (section.kind) {
    case 'comparison':
      return `${section.title}: medians of ${section.rounds} rounds in turns, load ${loadText(section.load)}.\n\n${comparisonTable(section)}\n`
    case 'curve':
      return `${section.title}, ${unitOf(section.y)}: medians of ${section.rounds} rounds, load ${loadText(section.load)}.\n\n${curveTable(section)}\n`
    case 'table':
      return `${section.title}: load ${loadText(section.load)}.\n\n${markdownTable(section)}\n`
  }
}

/** Where, when and how a result was measured. */
export function provenance({ command, form, date, commit, machine, duration_s }: Result): string {
  return `\`${command}\`, ${form} form, ${date}, commit ${commit}, ${machine.cores} cores, ${machine.memory_gb} GB, Node ${machine.node}, ${duration(duration_s)}.`
}

function comparisonTable({ measures, sides, skipped }: Comparison): string {
  const rated = measures.flatMap((measure, i) => (measure.ratio ? [{ measure, i }] : []))
  const head = [
    '',
    ...measures.map(unitOf),
    ...rated.map(({ measure }) => (rated.length > 1 ? `Demarc ÷ it, ${measure.name}` : 'Demarc ÷ it')),
  ]
  const rows = sides.map((side) => {
    const own = ownSide(side, sides)
    return [
      side.name,
      ...measures.map((measure, i) => grouped(median(side.values[i] ?? []), measure.digits)),
      ...rated.map(({ i }) => (own ? ratioOf(own.values[i], side.values[i]).toFixed(2) : '')),
    ]
  })
  const missing = skipped.map(({ name, reason }) => `- Not measured: ${name}. ${reason}`)
  return [markdownTable({ head, rows }), ...(missing.length > 0 ? ['', ...missing] : [])].join('\n')
}

/** Demarc's side that this one is measured beside; undefined for those of Demarc. */
function ownSide(side: Compared, sides: readonly Compared[]): Compared | undefined {
  if (side.beside !== undefined) return sides.find(({ name }) => name === side.beside)
  return side === sides[0] || sides.some(({ beside }) => beside !== undefined) ? undefined : sides[0]
}

type Compared = Comparison['sides'][number]

/** Medians at each size, and how much more the largest costs than the smallest. */
function curveTable({ x, y, lines }: Curve): string {
  const sizes = [...new Set(lines.flatMap(({ points }) => points.map((point) => point.x)))].toSorted((a, b) => a - b)
  const rows = sizes.map((size) => [
    grouped(size, 0),
    ...lines.map(({ points }) => {
      const point = points.find((p) => p.x === size)
      return point ? grouped(point.y, y.digits) : ''
    }),
  ])
  const growth = lines.map(
    ({ points }) => `${((points.at(-1)?.y ?? Number.NaN) / (points[0]?.y ?? Number.NaN)).toFixed(2)} ×`,
  )
  return markdownTable({
    head: [x, ...lines.map(({ name }) => name)],
    rows: [...rows, ['largest ÷ smallest', ...growth]],
  })
}

/** One line for each side that Demarc was measured beside: the first rated measure of every comparison. */
export function summaryTable(results: readonly Result[]): string {
  const rows = results.flatMap((result) =>
    result.sections.flatMap((section) => {
      if (section.kind !== 'comparison') return []
      const at = section.measures.findIndex(({ ratio }) => ratio)
      const measure = section.measures[at]
      if (!measure) return []
      const value = (values: readonly number[][]) => grouped(median(values[at] ?? []), measure.digits)
      const paired = section.sides.flatMap((side) => {
        const own = ownSide(side, section.sides)
        return own ? [{ side, own }] : []
      })
      return paired.map(({ side, own }, i) => {
        const again = own === paired[i - 1]?.own
        const title = side.beside ?? section.title
        return [
          again ? '' : `${title}, ${unitOf(measure)}`,
          again ? '' : value(own.values),
          `${side.name}: ${value(side.values)}`,
          ratioOf(own.values[at], side.values[at]).toFixed(2),
          again ? '' : loadText(section.load),
        ]
      })
    }),
  )
  return markdownTable({ head: ['What', 'Demarc', 'Beside it', 'Demarc ÷ it', 'Load'], rows })
}

function markdownTable({ head, rows }: Pick<Table, 'head' | 'rows'>): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}

/** The median of the rounds' ratios: both sides of a round had the same machine. */
function ratioOf(own: readonly number[] = [], other: readonly number[] = []): number {
  return median(own.map((value, i) => value / (other[i] ?? Number.NaN)))
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export const grouped = (n: number, digits: number): string =>
  n.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
const unitOf = ({ name, unit }: { name: string; unit: string }): string => (unit === '' ? name : `${name}, ${unit}`)
const loadText = ({ lowest, highest }: Load): string =>
  lowest === highest ? lowest.toFixed(1) : `${lowest.toFixed(1)} to ${highest.toFixed(1)}`
