import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod'
import { median, table } from './report.ts'
import type { Form } from './results.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** What portal/stories/measure.ts prints. */
const measured = z.strictObject({
  rounds: z.int(),
  first_load: z.array(z.strictObject({ kind: z.string(), files: z.int(), bytes: z.int(), compressed_bytes: z.int() })),
  openings: z.array(
    z.strictObject({
      path: z.string(),
      url: z.string(),
      title: z.string(),
      visitor: z.string(),
      cold_ms: z.array(z.number()),
      warm_ms: z.array(z.number()),
    }),
  ),
  searches: z.array(z.strictObject({ text: z.string(), rows: z.int(), ms: z.number() })),
})

type Measured = z.infer<typeof measured>

const times = { short: 2, long: 5 } as const

/** What the portal's first page loads, how long each page takes, and how fast ten thousand numbers are searched: in a browser. */
export async function benchPortal(form: Form): Promise<void> {
  const measure = ['portal/stories/measure.ts', String(times[form])]
  const { stdout } = await promisify(execFile)(process.execPath, measure, { cwd: root })
  const { rounds, first_load, openings, searches } = measured.parse(JSON.parse(stdout))
  reportFirstLoad(first_load)
  const row = (name: string, { cold_ms, warm_ms }: Pick<Measured['openings'][number], 'cold_ms' | 'warm_ms'>) => [
    name,
    ...[median(cold_ms), Math.max(...cold_ms), median(warm_ms), Math.max(...warm_ms)].map(String),
  ]
  table(
    `Portal pages with a reseller's 10,000 numbers, from the URL until the content is drawn and a key is answered, ms, medians of ${rounds}`,
    ['', 'nothing cached', 'slowest', 'cached', 'slowest'],
    openings.map((each) => row(`${each.title}, \`${each.path}\``, each)),
    'pages',
  )
  const ms = searches.map((each) => each.ms)
  table(
    `Searching 10,000 numbers on the portal's page at ten keys a second, from the last key until its rows are drawn, ms`,
    ['searches', 'median', 'p95', 'slowest'],
    [[String(ms.length), ...[median(ms), percentile(ms, 0.95), Math.max(...ms)].map((each) => each.toFixed(0))]],
    'search',
  )
}

function reportFirstLoad(loads: Measured['first_load']): void {
  const kB = (bytes: number) => (bytes / 1000).toFixed(1)
  const code = loads.filter(({ kind }) => kind === 'scripts' || kind === 'styles')
  const sum = (of: Measured['first_load'], key: 'files' | 'bytes' | 'compressed_bytes') =>
    of.reduce((total, each) => total + each[key], 0)
  const row = (name: string, of: Measured['first_load']) => [
    name,
    String(sum(of, 'files')),
    kB(sum(of, 'bytes')),
    kB(sum(of, 'compressed_bytes')),
  ]
  table(
    "What the portal's first page loads",
    ['', 'files', 'kB', 'kB as sent, gzip'],
    [...loads.map((each) => row(each.kind, [each])), row('scripts and styles', code), row('all of it', loads)],
    'first-load',
  )
}

/** The smallest value that so many are not above. */
const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN
