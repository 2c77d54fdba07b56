import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forecastOf } from './forecast.ts'

test('the forecast is exact', () => {
  // orders of three periods, available, returning: trend, per day, days left, run-out date, needed
  const grid = [
    [[0, 0, 0], 10, 3, 'steady', '0.00', null, null, 0],
    [[30, 30, 30], 90, 0, 'steady', '1.00', 90, '2027-02-23', 0],
    [[30, 30, 30], 45, 5, 'steady', '1.00', 45, '2027-01-09', 40],
    [[1, 0, 0], 1, 0, 'steady', '0.01', 90, '2027-02-23', 0],
    [[0, 0, 4], 10, 0, 'steady', '0.04', 225, '2027-07-08', 0],
    [[0, 0, 5], 10, 0, 'rising', '0.17', 60, '2027-01-24', 5],
    [[10, 10, 19], 13, 0, 'steady', '0.43', 30, '2026-12-25', 26],
    [[10, 10, 24], 20, 2, 'rising', '0.80', 25, '2026-12-20', 50],
    [[24, 10, 10], 20, 2, 'falling', '0.33', 60, '2027-01-24', 8],
    [[5, 0, 0], 20, 0, 'falling', '0.00', null, null, 0],
    [[30, 30, 30], 0, 0, 'steady', '1.00', 0, '2026-11-25', 90],
    [[1, 1, 1], 1_000, 0, 'steady', '0.03', 30_000, null, 0],
    [[10, 10, 10], 0, 500, 'steady', '0.33', 0, '2026-11-25', 0],
  ] as const
  for (const [ordered, available, returning, trend, ordered_per_day, days_left, runs_out_on, needed_90_days] of grid)
    assert.partialDeepStrictEqual(
      forecastOf({ ordered, available, returning }, '2026-11-25'),
      { trend, ordered_per_day, days_left, runs_out_on, needed_90_days },
      `${ordered.join()}: ${available} and ${returning}`,
    )
})
