import {
  countText,
  numberChanges,
  plainWords,
  readNumberColumns,
  readNumberRow,
  type ChangedAttribute,
  type DemarcClient,
  type WireError,
} from '@demarc/client'
import type { Context } from '../../context.ts'
import { csvLines } from '../../csv.ts'
import { Failure, usage } from '../../failure.ts'
import type { Input } from '../../input.ts'
import { readText } from '../../io.ts'
import type { Item } from '../../output.ts'
import { textOf } from '../../table.ts'
import type { Verb } from '../../verb.ts'

export const applyNumbers: Verb = {
  name: 'apply',
  summary: 'Change many numbers from a CSV file, one line per number',
  description:
    'The columns are number and any of alias, route, failover, cnam, e911, and cnam_lookups_enabled. An empty cell changes nothing; `none` removes the value or sets the default route. Without --each, one rejected line prevents all changes.',
  operations: ['updateNumbers'],
  arguments: [{ name: 'file', summary: 'CSV with a header line; - is standard input' }],
  options: [
    { name: 'each', summary: 'Apply valid lines and skip the others' },
    { name: 'dry-run', summary: 'Show the result for each line without changing anything' },
  ],
  examples: ['numbers apply numbers.csv --dry-run', 'numbers apply numbers.csv', 'numbers apply numbers.csv --each'],
  async run(context, input) {
    const lines = await readLines(context, input.argument('file'))
    const each = input.flag('each')
    const limit = numberChanges.changedNumbers_max
    if (!each && lines.length > limit)
      throw usage(
        'file',
        `Without --each, the limit is ${limit} lines, but the file has ${lines.length}.`,
        'Split the file, or use --each.',
      )
    if (each && !input.flag('dry-run')) return apply(context, lines, 'each', input)
    const checked = await sendAll(context, lines, { mode: 'each', dry_run: true })
    const refused = checked.filter(({ result }) => result === 'refused').length
    const changes = checked.filter(({ result }) => result === 'changed').length
    if (!input.flag('dry-run') && refused === 0 && changes > 0) return apply(context, lines, 'all_or_none', input)
    const shown = input.flag('dry-run') || refused === 0 ? checked : checked.map(unapplied)
    await context.output.list(shown.map(shownLine), table_columns)
    if (refused > 0) throw refusal(checked, input)
    if (input.flag('dry-run')) await context.remark(`${changes} of ${lines.length} would be changed; nothing was.`)
  },
}

async function apply(context: Context, lines: readonly Line[], mode: Mode, input: Input): Promise<void> {
  const applied = await sendAll(context, lines, { mode, dry_run: false })
  await context.output.list(applied.map(shownLine), table_columns)
  if (applied.some(({ result }) => result === 'refused')) throw refusal(applied, input)
}

const table_columns = ['line', 'number', 'result', 'changes', 'reason']

/** A line of the file. `errors` are those found without the service. */
interface Line {
  line: number
  number: string
  change: Item
  errors: readonly string[]
}

async function readLines(context: Context, file: string): Promise<Line[]> {
  const text = await readText(context.io, file)
  async function* pieces() {
    yield await Promise.resolve(text)
  }
  const rows = csvLines(pieces(), file)
  const first = await rows.next()
  if (first.done)
    throw usage('file', `${file} is empty.`, 'The first line must name the columns, such as number,alias,route.')
  const header = readNumberColumns(first.value.cells)
  if ('problem' in header) throw usage('file', header.problem, header.remedy)
  const { attributes } = header
  const lines: Line[] = []
  for await (const { line, cells } of rows) lines.push(lineOf(cells, attributes, line))
  if (lines.length === 0) throw usage('file', `${file} has only a header line.`)
  return lines
}

function lineOf(row: readonly string[], attributes: readonly ChangedAttribute[], line: number): Line {
  const { number, change, problem } = readNumberRow(row, attributes)
  const parsed = numberChanges.numberChange.safeParse(change, { error: plainWords })
  const issues = parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  return { line, number, change, errors: [...(problem === null ? [] : [problem]), ...issues] }
}

type Mode = 'all_or_none' | 'each'
type Change = Parameters<DemarcClient['updateNumbers']>[0]['body']['numbers'][number]

interface LineResult {
  line: number
  number: string
  result: 'changed' | 'unchanged' | 'refused' | 'not changed'
  from: Item
  to: Item
  reasons: readonly string[]
}

async function sendAll(
  context: Context,
  lines: readonly Line[],
  { mode, dry_run }: { mode: Mode; dry_run: boolean },
): Promise<LineResult[]> {
  const client = await context.client()
  const progress = context.progress(dry_run ? 'Checking' : 'Changing')
  const results: LineResult[] = []
  try {
    for (let from = 0; from < lines.length; from += numberChanges.changedNumbers_max) {
      const part = lines.slice(from, from + numberChanges.changedNumbers_max)
      const sent = part.filter(({ errors }) => errors.length === 0)
      // each was parsed with the operation's schema
      const numbers = sent.map(({ change }) => change as Change)
      const { data } =
        numbers.length === 0
          ? { data: [] }
          : (await client.updateNumbers({ query: { dry_run }, body: { mode, numbers } })).body
      const of = new Map(sent.map((each, i) => [each, data[i]]))
      for (const each of part) {
        const { outcome = 'refused', from: before = {}, to = {}, errors = [] } = of.get(each) ?? {}
        const reasons = [...each.errors, ...errors.flatMap(reasonsOf)]
        results.push({ line: each.line, number: each.number, result: outcome, from: before, to, reasons })
      }
      progress.show(results.length / lines.length)
    }
  } finally {
    progress.end()
  }
  return results
}

const reasonsOf = ({ detail }: WireError): string[] =>
  typeof detail === 'string'
    ? [detail]
    : Object.entries(detail).map(([field, messages]) => `${field}: ${[messages].flat().join(' ')}`)

/** A valid line that was not applied because other lines were refused. */
const unapplied = (line: LineResult): LineResult =>
  line.result === 'changed' ? { ...line, result: 'not changed' } : line

const shownLine = ({ line, number, result, from, to, reasons }: LineResult): Item => ({
  line,
  number,
  result,
  changes: Object.keys(to)
    .map((name) => `${name}: ${text(from[name])} → ${text(to[name])}`)
    .join('; '),
  reason: reasons.join(' '),
  from,
  to,
})

const text = (value: unknown): string => (value === null ? 'none' : textOf(value))

/** More are in the output. */
const reasons_max = 20

/** Names the refused lines with their reasons, for which a table has no room. */
function refusal(results: readonly LineResult[], input: Input): Failure {
  const refused = results.filter(({ result }) => result === 'refused')
  const others = input.flag('each') && !input.flag('dry-run') ? 'the others are changed' : 'nothing was changed'
  const count = `${refused.length} of ${countText(results.length, 'line')} ${refused.length === 1 ? 'is' : 'are'} refused; ${others}.`
  const reasons = refused.slice(0, reasons_max).map(({ line, reasons: why }) => ({
    field: `line ${line}`,
    message: why.join(' '),
  }))
  return new Failure({
    exit: 'general',
    status: 'refused',
    lines: [...reasons, { field: null, message: count }],
    remedy: input.flag('each')
      ? 'Correct those lines and apply the file again.'
      : 'Correct those lines, or use --each to apply the others.',
  })
}
