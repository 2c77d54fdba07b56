import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecordBlock } from '../rows.ts'
import type { Warehouse } from '../types.ts'
import { HOSTILE_TEXTS, seededRandom, type SeededRandom } from '../testing/records.ts'
import { FIELD_NAMES, FIELDS } from './fields.ts'
import { LIMITS } from './limits.ts'
import { ingestCdrs } from './ingest.ts'
import { ByteLine, Lines } from './lines.ts'
import { PlainRecord } from './plain-record.ts'
import { openReader } from './reader.ts'
import { readRecord } from './record.ts'
import { call, inChunks, least, ndjson, type Sent } from './testing/bodies.ts'

const exists = (account_id: string): boolean => account_id !== '999'
const plain = new PlainRecord({ given: undefined, exists })
const { take } = openReader({ content_type: 'application/x-ndjson' })

function lineOf(text: string | Buffer): ByteLine {
  const [line] = new Lines().take(Buffer.from(`${text.toString('latin1')}\n`, 'latin1'))
  assert.ok(line instanceof ByteLine)
  return line
}

const bytesOf = (block: RecordBlock) => Buffer.concat([...block.encode(), ...block.encodeClaims()])

/** Whether the line was read from its bytes; it then is what it is in the general way. */
function isReadAlike(text: string): boolean {
  const line = lineOf(Buffer.from(text))
  if (!plain.read(line)) return false
  const fast = new RecordBlock()
  fast.appendFrom(plain)
  const [entry] = take([line])
  assert.ok(entry?.values, text)
  const record = readRecord(entry.values, entry.errors)
  assert.deepEqual(entry.errors.messages(), {}, text)
  const slow = new RecordBlock()
  slow.append(record)
  assert.ok(bytesOf(fast).equals(bytesOf(slow)), text)
  return true
}

/** Values of each kind as they are sent: right, at a limit, uncommon and wrong. */
const VALUES: Record<(typeof FIELDS)[keyof typeof FIELDS]['kind'], readonly string[]> = {
  account: ['"7"', '7', '"0"', '"123456789012345678"', '123456789012345678', '"07"', '07', '"999"', '"x"'],
  id: ['"a"', '1', `"${'i'.repeat(LIMITS.id_chars)}"`, `"${'i'.repeat(LIMITS.id_chars + 1)}"`, '"\\u0061"'],
  direction: ['"inbound"', '"outbound"', '"inbound "', '"in"', '1'],
  result: ['"completed"', '"no_answer"', '"busy"', '"bus"', '"busyy"'],
  time: [
    '"2026-03-01T12:00:00Z"',
    '"2026-03-01T12:00:00.5Z"',
    '"2026-03-01 12:00:00.123"',
    '"2026-02-28T23:59:59.999Z"',
    '"2026-02-29T00:00:00Z"',
    '"2024-02-29 00:00:00"',
    '"2026-03-31T00:00:00Z"',
    '"2026-04-31T00:00:00Z"',
    '"2026-03-01T24:00:00Z"',
    '"2026-03-01T12:60:00Z"',
    '"2026-03-01T12:00:60Z"',
    '"2026-03-01T12:00:00.1234Z"',
    '"2026-03-01T12:00:00.Z"',
    '"2026-03-01T12:00:00"',
    '"2026-03-01 12:00:00Z"',
    '"2026-03-01T12:00:00+01:00"',
    '"1899-12-31T23:59:59Z"',
    '"1900-01-01T00:00:00Z"',
    '"2299-12-31T23:59:59.999Z"',
    '"2300-01-01T00:00:00Z"',
    '1772366400',
  ],
  text: [
    '"+12065550100"',
    '"8005550100"',
    '"18005550100"',
    '"+80012345678"',
    '"1 (206) 555-0100"',
    '"+"',
    '"anonymous"',
  ],
  country: ['"US"', '"us"', '"USA"', '"1A"', '"U"'],
  sip_code: ['0', '"0"', '100', '699', '99', '700', '"486"', '486.0', '-1'],
  seconds: [
    '0',
    '00',
    '"007"',
    '4294967295',
    '4294967296',
    '"4294967295"',
    '99999999999',
    '1.0',
    '-1',
    '-0',
    '1e3',
    '" 1"',
  ],
  money: [
    '"0"',
    '0',
    '-0',
    '"-0"',
    '"0.00000001"',
    '-0.00000001',
    '0.1',
    '00.1',
    '"00.1"',
    '1.',
    '".1"',
    '"1."',
    '9999999.99999999',
    '"89999999.99999999"',
    '"999999999.99999999"',
    '1000000000',
    '0.000000001',
    '1e-7',
    '"1e-7"',
    '--1',
    '"1-2"',
    '""',
  ],
  tags: ['[]', '["a"]', '[ "a" , "b|c" ]', '["a",]', '[""]', '["a" "b"]', '[1]', '["\\n"]', `["${'t'.repeat(256)}"]`],
  address: [
    '"192.0.2.255"',
    '"192.0.2.256"',
    '"192.0.02.1"',
    '"192.0.2"',
    '"1.2.3.4.5"',
    '"2001:db8::1"',
    '"::ffff:1.2.3.4"',
    '"x"',
  ],
}
const OF_ALL = ['null', 'true', '""', '{}', '[]', '" "', '"\\""', '"é"', '"a\tb"', 'nul', `"${'x'.repeat(1025)}"`]

function memberOf(random: SeededRandom, name: string, value: string): string {
  return `${random.pick(['', '', ' '])}"${name}"${random.pick(['', '', ' '])}:${random.pick(['', '', ' ', '\t'])}${value}`
}

function lineFrom(random: SeededRandom): string {
  const sent = Object.entries(random.pick([call, least])('a'))
  const members = sent.map(([name, value]) => ({ name, value: JSON.stringify(value) }))
  for (let change = random.below(3); change > 0; change -= 1) {
    const member = random.pick(members)
    const { kind } = FIELDS[member.name as keyof typeof FIELDS]
    member.value = random.pick(
      random.next() < 0.8 ? VALUES[kind] : [...OF_ALL, ...HOSTILE_TEXTS.map((text) => JSON.stringify(text))],
    )
  }
  if (random.next() < 0.1) members.splice(random.below(members.length), 1)
  if (random.next() < 0.1) members.push(random.pick([random.pick(members), { name: 'other', value: '1' }]))
  if (random.next() < 0.2) members.reverse()
  const text = `{${members.map(({ name, value }) => memberOf(random, name, value)).join(',')}${random.pick(['', ' '])}}`
  if (random.next() < 0.7) return text + random.pick(['', '', '\r', ' '])
  const at = random.below(text.length)
  return text.slice(0, at) + random.pick(['', '"', ',', '0', ' ', '}', ':', '\\']) + text.slice(at + 1)
}

test('a line that is read from its bytes is the same record as in the general way', () => {
  const random = seededRandom(11)
  let alike = 0
  for (let n = 0; n < 4000; n += 1) if (isReadAlike(lineFrom(random))) alike += 1
  assert.ok(alike > 1000, `${alike}`)
})

test('each value of each field is read alike, or in the general way', () => {
  for (const name of FIELD_NAMES) {
    for (const value of [...VALUES[FIELDS[name].kind], ...OF_ALL]) {
      const members = Object.entries(call('a')).map(
        ([key, sent]) => `"${key}":${key === name ? value : JSON.stringify(sent)}`,
      )
      isReadAlike(`{${members.join(',')}}`)
    }
  }
})

test('what senders commonly write is read from its bytes', () => {
  const spaced = (record: Sent) => JSON.stringify(record, null, 1).replaceAll('\n', '')
  const { custom_x_tags: _tags, ...untagged } = call('a')
  for (const record of [call('a'), least('a'), untagged, call('a', { account_id: 7, rate: 0.0098, callerid: '' })])
    for (const text of [JSON.stringify(record), spaced(record), `${JSON.stringify(record)}\r`])
      assert.ok(isReadAlike(text), text)
})

test('records keep the order of their lines, however each is read', async () => {
  const ids = Array.from({ length: 700 }, (_, at) => (at % 7 < 3 ? `${at} é` : `${at}`))
  const stored: string[] = []
  const insert: Warehouse['insert'] = async (block) => {
    assert.ok(block instanceof RecordBlock)
    for (let row = 0; row < block.rows; row += 1) stored.push(block.keyAt(row).id)
    return { accepted: block.rows, duplicates: 0 }
  }
  const accountsExist = async (accounts: string[]) => new Set(accounts)
  const stream = inChunks(ndjson(ids.map((id) => call(id))), 50_000)
  await ingestCdrs({ warehouse: { insert }, accountsExist }, { stream, content_type: 'application/x-ndjson' })
  assert.deepEqual(stored, ids)
})

test('an account that is not known to exist, or is not that of the request, is left to the general way', () => {
  assert.equal(isReadAlike(JSON.stringify(call('a', { account_id: '999' }))), false)
  const { account_id: _account, ...without } = call('a')
  assert.equal(isReadAlike(JSON.stringify(without)), false)
  const given = new PlainRecord({ given: '7', exists })
  for (const [record, read] of [
    [without, true],
    [call('a'), true],
    [call('a', { account_id: '8' }), false],
    [without, true],
  ] as const) {
    assert.equal(given.read(lineOf(JSON.stringify(record))), read)
    if (read) assert.equal(given.account_id, '7')
  }
})
