import path from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { cdrs } from '@demarc/client'
import type { Account, Service } from './service.ts'

/** The year that the records are spread over, as an export filter. */
export const year = { start_call_start_time: '2025-01-01 00:00:00', start_call_end_time: '2026-01-01 00:00:00' }

/** Ingests records spread over the year and numbered from `from`. Returns the time it took, milliseconds. */
export async function appendCalls({ operator }: Service, account_id: string, rows: number, from = 0): Promise<number> {
  const began = performance.now()
  const lines = callLines(account_id, { from, rows }, 365)
  const { body } = await operator.ingestCdrs({
    body: Readable.toWeb(Readable.from(lines, { objectMode: false })),
    content_type: 'application/x-ndjson',
  })
  const took_ms = performance.now() - began
  const { accepted, errors } = body.data
  if (accepted !== rows)
    throw new Error(`${accepted} of ${rows} records were accepted: ${JSON.stringify(errors.slice(0, 3))}`)
  return took_ms
}

export interface Exported {
  /** From the request until the customer sees it completed. */
  ms: number
  digest: string
  bytes: number
  num_calls: number
  file: string
}

/** Requests an export and waits until it is completed. */
export async function exportCalls(
  { folder }: Service,
  { client }: Account,
  format: (typeof cdrs.exportFormats)[number] = 'csv',
  filter_parameters = year,
): Promise<Exported> {
  const began = performance.now()
  const { body } = await client.createCdrExport({
    body: { data: { type: 'cdrexport', attributes: { format, filter_parameters } } },
  })
  const { id } = body.data
  for (;;) {
    const { attributes } = (await client.getCdrExport({ params: { export_id: id } })).body.data
    if (attributes.status === 'failed') throw new Error(attributes.failure_reason ?? 'the export failed')
    if (attributes.status === 'completed') {
      const ms = performance.now() - began
      const digest = attributes.sha256 ?? ''
      const file = path.join(folder, 'files', digest.slice(0, 2), digest.slice(2, 4), digest)
      return { ms, digest, bytes: attributes.bytes ?? 0, num_calls: attributes.num_calls ?? 0, file }
    }
    await sleep(20)
  }
}

const destinations = [
  ['1206', 'United States', 'US'],
  ['1503', 'United States', 'US'],
  ['1604', 'Canada', 'CA'],
  ['4420', 'United Kingdom, London', 'GB'],
  ['4930', 'Germany, Berlin', 'DE'],
] as const

const results = 'completed completed completed completed no_answer busy cancelled failed'.split(' ')

/** The same records of one account on every run, spread over `days` days from January 1, 2025, as chunks of NDJSON. */
export function* callLines(
  account_id: string,
  { from, rows }: { from: number; rows: number },
  days: number,
): Generator<Buffer> {
  let seed = 42
  const next = () => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0)
  const start = Date.parse('2025-01-01T00:00:00Z')
  const step_ms = (days * 86_400_000) / rows
  let lines: string[] = []
  for (let i = 0; i < rows; i++) {
    const [prefix = '', name = '', country = ''] = destinations[next() % destinations.length] ?? []
    const result = results[next() % results.length] ?? 'completed'
    const duration = result === 'completed' ? 1 + (next() % 600) : 0
    const at = start + Math.floor(i * step_ms)
    // records overlap in time, so an export has to sort them
    const start_time = new Date(at + (next() % 1000)).toISOString()
    const cost = (duration * 163) % 1_000_000
    lines.push(
      `{"account_id":"${account_id}","id":"b${account_id}-${from + i}","direction":"${next() % 3 === 0 ? 'inbound' : 'outbound'}","start_time":"${start_time}","end_time":"${new Date(at + duration * 1000 + 1000).toISOString()}",` +
        `"destination":"${prefix}${2_000_000 + (next() % 7_999_999)}","number_alias":"Customer ${next() % 400}","callerid":"+1206556${String(next() % 10_000).padStart(4, '0')}","destination_name":"${name}","destination_country":"${country}","callerid_country":"US",` +
        `"line_information":"landline","result":"${result}","duration":${duration},"billed_duration":${duration},"rate":"0.00980000","first_increment":6,"subsequent_increment":6,"cost_subtotal":"0.${String(cost).padStart(8, '0')}","connect_fee":"0","usf_fee":"0.${String(Math.floor(cost / 3)).padStart(8, '0')}","ccrf":"0","cnam_lookup_fee":"0","custom_x_tags":["t${next() % 20}"],"customer_ip":"192.0.2.${next() % 250}"}\n`,
    )
    if (lines.length === 2000) {
      yield Buffer.from(lines.join(''))
      lines = []
    }
  }
  if (lines.length > 0) yield Buffer.from(lines.join(''))
}
