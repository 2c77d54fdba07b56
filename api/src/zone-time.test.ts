import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { dateIn, instantAt, isZone, wallTime } from './zone-time.ts'

const zones = [
  'America/New_York',
  'America/Los_Angeles',
  'America/Phoenix',
  'America/St_Johns',
  'Pacific/Honolulu',
  'UTC',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
]

const mornings: [date: string, zone: string, utc: string, why: string][] = [
  ['2025-01-15', 'America/New_York', '2025-01-15T13:00:00.000Z', 'winter'],
  ['2025-07-15', 'America/New_York', '2025-07-15T12:00:00.000Z', 'summer'],
  ['2025-03-09', 'America/New_York', '2025-03-09T12:00:00.000Z', 'the morning after clocks went forward'],
  ['2025-03-08', 'America/New_York', '2025-03-08T13:00:00.000Z', 'the morning before'],
  ['2025-11-02', 'America/New_York', '2025-11-02T13:00:00.000Z', 'the morning after clocks went back'],
  ['2025-07-15', 'America/Phoenix', '2025-07-15T15:00:00.000Z', 'no summer time'],
  ['2025-07-15', 'America/St_Johns', '2025-07-15T10:30:00.000Z', 'half an hour'],
  ['2025-07-15', 'Pacific/Honolulu', '2025-07-15T18:00:00.000Z', 'far west'],
]
for (const [date, zone, utc, why] of mornings)
  test(`08:00 on ${date} in ${zone} is ${utc}: ${why}`, () =>
    assert.equal(instantAt(date, 8 * 60, zone).toISOString(), utc))

test('a time that clocks skip is later by the length of the gap', () => {
  assert.equal(instantAt('2025-03-09', 2 * 60 + 30, 'America/New_York').toISOString(), '2025-03-09T07:30:00.000Z')
  assert.deepEqual(wallTime(new Date('2025-03-09T07:30:00Z'), 'America/New_York'), {
    date: '2025-03-09',
    minutes: 3 * 60 + 30,
  })
})

test('an ambiguous time is the first of the two', () => {
  assert.equal(instantAt('2025-11-02', 90, 'America/New_York').toISOString(), '2025-11-02T05:30:00.000Z')
})

test('midnight belongs to the day it begins', () => {
  assert.deepEqual(wallTime(new Date('2025-06-16T04:00:00Z'), 'America/New_York'), { date: '2025-06-16', minutes: 0 })
  assert.equal(dateIn(new Date('2025-06-16T03:59:59.999Z'), 'America/New_York'), '2025-06-15')
})

test('1440 minutes is the midnight that ends the day', () => {
  assert.equal(instantAt('2025-06-16', 24 * 60, 'America/New_York').toISOString(), '2025-06-17T04:00:00.000Z')
})

test('an unknown zone is distinguished from a known one', () => {
  for (const zone of zones) assert.ok(isZone(zone))
  for (const not of ['', 'Mars/Olympus', 'Eastern', '../etc']) assert.ok(!isZone(not), not)
  assert.throws(() => wallTime(new Date(0), 'Mars/Olympus'), RangeError)
})

test("wall time and instant are each other's inverse, in every zone, also around the changes of clocks", () => {
  const start = Date.parse('2024-01-01T00:00:00Z') / 60_000
  fc.assert(
    fc.property(
      fc.integer({ min: start, max: start + 2 * 366 * 24 * 60 }),
      fc.constantFrom(...zones),
      (minute, zone) => {
        const instant = new Date(minute * 60_000)
        const shown = wallTime(instant, zone)
        const back = instantAt(shown.date, shown.minutes, zone)
        assert.deepEqual(wallTime(back, zone), shown)
        assert.ok(back <= instant && instant.getTime() - back.getTime() <= 60 * 60_000)
      },
    ),
    { numRuns: 500 },
  )
})
