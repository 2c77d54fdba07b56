import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectedDays, cnamStatusOf, cnamAssignmentError } from './rules.ts'

const zone = 'America/Los_Angeles'

test('a name is expected from the 5th to the 7th business day after its approval', () => {
  const grid: [string, string, string, string][] = [
    ['an ordinary Monday', '2026-03-02T18:00:00Z', '2026-03-09', '2026-03-11'],
    ['a Friday', '2026-03-06T18:00:00Z', '2026-03-13', '2026-03-17'],
    ['a Saturday', '2026-03-07T18:00:00Z', '2026-03-13', '2026-03-17'],
    ['still Monday in the zone of the service', '2026-03-03T07:59:59Z', '2026-03-09', '2026-03-11'],
    ['Tuesday there', '2026-03-03T08:00:00Z', '2026-03-10', '2026-03-12'],
    ['before Thanksgiving', '2026-11-20T18:00:00Z', '2026-11-30', '2026-12-02'],
    ['before Christmas and New Year', '2026-12-23T18:00:00Z', '2026-12-31', '2027-01-05'],
  ]
  for (const [why, approved_at, expected_from, expected_by] of grid)
    assert.deepEqual(expectedDays(new Date(approved_at), zone), { expected_from, expected_by }, why)
})

test('an unapproved name has no expected dates', () => {
  assert.deepEqual(expectedDays(null, zone), { expected_from: null, expected_by: null })
})

test('only an approved record of the account can be set on a number', () => {
  const grid = [
    [undefined, 'unknown', /^No caller ID name 7 is on this account/],
    [{ is_approved: false, rejection_reason: null }, 'waiting', /not approved yet/],
    [{ is_approved: false, rejection_reason: 'Not your name.' }, 'rejected', /was rejected/],
    [{ is_approved: true, rejection_reason: null }, 'approved', null],
  ] as const
  for (const [record, status, expected] of grid) {
    assert.equal(cnamStatusOf(record), status)
    const error = cnamAssignmentError(status, '7')
    if (expected === null) assert.equal(error, null)
    else assert.match(error ?? '', expected)
  }
})
