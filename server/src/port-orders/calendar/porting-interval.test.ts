import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instantAt } from '@demarc/client'
import type { Calendar } from '@demarc/client'
import {
  responseDueAt,
  countsFrom,
  desiredDateError,
  earliestActivation,
  focDate,
  isSimple,
  activationTime,
  activationTimeOrNow,
} from './porting-interval.ts'

const zone = 'America/New_York'
const US: Calendar = { country: 'US' }
const at = (wall: string, where = zone) => {
  const [date = '', time = ''] = wall.split(' ')
  const [h, m] = time.split(':').map(Number)
  return instantAt(date, (h ?? 0) * 60 + (m ?? 0), where)
}
const received = (wall: string, simple: boolean, calendar = US) => ({
  received_at: at(wall, zone),
  simple,
  zone,
  calendar,
})

/** June 2025: the 19th is a holiday, a Thursday; the 16th a Monday. */
const intervals: [wall: string, simple: boolean, counts: string, midnight: string, foc: string, why: string][] = [
  ['2025-06-16 08:00', true, '2025-06-16 08:00', '2025-06-17 00:00', '2025-06-17', 'at opening'],
  ['2025-06-16 12:59', true, '2025-06-16 12:59', '2025-06-17 00:00', '2025-06-17', 'just before 13:00'],
  ['2025-06-16 13:00', true, '2025-06-17 08:00', '2025-06-18 00:00', '2025-06-18', 'at 13:00'],
  ['2025-06-16 13:01', true, '2025-06-17 08:00', '2025-06-18 00:00', '2025-06-18', 'just after 13:00'],
  ['2025-06-16 06:30', true, '2025-06-16 08:00', '2025-06-17 00:00', '2025-06-17', 'before opening'],
  ['2025-06-16 00:00', true, '2025-06-16 08:00', '2025-06-17 00:00', '2025-06-17', 'at midnight'],
  ['2025-06-13 12:59', true, '2025-06-13 12:59', '2025-06-14 00:00', '2025-06-16', 'Friday just before 13:00'],
  ['2025-06-13 13:01', true, '2025-06-16 08:00', '2025-06-17 00:00', '2025-06-17', 'Friday just after 13:00'],
  ['2025-06-14 10:00', true, '2025-06-16 08:00', '2025-06-17 00:00', '2025-06-17', 'Saturday'],
  ['2025-06-15 10:00', true, '2025-06-16 08:00', '2025-06-17 00:00', '2025-06-17', 'Sunday'],
  ['2025-06-18 12:00', true, '2025-06-18 12:00', '2025-06-19 00:00', '2025-06-20', 'the eve of a holiday'],
  ['2025-06-18 14:00', true, '2025-06-20 08:00', '2025-06-21 00:00', '2025-06-23', 'the eve of a holiday, too late'],
  ['2025-06-19 10:00', true, '2025-06-20 08:00', '2025-06-21 00:00', '2025-06-23', 'on a holiday'],
  ['2025-12-24 12:00', true, '2025-12-24 12:00', '2025-12-25 00:00', '2025-12-26', '24 December'],
  ['2025-12-24 15:00', true, '2025-12-26 08:00', '2025-12-27 00:00', '2025-12-29', '24 December in the afternoon'],
  [
    '2025-03-07 12:00',
    true,
    '2025-03-07 12:00',
    '2025-03-08 00:00',
    '2025-03-10',
    'before the weekend in which clocks go forward',
  ],
  [
    '2025-03-08 12:00',
    true,
    '2025-03-10 08:00',
    '2025-03-11 00:00',
    '2025-03-11',
    'in the weekend in which clocks go forward',
  ],
  [
    '2025-10-31 13:30',
    true,
    '2025-11-03 08:00',
    '2025-11-04 00:00',
    '2025-11-04',
    'before the weekend in which clocks go back',
  ],
  ['2025-12-31 12:00', true, '2025-12-31 12:00', '2026-01-01 00:00', '2026-01-02', "New Year's Eve"],
  [
    '2027-12-30 13:30',
    true,
    '2028-01-03 08:00',
    '2028-01-04 00:00',
    '2028-01-04',
    "a New Year's Day observed in the old year",
  ],
  ['2025-06-16 08:00', false, '2025-06-16 08:00', '2025-06-21 00:00', '2025-06-23', 'not simple, over a holiday'],
  ['2025-06-09 16:59', false, '2025-06-09 16:59', '2025-06-13 00:00', '2025-06-13', 'not simple, just before closing'],
  ['2025-06-09 17:00', false, '2025-06-10 08:00', '2025-06-14 00:00', '2025-06-16', 'not simple, at closing'],
  [
    '2025-06-13 10:00',
    false,
    '2025-06-13 10:00',
    '2025-06-19 00:00',
    '2025-06-20',
    'not simple, over a weekend to the eve of a holiday',
  ],
]
for (const [wall, simple, counts, midnight, foc, why] of intervals)
  test(`a ${simple ? 'simple' : 'non-simple'} request received ${wall} counts from ${counts} and completes on ${foc}: ${why}`, () => {
    const request = received(wall, simple)
    assert.deepEqual(countsFrom(request), { date: counts.slice(0, 10), at: at(counts) })
    assert.deepEqual(earliestActivation(request), at(midnight))
    assert.equal(focDate(request), foc)
  })

test("the losing carrier's holidays delay the date", () => {
  const own: Calendar = { country: 'US', closed: ['2025-06-17'] }
  assert.equal(focDate(received('2025-06-16 09:00', true, own)), '2025-06-18')
  assert.equal(focDate(received('2025-06-16 09:00', true, { country: 'CA' })), '2025-06-17')
})

test('the same instant is before the cut-off in one zone and after it in another', () => {
  const instant = new Date('2025-06-16T17:30:00Z')
  assert.equal(focDate({ received_at: instant, simple: true, zone: 'America/New_York', calendar: US }), '2025-06-18')
  assert.equal(focDate({ received_at: instant, simple: true, zone: 'America/Los_Angeles', calendar: US }), '2025-06-17')
})

test('a later desired date is used, and an earlier one is not', () => {
  const request = received('2025-06-16 09:00', true)
  assert.equal(focDate(request, '2025-06-27'), '2025-06-27')
  assert.equal(focDate(request, '2025-06-16'), '2025-06-17')
  assert.equal(focDate(request, '2025-06-28'), '2025-06-30')
})

const responses: [wall: string, simple: boolean, due: string][] = [
  ['2025-06-16 09:15', true, '2025-06-16 13:15'],
  ['2025-06-16 12:59', true, '2025-06-16 16:59'],
  ['2025-06-16 13:30', true, '2025-06-17 12:00'],
  ['2025-06-16 09:15', false, '2025-06-17 09:15'],
  ['2025-06-13 16:00', false, '2025-06-16 16:00'],
  ['2025-06-18 16:00', false, '2025-06-20 16:00'],
  ['2025-03-07 10:00', false, '2025-03-10 10:00'],
]
for (const [wall, simple, due] of responses)
  test(`a response to a ${simple ? 'simple' : 'non-simple'} request of ${wall} is due ${due}`, () =>
    assert.deepEqual(responseDueAt(received(wall, simple)), at(due)))

test('one local number is a simple port; several or toll-free numbers are not', () => {
  assert.ok(isSimple({ numbers: 1, tollfree: false }))
  assert.ok(!isSimple({ numbers: 2, tollfree: false }))
  assert.ok(!isSimple({ numbers: 1, tollfree: true }))
})

test('the activation time is 08:00 local time, also when daylight saving time changes', () => {
  assert.equal(activationTime('2025-03-09', zone).toISOString(), '2025-03-09T12:00:00.000Z')
  assert.equal(activationTime('2025-11-02', zone).toISOString(), '2025-11-02T13:00:00.000Z')
})

test('scheduled presets are applied at 08:00, or immediately if it is later', () => {
  assert.deepEqual(activationTimeOrNow(at('2025-06-16 00:05'), zone), at('2025-06-16 08:00'))
  assert.deepEqual(activationTimeOrNow(at('2025-06-16 08:00'), zone), at('2025-06-16 08:00'))
  assert.deepEqual(activationTimeOrNow(at('2025-06-16 11:30'), zone), at('2025-06-16 11:30'))
  assert.deepEqual(activationTimeOrNow(at('2025-06-16 23:59'), zone), at('2025-06-16 23:59'))
})

/** Seen from Monday, 2 June 2025; 30 days ahead is Wednesday, 2 July. */
const desired: [date: string, code: string | null, suggestion: string | null][] = [
  ['2025-06-02', null, null],
  ['2025-06-03', null, null],
  ['2025-07-02', null, null],
  ['2025-07-03', 'too_far', '2025-07-02'],
  ['2026-06-03', 'too_far', '2025-07-02'],
  ['2025-06-01', 'past', '2025-06-03'],
  ['2024-06-03', 'past', '2025-06-03'],
  ['2025-06-07', 'weekend', '2025-06-09'],
  ['2025-06-29', 'weekend', '2025-06-30'],
  ['2025-06-19', 'holiday', '2025-06-20'],
  ['2025-02-30', 'malformed', '2025-06-03'],
  ['06/10/2025', 'malformed', '2025-06-03'],
  ['', 'malformed', '2025-06-03'],
]
for (const [date, code, suggestion] of desired)
  test(`a desired date of ${date || 'nothing'} is ${code ?? 'valid'}`, () => {
    const error = desiredDateError(date, '2025-06-02', US)
    assert.equal(error?.code ?? null, code)
    assert.equal(error?.suggestion ?? null, suggestion)
  })

test('every suggested date is valid, on any day', () => {
  for (const today of ['2025-12-20', '2025-11-28', '2027-12-01', '2025-08-02', '2025-06-19', '2025-10-13'])
    for (const date of [
      '',
      '1999-01-01',
      '2999-01-01',
      '2025-12-25',
      '2025-11-30',
      '2025-12-28',
      '2025-08-31',
      '2028-01-01',
    ]) {
      const error = desiredDateError(date, today, US)
      if (error)
        assert.equal(desiredDateError(error.suggestion, today, US), null, `${today} ${date} ${error.suggestion}`)
    }
})
