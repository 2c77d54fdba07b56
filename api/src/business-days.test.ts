import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  addBusinessDays,
  addDays,
  businessDayFrom,
  businessDaysUntil,
  businessDayWindow,
  daysBetween,
  holidayOn,
  holidays,
  isBusinessDay,
  isDate,
  weekdayOf,
} from './business-days.ts'
import type { Calendar, HolidayCountry } from './business-days.ts'

const US: Calendar = { country: 'US' }
const CA: Calendar = { country: 'CA' }

/** Observed holidays as the governments published them. */
const published: Record<HolidayCountry, Record<number, string>> = {
  US: {
    2024: '01-01 01-15 02-19 05-27 06-19 07-04 09-02 10-14 11-11 11-28 12-25',
    2025: '01-01 01-20 02-17 05-26 06-19 07-04 09-01 10-13 11-11 11-27 12-25',
    2026: '01-01 01-19 02-16 05-25 06-19 07-03 09-07 10-12 11-11 11-26 12-25',
    2027: '01-01 01-18 02-15 05-31 06-18 07-05 09-06 10-11 11-11 11-25 12-24 12-31',
  },
  CA: {
    2024: '01-01 03-29 05-20 07-01 09-02 09-30 10-14 11-11 12-25 12-26',
    2025: '01-01 04-18 05-19 07-01 09-01 09-30 10-13 11-11 12-25 12-26',
    2026: '01-01 04-03 05-18 07-01 09-07 09-30 10-12 11-11 12-25 12-28',
    2027: '01-01 03-26 05-24 07-01 09-06 09-30 10-11 11-11 12-27 12-28',
  },
}

for (const country of ['US', 'CA'] as const)
  for (const [year, days] of Object.entries(published[country]))
    test(`${country} in ${year} has exactly the published holidays`, () => {
      const found: string[] = []
      for (let day = `${year}-01-01`; day.startsWith(year); day = addDays(day, 1))
        if (weekdayOf(day) % 6 !== 0 && !isBusinessDay(day, { country })) found.push(day.slice(5))
      assert.equal(found.join(' '), days)
    })

test('Easter follows the church for two centuries', () => {
  const easter = {
    1981: '04-19',
    1999: '04-04',
    2000: '04-23',
    2008: '03-23',
    2011: '04-24',
    2019: '04-21',
    2024: '03-31',
    2025: '04-20',
    2038: '04-25',
    2049: '04-18',
    2076: '04-19',
    2100: '03-28',
  }
  for (const [year, day] of Object.entries(easter)) {
    const good = holidays('CA', Number(year)).find((h) => h.name === 'Good Friday')
    assert.equal(good?.date, addDays(`${year}-${day}`, -2))
  }
})

test('Victoria Day is the Monday before 25 May in every year', () => {
  for (let year = 1990; year < 2090; year += 1) {
    const day = holidays('CA', year).find((h) => h.name === 'Victoria Day')?.date ?? ''
    assert.equal(weekdayOf(day), 1)
    assert.ok(day >= `${year}-05-18` && day <= `${year}-05-24`, day)
  }
})

test('a holiday starts in the year it was introduced', () => {
  for (const [country, name, year] of [
    ['US', 'Juneteenth', 2021],
    ['CA', 'National Day for Truth and Reconciliation', 2021],
    ['US', 'Birthday of Martin Luther King, Jr.', 1986],
  ] as const) {
    assert.ok(holidays(country, year).some((h) => h.name === name))
    assert.ok(!holidays(country, year - 1).some((h) => h.name === name))
  }
})

test('the holidays of a year are computed once', () => {
  assert.equal(holidays('US', 2031), holidays('US', 2031))
  assert.notEqual(holidays('US', 2031), holidays('CA', 2031))
})

test('no two holidays are observed on one day, and none on a weekend', () => {
  for (const country of ['US', 'CA'] as const)
    for (let year = 1990; year < 2090; year += 1) {
      const observed = holidays(country, year).map((h) => h.observed)
      assert.equal(new Set(observed).size, observed.length, `${country} ${year}`)
      for (const day of observed) assert.ok(weekdayOf(day) % 6 !== 0, day)
    }
})

const steps: [from: string, days: number, calendar: Calendar, to: string, why: string][] = [
  ['2025-06-16', 0, US, '2025-06-16', 'none'],
  ['2025-06-16', 1, US, '2025-06-17', 'Monday to Tuesday'],
  ['2025-06-16', 3, US, '2025-06-20', 'over Juneteenth'],
  ['2025-06-20', 1, US, '2025-06-23', 'over a weekend'],
  ['2025-06-21', 1, US, '2025-06-23', 'from a Saturday'],
  ['2025-12-24', 1, US, '2025-12-26', 'over Christmas'],
  ['2025-12-24', 1, CA, '2025-12-29', 'over Christmas, Boxing Day and a weekend'],
  ['2027-12-30', 1, US, '2028-01-03', "over a New Year's Day observed in the old year"],
  ['2027-12-30', 1, CA, '2027-12-31', "a New Year's Day observed in the new year"],
  ['2025-04-17', 1, CA, '2025-04-21', 'over Good Friday'],
  ['2025-04-17', 1, US, '2025-04-18', 'Good Friday is worked in the US'],
  ['2024-02-28', 2, US, '2024-03-01', 'over a leap day'],
  ['2025-03-07', 1, US, '2025-03-10', 'over the night in which clocks go forward'],
  ['2025-06-23', -1, US, '2025-06-20', 'back over a weekend'],
  ['2025-06-20', -1, US, '2025-06-18', 'back over Juneteenth'],
  ['2025-07-01', -1, CA, '2025-06-30', 'back from a holiday'],
]
for (const [from, days, calendar, to, why] of steps)
  test(`${days} business days from ${from} in ${calendar.country} is ${to}: ${why}`, () =>
    assert.equal(addBusinessDays(from, days, calendar), to))

test('a carrier may close on other days and open on a holiday', () => {
  const own: Calendar = { country: 'US', closed: ['2025-11-28'], open: ['2025-10-13'] }
  assert.equal(holidayOn('2025-11-28', own), 'Closed')
  assert.equal(addBusinessDays('2025-11-26', 1, own), '2025-12-01')
  assert.equal(addBusinessDays('2025-10-10', 1, own), '2025-10-13')
  assert.equal(holidayOn('2025-10-13', US), 'Columbus Day')
})

test('5 to 7 business days is a window of three business days', () => {
  assert.deepEqual(businessDayWindow('2025-06-13', 5, 7, US), { earliest: '2025-06-23', latest: '2025-06-25' })
})

test('the next business day of a business day is itself', () => {
  assert.equal(businessDayFrom('2025-06-18', US), '2025-06-18')
  assert.equal(businessDayFrom('2025-06-19', US), '2025-06-20')
  assert.equal(businessDayFrom('2025-07-04', US), '2025-07-07')
})

test('only real days are dates', () => {
  for (const date of ['2024-02-29', '2000-02-29', '1999-12-31']) assert.ok(isDate(date))
  for (const not of [
    '2025-02-29',
    '2100-02-29',
    '2025-13-01',
    '2025-00-10',
    '2025-04-31',
    '2025-1-1',
    '',
    '2025-01-01T00:00:00Z',
    ' 2025-01-01',
    '0050-01-01',
  ])
    assert.ok(!isDate(not), not)
  assert.throws(() => isBusinessDay('2025-02-30', US), RangeError)
})

const anyDate = fc.integer({ min: 0, max: 40_000 }).map((n) => addDays('1990-01-01', n))
const anyCalendar = fc.constantFrom(US, CA)

test('adding business days and subtracting them again returns to the first business day', () => {
  fc.assert(
    fc.property(anyDate, fc.integer({ min: 1, max: 40 }), anyCalendar, (date, count, calendar) => {
      const start = businessDayFrom(date, calendar)
      const end = addBusinessDays(start, count, calendar)
      assert.ok(isBusinessDay(end, calendar))
      assert.equal(addBusinessDays(end, -count, calendar), start)
      let between = 0
      for (let d = addDays(start, 1); d <= end; d = addDays(d, 1)) between += isBusinessDay(d, calendar) ? 1 : 0
      assert.equal(between, count)
    }),
    { numRuns: 60 },
  )
})

test('days between is the inverse of adding days', () => {
  fc.assert(
    fc.property(anyDate, fc.integer({ min: -9000, max: 9000 }), (date, n) =>
      assert.equal(daysBetween(date, addDays(date, n)), n),
    ),
  )
})

test('business days until a day count that day, and neither the first one nor days off', () => {
  // Thanksgiving is on the 26th
  assert.equal(businessDaysUntil('2026-11-24', '2026-11-30', US), 3)
  assert.equal(businessDaysUntil('2026-11-28', '2026-11-30', US), 1)
  assert.equal(businessDaysUntil('2026-11-30', '2026-11-30', US), 0)
  assert.equal(businessDaysUntil('2026-12-01', '2026-11-30', US), 0)
})
