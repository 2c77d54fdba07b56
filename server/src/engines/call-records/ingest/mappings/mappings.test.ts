import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAPPINGS } from './index.ts'
import type { CdrRecord } from '../../types.ts'
import { Lines } from '../lines.ts'
import { openReader } from '../reader.ts'
import { readRecord } from '../record.ts'

type Read = { record: CdrRecord; messages: Record<string, string[]> }

/** Records that a mapping reads from a body, for account 7. */
function read(mapping: keyof typeof MAPPINGS, body: string): Read[] {
  const reader = openReader({ content_type: MAPPINGS[mapping].reads, mapping, account_id: '7' })
  const lines = new Lines()
  const entries = [...reader.take([...lines.take(Buffer.from(body)), ...lines.end()]), ...reader.flush()]
  return entries.map(({ values, errors }) => {
    const record = readRecord({ ...values, account_id: '7' }, errors)
    return { record, messages: { ...errors.messages() } }
  })
}

function only(mapping: keyof typeof MAPPINGS, body: string): CdrRecord {
  const [first, ...others] = read(mapping, body)
  assert.ok(first !== undefined && others.length === 0)
  assert.deepEqual(first.messages, {})
  return first.record
}

const variables = {
  uuid: '0c5ad9a2-95c5-4d0e-8d6a-0a4bd5c2f3a1',
  direction: 'inbound',
  start_uepoch: '1772366400123456',
  answer_uepoch: '0',
  end_uepoch: '1772366420999999',
  duration: '20',
  billsec: '0',
  hangup_cause: 'ORIGINATOR_CANCEL',
}
const caller_profile = { caller_id_number: '+13035550111', destination_number: '*98%20', network_addr: '192.0.2.10' }

const json = (changes: object, more: object = { callflow: [{ caller_profile }] }) =>
  JSON.stringify({ 'core-uuid': 'x', variables: { ...variables, ...changes }, ...more })

test('an unanswered call of mod_json_cdr', () => {
  const record = only('freeswitch-json', json({ proto_specific_hangup_cause: 'sip%3A487' }))
  assert.equal(record.id, variables.uuid)
  assert.equal(record.direction, 'inbound')
  assert.equal(record.start_time.toISOString(), '2026-03-01T12:00:00.123Z')
  assert.equal(record.end_time.toISOString(), '2026-03-01T12:00:20.999Z')
  assert.deepEqual(
    [record.result, record.call_fail_sip_code, record.call_fail_reason, record.duration, record.billed_duration],
    ['cancelled', 487, 'ORIGINATOR_CANCEL', 20, 0],
  )
  // caller profiles are not percent-encoded
  assert.deepEqual([record.destination, record.callerid, record.customer_ip], ['*98%20', '+13035550111', '192.0.2.10'])
  assert.deepEqual([record.rate, record.cost_subtotal, record.first_increment], ['0', '0', 0])
})

test('an answered call is completed, regardless of its hangup cause', () => {
  for (const answered of [{ answer_uepoch: '1772366403000000' }, { answer_uepoch: '', answer_epoch: '1772366403' }]) {
    const record = only('freeswitch-json', json({ ...answered, hangup_cause: 'MEDIA_TIMEOUT', sip_term_status: '200' }))
    assert.deepEqual([record.result, record.call_fail_sip_code, record.call_fail_reason], ['completed', null, ''])
  }
})

test('the hangup cause determines the result of an unanswered call, and unknown causes are failures', () => {
  const cases = {
    USER_BUSY: 'busy',
    NO_ANSWER: 'no_answer',
    NORMAL_CLEARING: 'no_answer',
    LOSE_RACE: 'cancelled',
    CALL_REJECTED: 'failed',
    constructor: 'failed',
  }
  for (const [hangup_cause, result] of Object.entries(cases))
    assert.equal(only('freeswitch-json', json({ hangup_cause })).result, result, hangup_cause)
})

test('the dialplan may set the direction as the account sees it', () => {
  assert.equal(only('freeswitch-json', json({ call_direction: 'outbound' })).direction, 'outbound')
  assert.equal(only('freeswitch-json', json({ call_direction: 'local' })).direction, 'inbound')
})

test('coarser times are used if finer ones are missing, percent-encoded or not', () => {
  const coarse = { start_uepoch: '', start_epoch: '1772366400', end_uepoch: '', end_stamp: '2026-03-01%2012%3A00%3A20' }
  const record = only('freeswitch-json', json(coarse))
  assert.equal(record.start_time.toISOString(), '2026-03-01T12:00:00.000Z')
  assert.equal(record.end_time.toISOString(), '2026-03-01T12:00:20.000Z')
  const plain = only('freeswitch-json', json({ ...coarse, end_stamp: '2026-03-01 12:00:20' }))
  assert.deepEqual(plain, record)
})

test('callflow may be an object or missing', () => {
  const older = only('freeswitch-json', json({}, { callflow: { caller_profile } }))
  assert.deepEqual([older.destination, older.callerid], ['*98%20', '+13035550111'])
  const none = only('freeswitch-json', json({ sip_req_user: '%2B12065550100' }, {}))
  assert.deepEqual([none.destination, none.callerid], ['+12065550100', ''])
})

test("a record of mod_json_cdr without required values is rejected with the contract's field names", () => {
  const [wrong] = read('freeswitch-json', json({ uuid: '', start_uepoch: 'soon', duration: '' }, {}))
  assert.deepEqual(Object.keys(wrong?.messages ?? {}).toSorted(), ['destination', 'duration', 'id', 'start_time'])
})

const row = (answer_stamp: string, cause: string, context: string) =>
  `"A","+13035550111","+12065550100","${context}","2026-03-01 12:00:00","${answer_stamp}","2026-03-01 12:01:10","70","67","${cause}","u1","","acc"`

test('mod_cdr_csv in both templates', () => {
  for (const end of ['\n', ',"PCMU","PCMU"\r\n']) {
    const record = only('freeswitch-csv', row('2026-03-01 12:00:03', 'NORMAL_CLEARING', 'default') + end)
    assert.deepEqual(
      [record.id, record.direction, record.result, record.call_fail_reason, record.callerid, record.destination],
      ['u1', 'outbound', 'completed', '', '+13035550111', '+12065550100'],
    )
    assert.deepEqual([record.duration, record.billed_duration, record.customer_ip], [70, 67, ''])
  }
  for (const never of ['', '1970-01-01 00:00:00', '1969-12-31 16:00:00']) {
    const record = only('freeswitch-csv', row(never, 'USER_BUSY', 'public'))
    assert.deepEqual([record.direction, record.result, record.call_fail_reason], ['inbound', 'busy', 'USER_BUSY'])
  }
  assert.deepEqual(read('freeswitch-csv', 'a,b,c\n')[0]?.messages.line, ['Has 3 cells; the mapping reads 13, 15.'])
})

const MASTER =
  '"","13035550111","+12065550100","from-internal","""A"" <13035550111>","PJSIP/100-1","PJSIP/c-2","Dial","x,60","2026-03-01 12:00:00","2026-03-01 12:00:03","2026-03-01 12:01:10",70,67,"ANSWERED","DOCUMENTATION"'

test('Master.csv with every choice of columns; the id contains uniqueid if it is logged', () => {
  const cases: [more: string, uniqueid: string][] = [
    ['', ''],
    [',"1772366400.31"', '1772366400.31-'],
    [',"pbx1-1772366400.31"', 'pbx1-1772366400.31-'],
    [',"some words"', ''],
    [',""', ''],
    [',"1772366400.31","some words"', '1772366400.31-'],
    [',"","1772366400.30",4', ''],
    [',"1772366400.31","","1772366400.30",4', '1772366400.31-'],
    [',"some words","","1772366400.30",4', ''],
    [',"1772366400.31","some words","","1772366400.30",4', '1772366400.31-'],
  ]
  const ids = cases.map(([more, uniqueid]) => {
    const { id, result, duration, billed_duration } = only('asterisk-csv', MASTER + more)
    assert.match(id, new RegExp(`^${uniqueid}[0-9a-f]{32}$`), more)
    assert.deepEqual([result, duration, billed_duration], ['completed', 70, 67])
    return id
  })
  assert.equal(new Set(ids).size, ids.length)
  assert.equal(only('asterisk-csv', `${MASTER}\r\n`).id, ids[0])
})

test('dispositions and contexts of Asterisk', () => {
  const cases = { 'NO ANSWER': 'no_answer', BUSY: 'busy', FAILED: 'failed', CONGESTION: 'failed' }
  for (const [disposition, result] of Object.entries(cases)) {
    const record = only(
      'asterisk-csv',
      MASTER.replace('"ANSWERED"', `"${disposition}"`).replace('from-internal', 'from-trunk'),
    )
    assert.deepEqual([record.result, record.call_fail_reason, record.direction], [result, disposition, 'inbound'])
  }
  const [unknown] = read('asterisk-csv', MASTER.replace('ANSWERED', 'UNKNOWN'))
  assert.deepEqual(Object.keys(unknown?.messages ?? {}), ['result'])
})
