import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { isZone } from '@demarc/client'
import type { Context } from '../../../context.ts'
import { Failure, usage } from '../../../failure.ts'
import type { Input } from '../../../input.ts'
import { absent } from '../../../settings.ts'
import { csvLine } from '../../../table.ts'
import { shared, type Verb } from '../../../verb.ts'
import { openCallFile } from '../call-file.ts'
import { textOfUnits, unitsOf } from '../decimal.ts'
import { downloadTo } from '../export.ts'
import { callLines, columnsOf, costColumn, type Columns } from './call.ts'
import { compare, type Difference, type Summary, type Tolerances } from './compare.ts'
import { sorted, type Batches } from './sort.ts'

export const reconcileCalls: Verb = {
  name: 'reconcile',
  summary: 'Compare your call records with an export',
  description:
    'Two calls match if both numbers are equal and the times differ by at most --time-tolerance. The exit status is 1 if anything differs. Files can have any size, because calls are sorted in temporary files.',
  operations: ['getCdrExport', 'getCdrExportFile'],
  arguments: [
    { name: 'mine', summary: 'Your records: CSV with a header line or NDJSON; plain, gzip, or Zstandard' },
    { name: 'export', summary: 'An export file, or the ID of an export to download' },
  ],
  options: [
    {
      name: 'columns',
      value: 'pairs',
      summary:
        'Your column names, such as start_time=calldate,callerid=src,destination=dst,duration=billsec,cost=price',
    },
    { name: 'export-columns', value: 'pairs', summary: 'Column names of the export, such as duration=billed_duration' },
    { name: 'zone', value: 'zone', summary: 'Time zone of your times without an offset (default UTC)' },
    { name: 'time-tolerance', value: 'seconds', summary: 'Maximum difference of times (default 1)' },
    { name: 'duration-tolerance', value: 'seconds', summary: 'Maximum difference of durations (default 0)' },
    { name: 'cost-tolerance', value: 'dollars', summary: 'Maximum difference of costs (default 0)' },
    { ...shared.output, summary: 'Write every difference to this CSV' },
    { name: 'temporary', value: 'folder', summary: 'Folder for sorting; needs space for both files uncompressed' },
  ],
  examples: [
    'cdr reconcile mine.csv calls.csv.gz -o differences.csv',
    'cdr reconcile cdr.csv 12 --columns start_time=calldate,callerid=src,destination=dst,duration=billsec --zone America/Chicago',
  ],
  async run(context, input) {
    const zone = input.text('zone')
    if (zone !== undefined && !isZone(zone)) throw usage('--zone', `${zone} is not an IANA time zone.`)
    const tolerances = tolerancesOf(input)
    const columns = {
      mine: columnsOf('--columns', input.text('columns')),
      theirs: columnsOf('--export-columns', input.text('export-columns')),
    }
    const folder = await mkdtemp(path.join(input.text('temporary') ?? os.tmpdir(), 'demarc-reconcile-'))
    try {
      const theirs_file = await fileOf(context, input.argument('export'), folder)
      const mine = await side(context, {
        file: input.argument('mine'),
        columns: columns.mine,
        zone,
        folder,
        name: 'mine',
      })
      const theirs = await side(context, {
        file: theirs_file,
        columns: columns.theirs,
        zone: undefined,
        folder,
        name: 'export',
      })
      const summary = await reported(context, { mine, theirs }, tolerances, input.text('output'))
      await context.output.item(shown(summary))
      refuseDifferences(summary, input.text('output'))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

/** The export's file; if given an id, downloads it first. */
async function fileOf(context: Context, id_or_file: string, folder: string): Promise<string> {
  if (!/^\d{1,18}$/.test(id_or_file) || (await stat(id_or_file).catch(absent)) !== null) return id_or_file
  const file = path.join(folder, 'download')
  await downloadTo(context, id_or_file, file)
  return file
}

interface SideOptions {
  file: string
  columns: Columns
  zone: string | undefined
  folder: string
  name: string
}

async function side(context: Context, { file, columns, zone, folder, name }: SideOptions): Promise<Batches> {
  const { size } = await stat(file)
  const progress = context.progress(`Sorting ${name}`)
  let read = 0
  try {
    const calls = await openCallFile(file, (bytes) => progress.show((read += bytes) / size))
    if (costColumn(calls.header, columns) === null)
      await context.remark(`Costs are not compared: ${file} has no column ${columns.cost}.`)
    return await sorted(interruptible(callLines(calls, { file, columns, zone }), context.signal), { folder, name })
  } finally {
    progress.end()
  }
}

async function* interruptible(lines: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<string> {
  for await (const line of lines) {
    signal.throwIfAborted()
    yield line
  }
}

const report_columns = [
  'difference',
  'callerid',
  'destination',
  'mine_start_time',
  'export_start_time',
  'mine_duration',
  'export_duration',
  'mine_cost',
  'export_cost',
  'mine_call',
  'export_call',
]

/** Compares, and writes the differences to the file if one was given. */
async function reported(
  context: Context,
  sides: { mine: Batches; theirs: Batches },
  tolerances: Tolerances,
  file: string | undefined,
): Promise<Summary> {
  if (file === undefined)
    return await compare(sides, tolerances, () => Promise.resolve(context.signal.throwIfAborted()))
  const handle = await open(file, 'w')
  let waiting = csvLine(report_columns)
  const flush = async () => {
    await handle.appendFile(waiting)
    waiting = ''
  }
  try {
    const summary = await compare(sides, tolerances, async (difference) => {
      context.signal.throwIfAborted()
      waiting += csvLine(reportRow(difference))
      if (waiting.length > write_size) await flush()
    })
    await flush()
    return summary
  } finally {
    await handle.close()
  }
}

const write_size = 64 * 1024

function reportRow({ kind, mine, theirs }: Difference): string[] {
  const [callerid = '', destination = ''] = (mine ?? theirs).key.split('|')
  const of = (name: 'start_ms' | 'duration' | 'cost' | 'nth', text: (value: string) => string = String) =>
    [mine, theirs].map((call) => (call === null || call[name] === null ? '' : text(String(call[name]))))
  return [
    kind,
    callerid,
    destination,
    ...of('start_ms', (ms) => new Date(Number(ms)).toISOString()),
    ...of('duration'),
    ...of('cost', (units) => textOfUnits(BigInt(units))),
    ...of('nth'),
  ]
}

function tolerancesOf(input: Input): Tolerances {
  const seconds = (option: string, fallback: number) => {
    const text = input.text(option)
    if (text === undefined) return fallback
    if (!/^\d{1,9}(\.\d{1,3})?$/.test(text)) throw usage(`--${option}`, `Must be seconds, not ${text}.`)
    return Number(text)
  }
  const cost = unitsOf(input.text('cost-tolerance') ?? '0')
  if (cost === null || cost < 0n)
    throw usage('--cost-tolerance', `Must be dollars such as 0.0001, not ${input.text('cost-tolerance')}.`)
  return { time_ms: seconds('time-tolerance', 1) * 1000, duration_s: seconds('duration-tolerance', 0), cost }
}

const shown = (summary: Summary) => ({
  ...summary,
  mine_cost: summary.mine_cost === null ? null : textOfUnits(summary.mine_cost),
  export_cost: summary.export_cost === null ? null : textOfUnits(summary.export_cost),
})

function refuseDifferences({ missing, extra, different_duration, different_cost }: Summary, file: string | undefined) {
  const counts = { missing, extra, 'different duration': different_duration, 'different cost': different_cost }
  const found = Object.entries(counts).filter(([, count]) => count > 0)
  if (found.length === 0) return
  throw new Failure({
    exit: 'general',
    status: 'differs',
    lines: [
      { field: null, message: `The records differ: ${found.map(([what, count]) => `${count} ${what}`).join(', ')}.` },
    ],
    remedy: file === undefined ? '-o FILE writes every difference to a file.' : `See ${file} for every difference.`,
  })
}
