/** Random records and filters, for differential.test.ts. */

import { HOSTILE_TEXTS, type SeededRandom } from './records.ts'
import { CDR_RESULTS, type CdrFilter, type CdrRecord } from '../types.ts'

export const MINE = '424242'
const START = Date.UTC(2025, 0, 1)
const SPAN_MS = 70 * 24 * 3600 * 1000

const ALIASES = [
  'Denver',
  'DENVER office',
  'denver 2',
  'Zürich',
  'ZÜRICH',
  'Zu\u0308rich',
  'Ärzte',
  '50% off',
  'a_b',
  ...HOSTILE_TEXTS.slice(0, -1),
]
const TAGS = ['campaign-7', 'campaign', 'CAMPAIGN', '', ...HOSTILE_TEXTS.slice(0, 12)]
const COUNTRIES = ['US', 'us', 'CA', 'Ca', 'GB', 'DE', 'MX', '']
const STEMS = ['1206', '1425', '1800', '1888', '800', '44', '4420', '49', '1']

const BLOCKS = [
  '192.0.2.77',
  '192.0.2.0/24',
  '192.0.2.64/27',
  '192.0.2.255/32',
  '0.0.0.0/0',
  '198.51.0.0/16',
  '203.0.113.0/24',
  '10.0.0.0/8',
  '2001:db8::/32',
  '2001:db8::1',
  '2001:0DB8:0000::0001/128',
  '2001:db8:0:0::/63',
  '::/0',
  '::/1',
  '8000::/1',
  '::/96',
  '::1',
  '::',
  '::ffff:203.0.113.0/120',
  '::ffff:0.0.0.0/96',
]

/** `count` records of two accounts, most of them of MINE. */
export function makeRecords(random: SeededRandom, count: number): CdrRecord[] {
  return Array.from({ length: count }, (_, index) => {
    const start = START + random.below(SPAN_MS)
    const duration = random.pick([0, 1, 59, 60, 61, random.below(7200)])
    return {
      account_id: random.next() < 0.8 ? MINE : '424243',
      id: `call-${index}`,
      direction: random.pick(['inbound', 'outbound'] as const),
      start_time: new Date(start),
      end_time: new Date(start + duration * 1000),
      destination: number(random),
      number_alias: random.pick(ALIASES),
      callerid: number(random),
      destination_name: random.pick(HOSTILE_TEXTS.slice(0, 40)),
      destination_country: random.pick(COUNTRIES),
      callerid_country: random.pick(COUNTRIES),
      line_information: '',
      result: random.pick(CDR_RESULTS),
      call_fail_sip_code: random.pick([null, 404, 486, 503]),
      call_fail_reason: '',
      duration,
      billed_duration: Math.ceil(duration / 6) * 6,
      rate: money(random),
      first_increment: 6,
      subsequent_increment: 6,
      cost_subtotal: money(random),
      connect_fee: money(random),
      usf_fee: money(random),
      ccrf: money(random),
      cnam_lookup_fee: money(random),
      custom_x_tag: random.next() < 0.5 ? [] : random.some(TAGS, 3),
      customer_ip: ip(random),
    }
  })
}

/** Few distinct values, so that equality filters match some. */
function number(random: SeededRandom): string {
  if (random.next() < 0.05)
    return random.pick(['anonymous', '', '+', 'sip:alice@192.0.2.1', '*67', 'Restricted', '911'])
  const all = (random.pick(STEMS) + '5550' + String(random.below(1000)).padStart(3, '0')).padEnd(
    random.pick([9, 11]),
    '7',
  )
  return random.pick([all, `+${all}`, `+${all.slice(0, 1)} (${all.slice(1, 4)}) ${all.slice(4, 7)}-${all.slice(7)}`])
}

function money(random: SeededRandom): string {
  const integer = random.pick(['0', '0', '1', '12', '999999999'])
  return (
    (random.next() < 0.1 ? '-' : '') +
    random.pick([integer, `${integer}.5`, `${integer}.00000001`, `${integer}.${random.digits(8)}`, '0.0098'])
  )
}

function ip(random: SeededRandom): string {
  return random.pick([
    `192.0.2.${random.below(256)}`,
    `198.51.${random.below(256)}.7`,
    `2001:db8::${random.below(4096).toString(16)}`,
    `2001:db8:0:${random.below(16).toString(16)}::1`,
    `::ffff:203.0.113.${random.below(256)}`,
    '::1',
    '::',
    '',
    'unknown',
  ])
}

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make)
}

/** A few values for each filter, some from the records and some arbitrary. */
export function singleFilters(random: SeededRandom, mine: CdrRecord[]): Record<string, Partial<CdrFilter>[]> {
  const of = <K extends keyof CdrRecord>(name: K, most: number): CdrRecord[K][] =>
    random.some(mine, most).map((record) => record[name])
  const prefixes = (): string[] =>
    random.some([...STEMS, '+1206', '+44', '12065', '1 (206)', '120655501', 'sip:', 'anon', '99'], 3)
  const decimals = [
    '0',
    '-0.00000001',
    '0.00000001',
    '0.0098',
    '0.00979999999999',
    '12.5',
    '1000000000',
    '-99999999999999999999',
    '99999999999999999999.5',
  ]
  return {
    start_call_start_time: times(3, () => ({ start_call_start_time: random.pick(mine).start_time })),
    start_call_end_time: times(3, () => ({ start_call_end_time: random.pick(mine).start_time })),
    number_aliases: times(4, () => ({ number_aliases: [...of('number_alias', 2), 'no such alias'] })),
    number_aliases_contains: [
      ...['denv', 'ZÜR', 'zu\u0308r', '%', '_', "'", '\\', 'σας', 'ss', '\n', '\0', '😀', 'é'].map((part) => ({
        number_aliases_contains: [part],
      })),
      { number_aliases_contains: ['denver', 'strasse', 'nothing'] },
    ],
    destination_numbers: times(4, () => ({ destination_numbers: [...of('destination', 3), '12065550100', 'nobody'] })),
    callerid_numbers: times(4, () => ({
      callerid_numbers: [...of('callerid', 3).map((value) => `+${value}`), ...of('callerid', 2)],
    })),
    custom_x_tags: times(4, () => ({ custom_x_tags: random.some(TAGS, 3) })),
    caller_ip: BLOCKS.map((caller_ip) => ({ caller_ip })),
    duration_greater_than: ['0', '59', '59.5', '-1', '4294967295', '60.000000000001'].map((value) => ({
      duration_greater_than: value,
    })),
    duration_less_than: ['0', '1', '59.5', '60', '0.0000001', '99999999999999'].map((value) => ({
      duration_less_than: value,
    })),
    cost_greater_than: decimals.map((value) => ({ cost_greater_than: value })),
    cost_less_than: decimals.map((value) => ({ cost_less_than: value })),
    destination_countries_included: [['us'], ['US', 'gb'], ['FR']].map((codes) => ({
      destination_countries_included: codes,
    })),
    destination_countries_excluded: [['us'], ['Ca', 'gb', 'DE'], ['FR']].map((codes) => ({
      destination_countries_excluded: codes,
    })),
    tollfree_only: [{ tollfree_only: true }, { tollfree_only: false }],
    direction: [{ direction: 'inbound' }, { direction: 'outbound' }],
    exclude_cancelled: [{ exclude_cancelled: true }, { exclude_cancelled: false }],
    destination_prefix: times(5, () => ({ destination_prefix: prefixes() })),
    callerid_prefix: times(5, () => ({ callerid_prefix: prefixes() })),
    nothing: [{ number_aliases: [], destination_prefix: [], custom_x_tags: [] }],
  }
}
