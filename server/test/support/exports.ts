import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { cdrs, type ResponseBody, type CdrFilterInput } from '@demarc/client'
import type { TestAccount } from './server.ts'

/** Requests and reads call-record exports as a customer would. */

export type ExportResource = ResponseBody<typeof cdrs.createCdrExport>['data']
type ExportInput = { callback_url?: string | null; format?: (typeof cdrs.exportFormats)[number] }

/** All of March 2025, in which the calls of `call-records.ts` lie. */
export const march = {
  start_call_start_time: '2025-03-01 00:00:00',
  start_call_end_time: '2025-04-01 00:00:00',
} satisfies CdrFilterInput

/** Requests an export. */
export async function askExport(
  { client }: Pick<TestAccount, 'client'>,
  filter: Partial<CdrFilterInput> = {},
  input: ExportInput = {},
): Promise<ExportResource> {
  const attributes = { ...input, filter_parameters: { ...march, ...filter } }
  return (await client.createCdrExport({ body: { data: { type: 'cdrexport', attributes } } })).body.data
}

const timeout_ms = 100_000

/** Waits until the export has completed or failed. */
export async function exportEnded({ client }: Pick<TestAccount, 'client'>, id: string): Promise<ExportResource> {
  const deadline = performance.now() + timeout_ms
  for (;;) {
    const { data } = (await client.getCdrExport({ params: { export_id: id } })).body
    if (data.attributes.status !== 'processing') return data
    if (performance.now() > deadline) throw new Error(`export ${id} is still being built`)
    await sleep(20)
  }
}

/** Requests an export and waits until it is completed. */
export async function completedExport(...args: Parameters<typeof askExport>): Promise<ExportResource> {
  const ended = await exportEnded(args[0], (await askExport(...args)).id)
  assert.equal(ended.attributes.status, 'completed', String(ended.attributes.failure_reason))
  return ended
}

/** The file behind `download_url`, fetched without a key; its length and digest are checked. */
export async function download({ attributes }: ExportResource): Promise<Buffer> {
  assert.ok(attributes.download_url)
  const response = await fetch(attributes.download_url)
  assert.equal(response.status, 200)
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.equal(bytes.length, attributes.bytes)
  assert.equal(createHash('sha256').update(bytes).digest('hex'), attributes.sha256)
  return bytes
}

export type CsvRow = Record<(typeof cdrs.exportColumns)[number], string>

/** Rows of a csv.gz file; its header line must be the documented one. */
export function csvRows(file: Buffer): CsvRow[] {
  const text = gunzipSync(file).toString('utf8')
  assert.ok(text.startsWith(`${cdrs.exportColumns.join(',')}\n`), 'the header line is first')
  return parse(text, { columns: true })
}

const decimals = 8

/** A decimal in hundred-millionths, exactly. */
export function units(decimal: string): bigint {
  const [, sign = '', integer = '0', fraction = ''] =
    /^(-?)(\d+)(?:\.(\d{1,8}))?$/.exec(decimal) ?? assert.fail(decimal)
  const value = BigInt(integer + fraction.padEnd(decimals, '0'))
  return sign === '' ? value : -value
}

/** Sum of a column, exactly. */
export const sumOf = (rows: readonly CsvRow[], column: keyof CsvRow): bigint =>
  rows.reduce((sum, row) => sum + units(row[column]), 0n)
