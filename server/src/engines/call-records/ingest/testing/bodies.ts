/** Request bodies for ingest tests. */

import { Readable } from 'node:stream'

export type Sent = Record<string, unknown>

/** A record with a valid value in every field. */
export function call(id: string, changes: Sent = {}): Sent {
  return {
    account_id: '7',
    id,
    direction: 'outbound',
    start_time: '2026-03-01T12:00:00.123Z',
    end_time: '2026-03-01T12:01:10.456Z',
    destination: '+12065550100',
    number_alias: 'Front desk',
    callerid: '+13035550111',
    destination_name: 'SEATTLE, WA',
    destination_country: 'US',
    callerid_country: 'ca',
    line_information: 'landline',
    result: 'completed',
    call_fail_sip_code: null,
    call_fail_reason: '',
    duration: 70,
    billed_duration: 72,
    rate: '0.0098',
    first_increment: 6,
    subsequent_increment: 6,
    cost_subtotal: '0.01176',
    connect_fee: '0.001',
    usf_fee: '0.0002',
    ccrf: '0.00003',
    cnam_lookup_fee: '0.000004',
    custom_x_tags: ['team:sales', 'pilot'],
    customer_ip: '192.0.2.10',
    ...changes,
  }
}

/** A record with only the required fields. */
export function least(id: string, changes: Sent = {}): Sent {
  const { account_id, direction, start_time, end_time, destination, callerid, result, duration, billed_duration } =
    call(id)
  const required = {
    account_id,
    direction,
    start_time,
    end_time,
    destination,
    callerid,
    result,
    duration,
    billed_duration,
  }
  return { id, ...required, ...changes }
}

export function ndjson(records: readonly Sent[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

/** CSV with the columns of the first record, quoted where RFC 4180 requires it. */
export function csv(records: readonly Sent[], newline = '\n'): string {
  const columns = Object.keys(records[0] ?? {})
  const lines = records.map((record) => columns.map((column) => cellOf(record[column])).join(','))
  return [columns.join(','), ...lines].map((line) => line + newline).join('')
}

function cellOf(value: unknown): string {
  const text = Array.isArray(value)
    ? value.join('|')
    : typeof value === 'string' || typeof value === 'number'
      ? String(value)
      : ''
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A stream of a body in chunks of `size` bytes, as from a network. */
export function inChunks(body: Buffer | string, size = 1000): Readable {
  const bytes = Buffer.from(body)
  return Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
    })(),
    { objectMode: false },
  )
}
