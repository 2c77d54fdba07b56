import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { parseMoment } from '@demarc/client'
import { LineErrors } from './line-errors.ts'
import { FIELD_NAMES, FIELDS, type FieldName, type Values } from './fields.ts'
import { withExactMoney } from './json.ts'
import { readRecord } from './record.ts'
import { call, least } from './testing/bodies.ts'
import { money, readMoment } from './values.ts'

function errorsOf(values: Values): Record<string, string[]> {
  const errors = new LineErrors()
  readRecord(values, errors)
  return { ...errors.messages() }
}

test('a record with every field, and one with only the required ones, are valid', () => {
  assert.deepEqual(errorsOf(call('a')), {})
  const errors = new LineErrors()
  const record = readRecord(least('a'), errors)
  assert.equal(errors.any, false)
  assert.deepEqual(record, {
    account_id: '7',
    id: 'a',
    direction: 'outbound',
    start_time: new Date('2026-03-01T12:00:00.123Z'),
    end_time: new Date('2026-03-01T12:01:10.456Z'),
    destination: '+12065550100',
    number_alias: '',
    callerid: '+13035550111',
    destination_name: '',
    destination_country: '',
    callerid_country: '',
    line_information: '',
    result: 'completed',
    call_fail_sip_code: null,
    call_fail_reason: '',
    duration: 70,
    billed_duration: 72,
    rate: '0',
    first_increment: 0,
    subsequent_increment: 0,
    cost_subtotal: '0',
    connect_fee: '0',
    usf_fee: '0',
    ccrf: '0',
    cnam_lookup_fee: '0',
    custom_x_tag: [],
    customer_ip: '',
  })
})

test('exactly the required fields are reported as missing, whether absent, null, or empty', () => {
  for (const nothing of [undefined, null, '']) {
    for (const name of FIELD_NAMES) {
      // the caller withheld the number
      const expected =
        FIELDS[name].required && !(name === 'callerid' && nothing === '') ? { [name]: ['Is required.'] } : {}
      assert.deepEqual(errorsOf({ ...call('a'), [name]: nothing }), expected, `${name} ${nothing}`)
    }
  }
})

const WHOLE = 'Must be a whole number of seconds from 0 to 4294967295.'
const AMOUNT = 'Must be an amount with at most 9 digits and 8 decimal places.'
const TIME = 'Must be a valid time: ISO 8601 with Z or an offset, or YYYY-MM-DD HH:MM:SS in UTC.'
const COUNTRY = 'Must be a two-letter country code (ISO 3166-1 alpha-2).'
const SURROGATE = 'Contains an unpaired surrogate (half of a character).'

const WRONG: Partial<Record<FieldName, [unknown, string[]][]>> = {
  account_id: ['x', '007', '-1', '1.0', 1.5, -1, '1234567890123456789', true].map((value) => [
    value,
    ['Must be the ID of an account.'],
  ]),
  id: [
    [12, ['Must be text.']],
    ['x'.repeat(256), ['At most 255 characters.']],
    ['a\uD800', [SURROGATE]],
    [`\uDC00${'x'.repeat(255)}`, ['At most 255 characters.', SURROGATE]],
  ],
  direction: ['Inbound', 'internal', 1, ['inbound']].map((value) => [value, ['Must be one of: inbound, outbound']]),
  start_time: ['2026-02-30 00:00:00', '2026-03-01T00:00:00', 1767225600, '2026-03-01 00:00:00.'].map((value) => [
    value,
    [TIME],
  ]),
  end_time: [
    ['2026-03-01T12:00:00.122Z', ['Must not be before start_time.']],
    ['2300-01-01 00:00:00', ['Must be a time from 1900 to 2299.']],
  ],
  destination: [
    [12065550100, ['Must be text.']],
    ['x'.repeat(1025), ['At most 1024 characters.']],
  ],
  callerid: [[{}, ['Must be text.']]],
  number_alias: [['\uDFFF', [SURROGATE]]],
  destination_country: ['USA', 'U', '1A', 1].map((value) => [value, [COUNTRY]]),
  callerid_country: [['ÜS', [COUNTRY]]],
  result: [['answered', ['Must be one of: completed, cancelled, failed, busy, no_answer']]],
  call_fail_sip_code: [99, 700, '4xx', 487.5, -1].map((value) => [
    value,
    ['Must be a SIP status code from 100 to 699.'],
  ]),
  duration: [-1, 1.5, '1.5', 4294967296, '99999999999', true, 'x', ' 1'].map((value) => [value, [WHOLE]]),
  first_increment: [[[], [WHOLE]]],
  rate: ['1,5', '.5', '5.', '+1', 'NaN', '1234567890', '0.123456789', true, '1e9', '1e-9', '0x1', ' 1'].map((value) => [
    value,
    [AMOUNT],
  ]),
  custom_x_tags: [
    ['a|b', ['Must be a list of strings.']],
    [[1], ['Must be a list of strings.']],
    [
      ['', 'x'.repeat(256)],
      ['Has an empty entry.', 'At most 255 characters.'],
    ],
    [Array.from({ length: 101 }, () => 'x'), ['At most 100 entries.']],
  ],
  customer_ip: ['192.0.2.256', '192.0.2.0/24', 'host', 1].map((value) => [value, ['Must be an IPv4 or IPv6 address.']]),
}

test('every invalid value is rejected with a message that describes valid values', () => {
  for (const [name, cases] of Object.entries(WRONG))
    for (const [value, messages] of cases)
      assert.deepEqual(
        errorsOf({ ...call('a'), [name]: value }),
        { [name]: messages },
        `${name} ${JSON.stringify(value)}`,
      )
})

test('all invalid fields are reported at once', () => {
  const values = Object.fromEntries(FIELD_NAMES.map((name) => [name, {}]))
  assert.deepEqual(Object.keys(errorsOf(values)).toSorted(), FIELD_NAMES.toSorted())
})

test('seconds and SIP codes may be numbers or digits, and SIP code 0 is null', () => {
  const errors = new LineErrors()
  const record = readRecord(
    { ...call('a'), duration: '0070', billed_duration: 4294967295, call_fail_sip_code: '486' },
    errors,
  )
  assert.deepEqual([record.duration, record.billed_duration, record.call_fail_sip_code], [70, 4294967295, 486])
  assert.equal(readRecord({ ...call('a'), call_fail_sip_code: 0 }, errors).call_fail_sip_code, null)
  assert.equal(errors.any, false)
})

test('amounts keep their text, and exponents are expanded', () => {
  const cases: [string, string][] = [
    ['0', '0'],
    ['-1.5', '-1.5'],
    ['999999999.99999999', '999999999.99999999'],
    ['0.00000001', '0.00000001'],
    ['1e-8', '0.00000001'],
    ['1.25E-6', '0.00000125'],
    ['12e3', '12000'],
    ['1.5e2', '150'],
    ['-1.234e+1', '-12.34'],
    ['10e-1', '1'],
    ['0e5', '0'],
  ]
  for (const [input, kept] of cases) {
    const errors = new LineErrors()
    assert.equal(money('rate', input, errors), kept, input)
    assert.equal(errors.any, false, input)
  }
})

test('money in JSON numbers keeps every digit', () => {
  const line =
    '{"rate":999999999.99999999, "usf_fee" : -0.10, "ccrf":1e-8,"\\u0063onnect_fee":123456789.12345678,"id":"\\"rate\\":5"}'
  const values = withExactMoney(line, JSON.parse(line) as Values)
  assert.deepEqual(values, {
    rate: '999999999.99999999',
    usf_fee: '-0.10',
    ccrf: '1e-8',
    connect_fee: '123456789.12345678',
    id: '"rate":5',
  })
})

test('the source text of any number in a record is preserved', () => {
  const digits = fc.bigInt({ min: 0n, max: 99_999_999_999_999_999n })
  fc.assert(
    fc.property(digits, digits, fc.string(), (a, b, text) => {
      const [rate, fee] = [a, b].map(
        (each) => `${each / 100_000_000n}.${(each % 100_000_000n).toString().padStart(8, '0')}`,
      )
      const line = `{"id":${JSON.stringify(`"rate":9,${text}`)},"rate":${rate},"number_alias":${JSON.stringify(text)},"usf_fee": ${fee}}`
      const values = withExactMoney(line, JSON.parse(line) as Values)
      assert.deepEqual([values.rate, values.usf_fee], [rate, fee])
    }),
  )
})

const two = (most: number) => fc.integer({ min: 0, max: most }).map((n) => String(n).padStart(2, '0'))

test("the fast time parser agrees with the contract's", () => {
  const parts = [
    fc.integer({ min: 1970, max: 2100 }).map(String),
    fc.constantFrom('-', '/'),
    two(13),
    fc.constantFrom('-', ''),
    two(32),
    fc.constantFrom('T', ' ', 't'),
    two(25),
    fc.constant(':'),
    two(60),
    fc.constantFrom(':', ''),
    two(61),
    fc.constantFrom('', '', '.1', '.12', '.123', '.1234', '.123456789', '.', ',1'),
    fc.constantFrom('', '', 'Z', 'Z', '+02:00', '-0800', '+00', '+24:00', 'z'),
  ] as const
  fc.assert(
    fc.property(fc.tuple(...parts), (all) => {
      const text = all.join('')
      assert.equal(readMoment(text), parseMoment(text), text)
    }),
    { numRuns: 5000 },
  )
  for (const [text, ms] of [
    ['2026-03-01 12:00:00', Date.UTC(2026, 2, 1, 12)],
    ['2026-03-01T12:00:00.5Z', Date.UTC(2026, 2, 1, 12, 0, 0, 500)],
    ['2024-02-29 00:00:00.001', Date.UTC(2024, 1, 29, 0, 0, 0, 1)],
    ['2026-03-01T12:00:00+02:00', Date.UTC(2026, 2, 1, 10)],
    ['2026-03-01T12:00:00.123999+0000', Date.UTC(2026, 2, 1, 12, 0, 0, 123)],
  ] as const)
    assert.equal(readMoment(text), ms)
})
