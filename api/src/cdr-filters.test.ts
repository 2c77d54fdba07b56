import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cdrFilters, parseMoment } from './cdr-filters.ts'

test('a time is parsed in every format and truncated to milliseconds', () => {
  const noon = Date.UTC(2025, 2, 1, 12)
  const grid: [string, number][] = [
    ['2025-03-01 12:00:00', noon],
    ['2025-03-01 12:00:00.5', noon + 500],
    ['2025-03-01 12:00:00.123999', noon + 123],
    ['2025-03-01T12:00:00Z', noon],
    ['2025-03-01T12:00:00.123456789Z', noon + 123],
    ['2025-03-01T12:00Z', noon],
    ['2025-03-01T12:00+00:00', noon],
    ['2025-03-01T12:00:00+0000', noon],
    ['2025-03-01T14:30:00+0230', noon],
    ['2025-03-01T04:00:00-08', noon],
    ['1969-12-31T23:59:59.9999Z', -1],
  ]
  for (const [text, ms] of grid) assert.equal(parseMoment(text), ms, text)
})

test('text that is not a time, and times that do not exist, are rejected', () => {
  for (const text of [
    '2025-02-29 00:00:00',
    '2025-03-01 24:00:00',
    '2025-03-01 12:00',
    '2025-03-01 12:00:00Z',
    '2025-03-01T12:00:00',
    '2025-03-01T12Z',
    '2025-03-01T12:00:00.Z',
    '2025-03-01T12:00:00,5Z',
    '2025-03-01T12:00:00+24:00',
    '2025-03-01T12:00:00+00:60',
    '2025-03-01T12:00:00+0',
    '2025-03-01T12:00.5Z',
  ])
    assert.equal(parseMoment(text), null, text)
})

test('only assigned country codes are accepted, in any case', () => {
  const read = (code: string) => cdrFilters.shape.destination_countries_included.safeParse([code]).data?.[0]
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const all = letters.flatMap((first) => letters.map((second) => first + second))
  assert.equal(all.filter((code) => read(code) === code).length, 249)
  for (const code of ['us', 'Gb', 'TW', 'PS', 'ax', 'SS']) assert.equal(read(code), code.toUpperCase())
  for (const code of ['UK', 'ZZ', 'EU', 'XK', 'AN', 'SU', 'AA', '', 'USA']) assert.equal(read(code), undefined, code)
})
