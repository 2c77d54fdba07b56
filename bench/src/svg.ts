import type { Curve } from './results.ts'

/**
 * A curve as an SVG plot with logarithmic axes, so that a cost that does not grow is level and one that grows with the size rises
 * at 45 degrees. Legible on light and dark pages: the file has its own colors for both. Pure.
 */

const WIDTH = 640
/** Where the legend begins, in two columns below the plot. */
const LEGEND = { top: 372, line: 20, column: 285 } as const
const AREA = { left: 70, right: 620, top: 50, bottom: 315 } as const
/** Distinguishable for color-blind readers too, and by their markers: light page, dark page. */
const COLOURS = [
  ['#0b62a4', '#6cb6ff'],
  ['#b3480c', '#ff9e64'],
  ['#2b7a3a', '#7ee787'],
  ['#7a3fa0', '#d2a8ff'],
  ['#5c5c5c', '#b0b0b0'],
  ['#a01350', '#ff8fb8'],
  ['#00717a', '#56d4dd'],
  ['#7d6200', '#e3c04f'],
] as const

export function plot({ title, x, y, lines }: Curve): string {
  const all = lines.flatMap(({ points }) => points)
  const across = axis(all.map((point) => point.x))
  const up = axis(all.map((point) => point.y))
  const px = (value: number) => scaled(value, across, AREA.left, AREA.right)
  const py = (value: number) => scaled(value, up, AREA.bottom, AREA.top)
  const height = LEGEND.top + Math.ceil(lines.length / 2) * LEGEND.line
  const unit = y.unit === '' ? y.name : `${y.name}, ${y.unit}`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(`${title}: ${unit} by ${x}`)}">`,
    style(),
    `<rect class="page" width="${WIDTH}" height="${height}"/>`,
    text(AREA.left, 20, title, 'title'),
    text(AREA.left, 39, unit),
    ...decades(across).map((value) => grid(px(value), AREA.top, px(value), AREA.bottom)),
    ...decades(up).map((value) => grid(AREA.left, py(value), AREA.right, py(value))),
    ...decades(across).map((value) => text(px(value), AREA.bottom + 18, sizeText(value), 'tick', 'middle')),
    ...decades(up).map((value) => text(AREA.left - 8, py(value) + 4, sizeText(value), 'tick', 'end')),
    text(AREA.right, AREA.bottom + 34, x, 'tick', 'end'),
    ...lines.map(({ points }, i) =>
      lineOf(
        points.map((point) => [px(point.x), py(point.y)] as const),
        i,
      ),
    ),
    ...lines.map(({ name }, i) => legend(name, i)),
    '</svg>',
    '',
  ].join('\n')
}

interface Axis {
  from: number
  to: number
}

/** Whole decades around positive values, at least one. */
function axis(values: readonly number[]): Axis {
  const positive = values.filter((value) => value > 0)
  const from = Math.floor(Math.log10(Math.min(...positive)))
  const to = Math.ceil(Math.log10(Math.max(...positive)))
  return positive.length === 0 ? { from: 0, to: 1 } : { from, to: Math.max(to, from + 1) }
}

const decades = ({ from, to }: Axis): number[] => Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i))

/** The position of a value on a logarithmic axis; zero stands on its lower end. */
function scaled(value: number, { from, to }: Axis, start: number, end: number): number {
  const share = value > 0 ? (Math.log10(value) - from) / (to - from) : 0
  return Number((start + share * (end - start)).toFixed(1))
}

function sizeText(value: number): string {
  if (value >= 1e6) return `${value / 1e6} M`
  return value >= 1000 ? `${value / 1000},000` : String(Number(value.toPrecision(1)))
}

function style(): string {
  const colors = (dark: 0 | 1) =>
    COLOURS.map((pair, i) => `.s${i}{stroke:${pair[dark]}}.f${i}{fill:${pair[dark]}}`).join('')
  return `<style>.page{fill:#fff}text{font:12px system-ui,sans-serif;fill:#24292f}.title{font-weight:600;font-size:14px}.tick{fill:#57606a}.grid{stroke:#d8dee4}.line{fill:none;stroke-width:2}${colors(0)}@media (prefers-color-scheme:dark){.page{fill:#0d1117}text{fill:#e6edf3}.tick{fill:#9da7b3}.grid{stroke:#30363d}${colors(1)}}</style>`
}

function lineOf(points: readonly (readonly [x: number, y: number])[], i: number): string {
  const markers = points.map(([x, y]) => marker(x, y, i)).join('')
  return `<polyline class="line s${i}" points="${points.map((point) => point.join(',')).join(' ')}"/>${markers}`
}

/** Circle, square and diamond in turn, because colors alone are not seen by everybody. */
function marker(x: number, y: number, i: number): string {
  if (i % 3 === 0) return `<circle class="f${i}" cx="${x}" cy="${y}" r="4"/>`
  const turned = i % 3 === 2 ? ` transform="rotate(45 ${x} ${y})"` : ''
  return `<rect class="f${i}" x="${x - 3.5}" y="${y - 3.5}" width="7" height="7"${turned}/>`
}

function legend(name: string, i: number): string {
  const x = AREA.left + (i % 2) * LEGEND.column
  const y = LEGEND.top + Math.floor(i / 2) * LEGEND.line
  return `${marker(x, y, i)}${text(x + 10, y + 4, name)}`
}

const grid = (x1: number, y1: number, x2: number, y2: number) =>
  `<line class="grid" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`

function text(x: number, y: number, content: string, kind = '', anchor = 'start'): string {
  return `<text x="${x}" y="${y}"${kind === '' ? '' : ` class="${kind}"`}${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}>${escaped(content)}</text>`
}

const escaped = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
