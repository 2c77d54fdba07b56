import { readFile, rm, writeFile } from 'node:fs/promises'
import { cdrFilters, ConnectionError, countText, operations, type DemarcClient } from '@demarc/client'
import { downloadExportToFile } from '@demarc/client/node'
import type { Context } from '../../context.ts'
import { Failure, usage } from '../../failure.ts'
import { exportFields } from './export-fields.ts'
import type { Input } from '../../input.ts'
import { isObject, itemOf } from '../../item.ts'
import { plain, requestBody, type PlainOptions } from '../../plain.ts'
import { bytesText } from '../../progress.ts'
import { absent } from '../../settings.ts'
import { optionsOf, shared, type Option, type Verb } from '../../verb.ts'
import { waitFor } from '../../wait.ts'

type Export = Awaited<ReturnType<DemarcClient['getCdrExport']>>['body']['data']

const plainOptions: PlainOptions = { fields: exportFields, examples: [] }
const derived = plain('export', operations.createCdrExport, plainOptions)

const options = (): Option[] => [
  ...optionsOf(derived).filter(({ name }) => name !== shared.dry_run.name),
  { ...shared.output, summary: 'Wait, then download the file to this path and verify its digest' },
  shared.wait,
  shared.timeout,
]

export const exportCalls: Verb = {
  name: 'export',
  summary: 'Export call records and download the file',
  description:
    'With --output, the command waits, downloads the file, and verifies its SHA-256. An interrupted download resumes: immediately if the connection was lost, and with the same command if you stopped this program.',
  operations: ['createCdrExport', 'getCdrExport', 'getCdrExportFile'],
  options,
  examples: [
    'cdr export --from 2026-11-01 --to 2026-12-01 --wait -o calls.csv.gz',
    'cdr export --from 2026-11-01 --to 2026-12-01 --direction inbound --json',
  ],
  async run(context, input) {
    const client = await context.client()
    const body = await requestOf(context, input)
    const file = input.text('output')
    const begun = file === undefined ? null : await begunExport(client, file, body)
    if (begun) await context.remark(`Resuming the download of export ${begun.id}.`)
    const requested = begun ?? (await client.createCdrExport({ body })).body.data
    if (file === undefined && !input.flag('wait')) return context.output.item(itemOf(requested))
    if (file !== undefined)
      await writeFile(resumptionFile(file), JSON.stringify({ export_id: requested.id, body }), { mode: 0o600 })
    const completed = await completedExport(context, client, requested.id, input.duration_ms('timeout'))
    if (file === undefined) return context.output.item(itemOf(completed))
    await fetchExport(context, client, completed, file)
    const { num_calls, total_cost, sha256, bytes } = completed.attributes
    await context.output.done(
      `Export ${completed.id}: ${countText(num_calls ?? 0, 'call')}, ${total_cost} dollars, ${bytesText(bytes ?? 0)} in ${file}. SHA-256 verified: ${sha256}`,
      { ...itemOf(completed), file },
    )
  },
}

/** Waits for an export, downloads its file and verifies it. */
export async function downloadTo(context: Context, export_id: string, file: string): Promise<Export> {
  const client = await context.client()
  const completed = await completedExport(context, client, export_id, undefined)
  await fetchExport(context, client, completed, file)
  return completed
}

type ExportBody = Parameters<DemarcClient['createCdrExport']>[0]['body']

/** The request for these options. The service validates it. */
async function requestOf(context: Context, input: Input): Promise<ExportBody> {
  const body = await requestBody(operations.createCdrExport, plainOptions, context, input)
  // built from the operation's fields; the service validates the values
  const { data } = body as ExportBody & { data: object }
  const { filter_parameters: filters, ...rest } = data.attributes
  const filter_parameters = { ...filters, ...momentOf(input, 'from'), ...momentOf(input, 'to') }
  return { data: { ...data, attributes: { ...rest, filter_parameters } } }
}

const times = { from: 'start_call_start_time', to: 'start_call_end_time' } as const

/** A time as the service reads it; a day alone is its beginning. */
function momentOf(input: Input, option: keyof typeof times): Record<string, string> {
  const text = input.text(option)
  if (text === undefined) return {}
  const moment = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text} 00:00:00` : text
  if (cdrFilters.shape[times[option]].safeParse(moment).success) return { [times[option]]: moment }
  throw usage(`--${option}`, `Must be a UTC time such as 2026-11-01 or "2026-11-01 08:00:00", not ${text}.`)
}

/** The incomplete file of a download; see downloadExportToFile. */
const partOf = (file: string) => `${file}.part`

const resumptionFile = (file: string) => `${partOf(file)}.json`

/** The export of an interrupted download to this file, if the request is for the same calls and the export still has its file. */
async function begunExport(client: DemarcClient, file: string, body: ExportBody): Promise<Export | null> {
  const text = await readFile(resumptionFile(file), 'utf8').catch(absent)
  const resumption: unknown = text === null ? null : JSON.parse(text)
  if (!isObject(resumption) || JSON.stringify(resumption['body']) !== JSON.stringify(body)) {
    await rm(partOf(file), { force: true })
    return null
  }
  const { data } = (await client.getCdrExport({ params: { export_id: String(resumption['export_id']) } })).body
  const { status, expires_at } = data.attributes
  if (status === 'processing' || (status === 'completed' && Date.parse(expires_at ?? '') > Date.now())) return data
  await rm(partOf(file), { force: true })
  return null
}

/** Waits until the export is finished. One that failed is an error. */
async function completedExport(
  context: Context,
  client: DemarcClient,
  export_id: string,
  timeout_ms: number | undefined,
): Promise<Export> {
  const progress = context.progress(`Export ${export_id}`)
  try {
    const ended = await waitFor(context, {
      poll: async () => (await client.getCdrExport({ params: { export_id } })).body.data,
      isDone: ({ attributes }) => attributes.status !== 'processing',
      show: ({ attributes }) => progress.show(attributes.progress, attributes.status),
      timeout_ms,
      subject: `Export ${export_id}`,
      again: `demarc cdr download ${export_id} -o FILE waits for it and downloads it.`,
    })
    if (ended.attributes.status === 'completed') return ended
    throw new Failure({
      exit: 'general',
      status: 'failed',
      lines: [{ field: null, message: `Export ${export_id} failed: ${ended.attributes.failure_reason}` }],
      remedy: 'Request it again.',
    })
  } finally {
    progress.end()
  }
}

/** Connections that may be lost in a row without receiving a byte. With the pauses, that takes about a minute. */
const attempts = 12

async function fetchExport(context: Context, client: DemarcClient, { id }: Export, file: string): Promise<void> {
  const progress = context.progress('Downloading')
  try {
    const { resumed_from } = await downloadExportToFile(client, id, file, {
      signal: context.signal,
      attempts,
      on_progress: ({ bytes, total }) => progress.show(bytes / total, `${bytesText(bytes)} of ${bytesText(total)}`),
    })
    progress.end()
    if (resumed_from > 0) await context.remark(`${bytesText(resumed_from)} were there from before.`)
    await rm(resumptionFile(file), { force: true })
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error
    throw new Failure({
      exit: 'general',
      status: 'unreachable',
      lines: [{ field: null, message: `The download stopped: ${error.message}.` }],
      remedy: `The partial file is ${partOf(file)}. To resume, run the same command when the service is available.`,
      cause: error,
    })
  } finally {
    progress.end()
  }
}
