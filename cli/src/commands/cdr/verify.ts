import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { DemarcClient } from '@demarc/client'
import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import type { Item } from '../../output.ts'
import type { Verb } from '../../verb.ts'
import { unitsOf } from './decimal.ts'
import { amounts, amountText, totalsOf, type Totals } from './totals.ts'

type Export = Awaited<ReturnType<DemarcClient['getCdrExport']>>['body']['data']

export const verifyExport: Verb = {
  name: 'verify',
  summary: 'Verify a file against its export',
  description:
    'Compares size, SHA-256, number of calls, and every total. The digest identifies the export; use --export to see how a changed file differs.',
  operations: ['listCdrExports', 'getCdrExport'],
  arguments: [{ name: 'file', summary: 'An export file' }],
  options: [{ name: 'export', value: 'id', summary: 'The export of the file' }],
  examples: ['cdr verify calls.csv.gz', 'cdr verify calls.csv.gz --export 12'],
  async run(context, input) {
    const client = await context.client()
    const file = input.argument('file')
    const { size } = await stat(file)
    const sha256 = await digestOf(context, file, size)
    const export_id = input.text('export')
    const found =
      export_id === undefined
        ? await exportOf(client, sha256)
        : (await client.getCdrExport({ params: { export_id } })).body.data
    if (!found) throw notFound(file, sha256)
    const checks = [
      check('bytes', String(size), String(found.attributes.bytes)),
      check('sha256', sha256, found.attributes.sha256),
      ...(found.attributes.format === 'parquet' ? [] : totalChecks(await totals(context, file, size), found)),
    ]
    await context.output.list(checks, ['check', 'file', 'export', 'result'])
    const wrong = checks.filter(({ result }) => result !== 'ok')
    if (wrong.length > 0) throw differs(file, found.id, wrong)
    await context.remark(`${file} is the file of export ${found.id}, whole and unchanged.`)
  },
}

async function digestOf(context: Context, file: string, size: number): Promise<string> {
  const progress = context.progress('SHA-256')
  const hash = createHash('sha256')
  let read = 0
  try {
    for await (const chunk of createReadStream(file, { signal: context.signal })) {
      hash.update(chunk)
      progress.show((read += chunk.length) / size)
    }
  } finally {
    progress.end()
  }
  return hash.digest('hex')
}

async function totals(context: Context, file: string, size: number): Promise<Totals> {
  const progress = context.progress('Adding')
  let read = 0
  try {
    return await totalsOf(file, (bytes) => {
      context.signal.throwIfAborted()
      progress.show((read += bytes) / size)
    })
  } finally {
    progress.end()
  }
}

/** The newest export with a file of this digest. */
async function exportOf(client: DemarcClient, sha256: string): Promise<Export | null> {
  for await (const each of client.listCdrExports.all({ query: { status: 'completed' } }))
    if (each.attributes.sha256 === sha256) return each
  return null
}

const check = (name: string, file: string, expected: string | null): Item & { result: string } => ({
  check: name,
  file,
  export: expected,
  result: file === expected ? 'ok' : 'differs',
})

function totalChecks(sums: Totals, { attributes }: Export) {
  const exact = amounts.map((name) => {
    const expected = attributes[name]
    const same = expected !== null && unitsOf(expected) === sums[name]
    return check(name, same ? expected : amountText(sums[name]), expected)
  })
  return [
    check('num_calls', String(sums.num_calls), String(attributes.num_calls)),
    ...exact,
    check('billed_minutes', minutesText(sums.billed_seconds), attributes.billed_minutes),
  ]
}

/** Seconds as minutes with six places, rounded half up, as in an export. */
function minutesText(seconds: bigint): string {
  const millionths = (seconds * 1_000_000n + 30n) / 60n
  return `${millionths / 1_000_000n}.${String(millionths % 1_000_000n).padStart(6, '0')}`
}

const notFound = (file: string, sha256: string) =>
  new Failure({
    exit: 'not_found',
    status: 'not_found',
    lines: [{ field: null, message: `No export of this account has a file with the SHA-256 of ${file}, ${sha256}.` }],
    remedy: 'The file was changed, is incomplete, or belongs to another account. --export ID shows how it differs.',
  })

const differs = (file: string, id: string, wrong: readonly Item[]) =>
  new Failure({
    exit: 'general',
    status: 'differs',
    lines: wrong.map((each) => ({
      field: String(each['check']),
      message: `${file} has ${String(each['file'])}, export ${id} ${String(each['export'])}.`,
    })),
    remedy: `To download it again, run demarc cdr download ${id} -o FILE.`,
  })
