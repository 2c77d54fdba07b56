import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat, type FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import zlib from 'node:zlib'
import { ConflictError, countText, isTransient, type DemarcClient } from '@demarc/client'
import type { Context } from '../../context.ts'
import { Failure, usage } from '../../failure.ts'
import type { Input } from '../../input.ts'
import type { Verb } from '../../verb.ts'
import { batchesOf, partOfBatch, recordOf, type Batch } from './records.ts'

export const importCalls: Verb = {
  name: 'import',
  summary: 'Import call records from a file (operator)',
  description:
    'Sends the file in batches, each with an idempotency key derived from its content. If the service is unavailable, the command waits and sends the batch again. If the command is interrupted, run it again: stored batches are recognized, and no record is stored twice. Rejected lines are copied to --rejected so that you can correct and import them.',
  operations: ['ingestCdrs'],
  arguments: [{ name: 'file', summary: 'CSV or NDJSON, plain or gzip' }],
  options: [
    {
      name: 'mapping',
      value: 'name',
      summary: 'Format of the switch, such as freeswitch-json; requires --account',
    },
    { name: 'rejected', value: 'file', summary: 'Write rejected lines to this file' },
    { name: 'batch', value: 'count', summary: 'Records per batch (default 10000)' },
  ],
  examples: [
    'cdr import calls.ndjson --rejected rejected.ndjson',
    'cdr import Master.csv --mapping asterisk-csv --account 1001',
  ],
  async run(context, input) {
    const file = input.argument('file')
    const source = await openSource(file, input.text('mapping'))
    const rejected_file = input.text('rejected')
    const rejected = rejected_file === undefined ? null : await open(rejected_file, 'w')
    try {
      const totals = await importAll(context, source, { file, input, rejected })
      await context.output.done(
        `${totals.accepted} accepted, ${totals.duplicates} known already, ${totals.rejected} rejected.`,
        { ...totals, rejected_file: rejected_file ?? null },
      )
      if (totals.rejected > 0) throw refusal(totals, rejected_file)
    } finally {
      await rejected?.close()
    }
  },
}

interface Source {
  chunks: AsyncIterable<Buffer>
  type: 'text/csv' | 'application/x-ndjson'
  csv: boolean
  /** Switches write CSV without a header line. */
  has_header: boolean
  size: number
  /** Bytes read from the file. */
  read: () => number
}

const gzip_magic = '1f8b'

async function openSource(file: string, mapping: string | undefined): Promise<Source> {
  const { size } = await stat(file)
  const handle = await open(file)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0)
  await handle.close()
  if (bytesRead === 0) throw usage('file', `${file} is empty.`)
  const packed = buffer.toString('hex') === gzip_magic
  let read = 0
  const bytes = createReadStream(file, { highWaterMark: 256 * 1024 })
  bytes.on('data', (chunk) => (read += chunk.length))
  // an error in the first stream ends the last, and its reader throws it
  const chunks: AsyncIterable<Buffer> = packed ? pipeline(bytes, zlib.createGunzip(), () => undefined) : bytes
  const { first, all } = await withFirst(chunks)
  const csv = mapping === undefined ? !/^[\uFEFF\s]*\{/.test(first.toString('utf8', 0, 100)) : mapping.endsWith('csv')
  const type = csv ? 'text/csv' : 'application/x-ndjson'
  return { chunks: all, type, csv, has_header: csv && mapping === undefined, size, read: () => read }
}

async function withFirst(chunks: AsyncIterable<Buffer>): Promise<{ first: Buffer; all: AsyncIterable<Buffer> }> {
  const iterator = chunks[Symbol.asyncIterator]()
  const next = await iterator.next()
  const first: Buffer = next.done ? Buffer.alloc(0) : next.value
  async function* all() {
    yield first
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return { first, all: all() }
}

interface Totals {
  records: number
  accepted: number
  duplicates: number
  rejected: number
}

interface Import {
  file: string
  input: Input
  /** Where rejected lines go. */
  rejected: FileHandle | null
}

const records_max = 10_000
const bytes_max = 8 * 1024 * 1024
const reasons_max = 20

async function importAll(context: Context, source: Source, { file, input, rejected }: Import): Promise<Totals> {
  const totals: Totals = { records: 0, accepted: 0, duplicates: 0, rejected: 0 }
  const progress = context.progress('Importing')
  const limits = { csv: source.csv, records_max: input.integer('batch', 1) ?? records_max, bytes_max }
  let header = Buffer.alloc(0)
  let explained = 0
  try {
    for await (const batch of batchesOf(source.chunks, limits)) {
      const first = totals.records === 0 && source.has_header && header.length === 0
      if (first) header = Buffer.from(recordOf(batch, 0))
      const records = first ? partOfBatch(batch, 1, batch.lines.length) : batch
      if (first) await rejected?.appendFile(header)
      if (records.lines.length === 0) continue
      const request = { context, source, header, mapping: input.text('mapping') }
      const outcome = await send(request, records)
      totals.records += records.lines.length
      for (const name of ['accepted', 'duplicates', 'rejected'] as const) totals[name] += outcome[name]
      for (const { nth, reasons } of await rejections(request, records, outcome)) {
        await rejected?.appendFile(recordOf(records, nth))
        if (++explained > reasons_max) continue
        progress.end()
        await context.remark(`${file}:${records.lines[nth]}: ${reasons}`)
      }
      progress.show(source.read() / source.size, `${totals.records} records`)
    }
  } finally {
    progress.end()
  }
  if (explained > reasons_max) await context.remark(`… and ${countText(explained - reasons_max, 'more line')}.`)
  return totals
}

interface Request {
  context: Context
  source: Source
  /** Empty where the file has none. */
  header: Buffer
  mapping: string | undefined
}

type Outcome = Awaited<ReturnType<DemarcClient['ingestCdrs']>>['body']['data']

const patience_ms = 120_000
const first_pause_ms = 250
const longest_pause_ms = 5_000

/** Sends a batch until the service responds. The key is a digest of the content, so the service recognizes a repeated batch. */
async function send({ context, source, header, mapping }: Request, { bytes, lines }: Batch): Promise<Outcome> {
  const client = await context.client()
  const body = Buffer.concat([header, bytes])
  const { account_id } = context
  const idempotency_key = `import-${createHash('sha256').update(`${mapping} ${account_id} `).update(body).digest('hex')}`
  const query = { ...(mapping === undefined ? {} : { mapping }), ...(account_id === undefined ? {} : { account_id }) }
  const packed = zlib.gzipSync(body, { level: 1 })
  const began = performance.now()
  for (let pause_ms = first_pause_ms; ; pause_ms = Math.min(pause_ms * 2, longest_pause_ms)) {
    try {
      const sent = { query, body: packed, content_type: source.type, content_encoding: 'gzip' }
      return (await client.ingestCdrs(sent, { idempotency_key })).body.data
    } catch (error) {
      // the service is still working on the request whose connection was lost
      const under_way = error instanceof ConflictError
      if (!isTransient(error) && !under_way) throw error
      if (performance.now() - began > patience_ms) throw givenUp(lines[0] ?? 1, error)
      await sleep(pause_ms, undefined, { signal: context.signal })
    }
  }
}

/** The rejected records of a batch with their reasons; the service explains the first hundred, so halves are sent again. */
async function rejections(
  request: Request,
  batch: Batch,
  { rejected, errors }: Outcome,
): Promise<{ nth: number; reasons: string }[]> {
  if (rejected === 0) return []
  if (errors.length >= rejected || batch.lines.length < 2)
    return errors.map((error) => rejection(request, batch, error))
  const middle = batch.lines.length >> 1
  const [first, second] = [partOfBatch(batch, 0, middle), partOfBatch(batch, middle, batch.lines.length)]
  return [
    ...(await rejections(request, first, await send(request, first))),
    ...(await rejections(request, second, await send(request, second))).map((each) => ({
      ...each,
      nth: each.nth + middle,
    })),
  ]
}

/** Which record of the batch an error is about: the service counts the lines of the body. */
function rejection({ header }: Request, { lines }: Batch, { line, messages }: Outcome['errors'][number]) {
  const in_file = line - (header.length > 0 ? 1 : 0) + (lines[0] ?? 1) - 1
  const nth = lines.findLastIndex((each) => each <= in_file)
  const reasons = Object.entries(messages).map(([field, texts]) => `${field}: ${texts.join(' ')}`)
  return { nth: Math.max(nth, 0), reasons: reasons.join(' ') }
}

const givenUp = (line: number, cause: unknown) =>
  new Failure({
    exit: 'general',
    status: 'unreachable',
    lines: [{ field: null, message: `The import stopped at line ${line}: the service is not responding.` }],
    remedy: 'Run the same command when the service is available. No record is stored twice.',
    cause,
  })

const refusal = ({ accepted, duplicates, rejected }: Totals, file: string | undefined) =>
  new Failure({
    exit: 'general',
    status: 'rejected',
    lines: [
      {
        field: null,
        message:
          accepted + duplicates === 0
            ? `Nothing was stored: ${countText(rejected, 'record was', 'records were')} rejected.`
            : `${countText(rejected, 'record was', 'records were')} rejected; the others are stored.`,
      },
    ],
    remedy:
      file === undefined
        ? 'Correct the lines above and import them again. --rejected FILE writes them to a file.'
        : `Correct the lines in ${file}, then import it.`,
  })
