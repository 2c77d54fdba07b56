import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cdrFilters } from '@demarc/client'
import { byteRange, coldBefore, failureReason, minutesText, moneyText, storedFilter, warehouseFilter } from './rules.ts'

test('money has six decimal places, and more if they are nonzero', () => {
  const grid: [value: string, text: string][] = [
    ['0', '0.000000'],
    ['7', '7.000000'],
    ['34.3213', '34.321300'],
    ['34.32130000', '34.321300'],
    ['0.00000001', '0.00000001'],
    ['4307.7202919', '4307.7202919'],
    ['-0.5', '-0.500000'],
    ['12345678901234567890.12345678', '12345678901234567890.12345678'],
  ]
  for (const [value, text] of grid) assert.equal(moneyText(value), text)
})

test('minutes are exact to six places, rounded half up', () => {
  const grid: [seconds: string, text: string][] = [
    ['0', '0.000000'],
    ['60', '1.000000'],
    ['90', '1.500000'],
    ['1', '0.016667'],
    ['20', '0.333333'],
    ['203069880', '3384498.000000'],
    ['9007199254740993', '150119987579016.550000'],
  ]
  for (const [seconds, text] of grid) assert.equal(minutesText(seconds), text)
})

test('byte ranges follow RFC 9110, and an invalid header means the whole file', () => {
  const grid: [range: string | undefined, part: ReturnType<typeof byteRange>][] = [
    [undefined, null],
    ['bytes=0-', { start: 0, end: 100 }],
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=99-', { start: 99, end: 100 }],
    ['bytes=10-19', { start: 10, end: 20 }],
    ['bytes=90-1000', { start: 90, end: 100 }],
    ['bytes=-1', { start: 99, end: 100 }],
    ['bytes=-1000', { start: 0, end: 100 }],
    [' BYTES=5-6 ', { start: 5, end: 7 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=100-200', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-4', null],
    ['bytes=-', null],
    ['bytes=0-1,3-4', null],
    ['bytes=a-b', null],
    ['lines=0-1', null],
    ['bytes=9999999999999999-', null],
  ]
  for (const [range, part] of grid)
    assert.deepEqual(byteRange({ range, if_range: undefined }, '"x"', 100), part, String(range))
})

test('If-Range with anything but the exact entity tag returns the whole file', () => {
  const part = (if_range: string | string[]) => byteRange({ range: 'bytes=5-', if_range }, '"x"', 100)
  assert.deepEqual(part('"x"'), { start: 5, end: 100 })
  for (const other of ['"y"', 'W/"x"', 'x', 'Sun, 01 Mar 2026 12:00:00 GMT', ['"x"', '"x"']])
    assert.equal(part(other), null, String(other))
})

test('a filter is read from the database as written', () => {
  const filters = cdrFilters.parse({
    start_call_start_time: '2025-03-01 00:00:00',
    start_call_end_time: '2025-03-31T23:59:59.999+02:00',
    destination_countries_included: ['us'],
    cost_less_than: 0.00000001,
    duration_greater_than: '1.500',
    tollfree_only: false,
    custom_x_tags: ['a\0b', '"', 'ü'],
  })
  const filter = warehouseFilter(filters)
  assert.deepEqual(storedFilter(JSON.parse(JSON.stringify(filter))), filter)
  assert.equal(filter.start_call_end_time.toISOString(), '2025-03-31T21:59:59.999Z')
  assert.equal(filter.cost_less_than, '0.00000001')
  assert.deepEqual(filter.destination_countries_included, ['US'])
  assert.ok(!('direction' in filter))
})

test('every failure reason contains the remedy', () => {
  for (const code of ['241', '159', '160', 'UNAVAILABLE', 'ENOSPC', '60', null])
    assert.match(failureReason(code), /[Rr]equest (a shorter period|the export again)/)
})

test('a month is cold when its end is as many months ago', () => {
  const grid: [now: string, months: number, before: string][] = [
    ['2026-11-24T12:00:00Z', 13, '2025-10'],
    ['2026-11-01T00:00:00Z', 13, '2025-10'],
    ['2026-10-31T23:59:59Z', 13, '2025-09'],
    ['2026-01-31T00:00:00Z', 1, '2025-12'],
    ['2026-01-01T00:00:00Z', 24, '2024-01'],
  ]
  for (const [now, months, before] of grid) assert.equal(coldBefore(new Date(now), months), before, now)
})
