import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { median, table } from './report.ts'

/** The output of portal/stories/measure.ts. */
interface Measured {
  rounds: number
  first_load: FirstLoad[]
  openings: { path: string; title: string; cold_ms: number[]; warm_ms: number[] }[]
  searches: { ms: number }[]
}

interface FirstLoad {
  kind: string
  files: number
  bytes: number
  compressed_bytes: number
}

/** In a browser: size of the portal's first load, time to open each page, and time to search 10,000 numbers. */
export async function benchPortal(long: boolean): Promise<void> {
  const { stdout } = await promisify(execFile)(process.execPath, ['portal/stories/measure.ts', String(long ? 5 : 2)], {
    cwd: path.resolve(import.meta.dirname, '../..'),
  })
  const { rounds, first_load, openings, searches }: Measured = JSON.parse(stdout)
  const code = first_load.filter(({ kind }) => kind === 'scripts' || kind === 'styles')
  table({
    name: 'first-load',
    title: 'Files that the first page of the portal loads',
    head: ['', 'files', 'kB', 'kB as sent, gzip'],
    rows: [
      ...first_load.map((each) => sizeRow(each.kind, [each])),
      sizeRow('scripts and styles', code),
      sizeRow('total', first_load),
    ],
  })
  table({
    name: 'pages',
    title: `Time to open a page with a reseller's 10,000 numbers, ms, medians of ${rounds}`,
    head: ['', 'nothing cached', 'slowest', 'cached', 'slowest'],
    rows: openings.map(({ title, path: route, cold_ms, warm_ms }) => [
      `${title}, \`${route}\``,
      ...[median(cold_ms), Math.max(...cold_ms), median(warm_ms), Math.max(...warm_ms)].map(String),
    ]),
  })
  const ms = searches.map((each) => each.ms).toSorted((a, b) => a - b)
  table({
    name: 'search',
    title: 'Searching 10,000 numbers at ten keystrokes per second, from the last keystroke until its rows appear, ms',
    head: ['searches', 'median', 'p95', 'slowest'],
    rows: [
      [
        String(ms.length),
        ...[median(ms), ms[Math.ceil(ms.length * 0.95) - 1] ?? Number.NaN, Math.max(...ms)].map((each) =>
          each.toFixed(0),
        ),
      ],
    ],
  })
}

function sizeRow(name: string, of: FirstLoad[]): string[] {
  const sum = (key: 'files' | 'bytes' | 'compressed_bytes') => of.reduce((total, each) => total + each[key], 0)
  const kB = (bytes: number) => (bytes / 1000).toFixed(1)
  return [name, String(sum('files')), kB(sum('bytes')), kB(sum('compressed_bytes'))]
}
