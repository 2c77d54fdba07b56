import assert from 'node:assert/strict'
import type { DemarcClient } from '@demarc/client'
import type { CdrFilter, CdrRecord } from '../types.ts'

/** Call records for tests. */

export const ACCOUNT = '7001'
export const ALL_TIME = {
  start_call_start_time: new Date('1900-01-01T00:00:00.000Z'),
  start_call_end_time: new Date('2300-01-01T00:00:00.000Z'),
} satisfies CdrFilter

/** A completed call with the fields that a test needs overridden. */
export function callRecord(overrides: Partial<CdrRecord> = {}): CdrRecord {
  return {
    account_id: ACCOUNT,
    id: crypto.randomUUID(),
    direction: 'outbound',
    start_time: new Date('2025-03-01T12:00:00.000Z'),
    end_time: new Date('2025-03-01T12:01:00.000Z'),
    destination: '+12065550100',
    number_alias: 'Front desk',
    callerid: '+14255550111',
    destination_name: 'Seattle, WA',
    destination_country: 'US',
    callerid_country: 'US',
    line_information: '',
    result: 'completed',
    call_fail_sip_code: null,
    call_fail_reason: '',
    duration: 60,
    billed_duration: 60,
    rate: '0.0098',
    first_increment: 6,
    subsequent_increment: 6,
    cost_subtotal: '0.0098',
    connect_fee: '0',
    usf_fee: '0.001',
    ccrf: '0.0005',
    cnam_lookup_fee: '0',
    custom_x_tag: [],
    customer_ip: '192.0.2.10',
    ...overrides,
  }
}

/** A seeded random number generator (mulberry32): the same seed gives the same sequence. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (end: number): number => Math.floor(next() * end)
  const pick = <T>(values: readonly T[]): T => {
    const value = values[below(values.length)]
    if (value === undefined) throw new RangeError('nothing to pick from')
    return value
  }
  return {
    next,
    below,
    pick,
    some: (values, most) => Array.from({ length: 1 + below(most) }, () => pick(values)),
    digits: (length) => Array.from({ length }, () => below(10)).join(''),
  }
}

export type SeededRandom = {
  /** From 0 up to 1. */
  next: () => number
  below: (end: number) => number
  pick: <T>(values: readonly T[]) => T
  /** One to `most` of them, repeats allowed. */
  some: <T>(values: readonly T[], most: number) => T[]
  digits: (length: number) => string
}

/** Texts that break careless escaping: quotes, separators, formulas, NUL, scripts, other planes, other quoting rules. */
export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  "O'Brien",
  "' OR 1=1 --",
  "') OR 1=1 --",
  "\\' OR 1=1 --",
  "x') UNION ALL SELECT 1 FORMAT JSON --",
  "unhex('41')",
  '{name:String}',
  '%',
  '_',
  '\\',
  '\\N',
  '\\x41',
  'NULL',
  '"',
  '""',
  '"a","b"',
  'a,b;c|d',
  'line\nbreak',
  'line\r\nbreak',
  '\n',
  '\r',
  '\ttab',
  '=1+1',
  "=cmd|' /C calc'!A0",
  '+1+1',
  '+12065550100',
  '-1',
  '-12065550100',
  '@SUM(A1)',
  '\n=1+1',
  '\v=1+1',
  '\f+1+1',
  '\u00a0=1+1',
  '\ufeff=1+1',
  '\u2028@SUM(A1)',
  '\u0085-1-1',
  '  =1+1',
  ' \u3000\u200b\ufeff=1+1',
  ' +12065550100',
  ' plain',
  '\u00a0plain',
  '\vplain',
  '\uff1d1+1',
  '\uff0b1+1',
  '\uff0d1+1',
  '\uff20SUM(A1)',
  'a=1+1',
  'nul\0inside',
  '\0',
  '😀 emoji 👩‍👩‍👧',
  'e\u0301 decomposed',
  '\u00e9 composed',
  'ΣΑΣ sigma σας',
  'Straße STRASSE',
  'İstanbul ıstanbul',
  '日本語',
  'עברית',
  '\u202e reversed',
  '\ufeff mark',
  '\u0085\u2028\u2029',
  '<script>alert(1)</script>',
  '$(reboot) `reboot` ; DROP TABLE cdr; /* */ --',
  'a'.repeat(5000),
]

/** Ingests a call of March 2025, as a switch's exporter would send it. */
export async function ingestCall(operator: DemarcClient, account_id: string): Promise<void> {
  const { custom_x_tag: custom_x_tags, ...call } = callRecord({ account_id })
  const line = JSON.stringify({ ...call, custom_x_tags })
  const { body } = await operator.ingestCdrs({ body: line, content_type: 'application/x-ndjson' })
  assert.deepEqual(body.data, { accepted: 1, duplicates: 0, rejected: 0, errors: [] })
}
