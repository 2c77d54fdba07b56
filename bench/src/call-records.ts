import { Readable } from 'node:stream'
import type { Service } from './service.ts'

/** The year that the records are spread over, as the filter of an export. */
export const year = { start_call_start_time: '2025-01-01 00:00:00', start_call_end_time: '2026-01-01 00:00:00' }

/** Ingests records of an account, spread over the year and numbered from `from`, and returns how many milliseconds it took. */
export async function appendCalls({ operator }: Service, account_id: string, rows: number, from = 0): Promise<number> {
  const began = performance.now()
  const lines = callLines(account_id, { from, rows }, new Date('2025-01-01T00:00:00Z'), 365)
  const { body } = await operator.ingestCdrs({
    body: Readable.toWeb(Readable.from(lines, { objectMode: false })),
    content_type: 'application/x-ndjson',
  })
  const took_ms = performance.now() - began
  const { accepted, errors } = body.data
  if (accepted !== rows)
    throw new Error(`of ${rows} records ${accepted} were accepted: ${JSON.stringify(errors.slice(0, 3))}`)
  return took_ms
}

/** Call records as NDJSON, generated fast and deterministically, so that the generator is not what is measured. */
const destinations = [
  ['1206', 'United States', 'US'],
  ['1503', 'United States', 'US'],
  ['1604', 'Canada', 'CA'],
  ['4420', 'United Kingdom, London', 'GB'],
  ['4930', 'Germany, Berlin', 'DE'],
] as const

const results = [
  'completed',
  'completed',
  'completed',
  'completed',
  'no_answer',
  'busy',
  'cancelled',
  'failed',
] as const

/** `rows` records of one account spread over `days` days from `start`, in chunks of text. */
export function* callLines(
  account_id: string,
  { from, rows }: { from: number; rows: number },
  start: Date,
  days: number,
): Generator<Buffer> {
  let seed = 42
  const next = () => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0)
  const step_ms = (days * 86_400_000) / rows
  let lines: string[] = []
  for (let i = 0; i < rows; i++) {
    const [prefix = '', name = '', country = ''] = destinations[next() % destinations.length] ?? []
    const result = results[next() % results.length] ?? 'completed'
    const duration = result === 'completed' ? 1 + (next() % 600) : 0
    const at = start.getTime() + Math.floor(i * step_ms)
    // records overlap in time, so that they must be sorted
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
