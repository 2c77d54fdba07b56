import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../../platform/problem.ts'
import { Lines } from './lines.ts'
import { openReader, type Entry, type Format } from './reader.ts'
import { call, csv, ndjson, type Sent } from './testing/bodies.ts'

function read(format: Format, body: string | Buffer): Entry[] {
  const reader = openReader(format)
  const lines = new Lines()
  return [...reader.take([...lines.take(Buffer.from(body)), ...lines.end()]), ...reader.flush()]
}

const JSON_LINES = { content_type: 'application/x-ndjson' }
const CSV = { content_type: 'text/csv' }

function refusal(format: Format, body = ''): Pick<Problem, 'type' | 'detail'> {
  try {
    read(format, body)
  } catch (error) {
    assert.ok(error instanceof Problem, String(error))
    return { type: error.type, detail: { ...(error.detail as object) } }
  }
  throw new assert.AssertionError({ message: 'nothing was refused' })
}

const messagesOf = (entries: readonly Entry[]) =>
  entries
    .map(({ line, errors }) => [line, { ...errors.messages() }] as const)
    .filter(([, m]) => Object.keys(m).length > 0)

const text = (values: Entry['values']) =>
  Object.fromEntries(Object.entries(values ?? {}).map(([k, v]) => [k, Array.isArray(v) ? v : String(v ?? '')]))

test('both formats yield the same records', () => {
  const calls: Sent[] = [call('a'), call('b,"c"\nd', { custom_x_tags: [], number_alias: 'Empfang, Büro "1"' })]
  const fromJson = read(JSON_LINES, ndjson(calls)).map(({ values }) => text(values))
  for (const newline of ['\n', '\r\n']) {
    const fromCsv = read({ content_type: 'text/csv; charset=UTF-8' }, csv(calls, newline)).map(({ values }) =>
      text(values),
    )
    assert.deepEqual(fromCsv, [fromJson[0], { ...fromJson[1], custom_x_tags: '' }])
  }
})

test('unsupported types, charsets, and mappings are rejected before the body is read', () => {
  for (const content_type of [
    '',
    'application/json',
    'text/plain',
    'text/csv; charset=iso-8859-1',
    'application/x-ndjson;charset="utf-16"',
  ])
    assert.equal(refusal({ content_type }).type, 'unsupported-media-type', content_type)
  assert.deepEqual(refusal({ ...CSV, mapping: 'constructor', account_id: '7' }), {
    type: 'invalid-input',
    detail: { mapping: ['Must be one of: freeswitch-json, freeswitch-csv, asterisk-csv'] },
  })
  assert.deepEqual(refusal({ ...CSV, mapping: 'asterisk-csv' }), {
    type: 'invalid-input',
    detail: { account_id: ['Is required. Records in mapping asterisk-csv do not name an account.'] },
  })
  assert.equal(refusal({ ...JSON_LINES, mapping: 'asterisk-csv', account_id: '7' }).type, 'unsupported-media-type')
})

test('an invalid header line is rejected with every invalid column', () => {
  const { type, detail } = refusal(CSV, 'account_id,id,id,total_cost,__proto__,direction\n')
  assert.equal(type, 'invalid-input')
  const missing = ['start_time', 'end_time', 'destination', 'callerid', 'result', 'duration', 'billed_duration']
  const expected = {
    ['__proto__']: ['Is not a known field.'],
    id: ['Appears more than once.'],
    total_cost: ['Is not a known field.'],
    ...Object.fromEntries(missing.map((name) => [name, ['Is required.']])),
  }
  assert.deepEqual(Object.entries(detail).toSorted(), Object.entries(expected).toSorted())
  assert.deepEqual(Object.keys(refusal(CSV, 'a"b,c\n').detail), ['header'])
  const without = csv([call('a')])
    .replace('account_id,', '')
    .replace('\n7,', '\n')
  assert.deepEqual(Object.keys(refusal(CSV, without).detail), ['account_id'])
  assert.equal(read({ ...CSV, account_id: '7' }, without).length, 1)
})

test('an empty body has no records and needs no header', () => {
  for (const body of ['', '\n\r\n\n']) {
    assert.deepEqual(read(CSV, body), [])
    assert.deepEqual(read(JSON_LINES, `${body}  \n`), [])
  }
})

test('lines that are not records are rejected with the reason, and unknown fields are listed', () => {
  const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`x${at}`, 1]))
  const body = [
    '[1]',
    '{"id":}',
    '"text"',
    'null',
    '['.repeat(100_000),
    JSON.stringify({ ...call('a'), total_cost: '1', 'custom_x_tag\uD800': [] }),
    '{"__proto__":1,"constructor":2,"id":"a"}',
    JSON.stringify(unknown),
  ].join('\n')
  const found = messagesOf(read(JSON_LINES, body))
  assert.deepEqual(
    found.map(([line]) => line),
    [1, 2, 3, 4, 5, 6, 7, 8],
  )
  assert.deepEqual(found[0], [1, { line: ['Must be a JSON object.'] }])
  assert.match(found[1]?.[1].line?.[0] ?? '', /^Is not JSON: /)
  assert.deepEqual(found[3], [4, { line: ['Must be a JSON object.'] }])
  assert.match(found[4]?.[1].line?.[0] ?? '', /^Is not JSON: /)
  assert.deepEqual(found[5]?.[1], {
    total_cost: ['Is not a known field.'],
    'custom_x_tag\uFFFD': ['Is not a known field.'],
  })
  assert.deepEqual(Object.keys(found[6]?.[1] ?? {}), ['__proto__', 'constructor'])
  assert.equal(Object.keys(found[7]?.[1] ?? {}).length, 21)
  assert.deepEqual(found[7]?.[1].line, ['Has more unknown fields.'])
})

test('a CSV row with too few or too many cells is rejected, as is a malformed row', () => {
  const good = csv([call('a')])
  const found = messagesOf(read(CSV, `${good}a,b\n${good.split('\n')[1]},\n"x\n`))
  assert.deepEqual(found, [
    [3, { line: ['Has 2 cells; the header line names 27 columns.'] }],
    [4, { line: ['Has 28 cells; the header line names 27 columns.'] }],
    [5, { line: ['Has a quoted cell that is never closed.'] }],
  ])
})
