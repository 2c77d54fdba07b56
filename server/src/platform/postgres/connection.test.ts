import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { testDatabase } from '../../../test/support/database.ts'
import { timestampOf } from './connection.ts'

const byDriver = pg.types.getTypeParser(1184, 'text')
const unread = (): never => assert.fail('it is written as every connection has it')

test('a UTC time is parsed like the driver does, with any number of decimals', () => {
  for (const seconds of ['00', '09', '59'])
    for (const day of ['0100-03-01', '1969-12-31', '1970-01-01', '2024-02-29', '2026-11-22', '9999-12-31'])
      for (const fraction of ['', '.1', '.12', '.123', '.1239', '.001', '.999999', '.000001']) {
        const text = `${day} 23:07:${seconds}${fraction}+00`
        assert.deepEqual(timestampOf(text, unread), byDriver(text), text)
      }
  for (let ms = 0; ms < 1000; ms++) {
    const text = `2026-11-22 14:00:00.${String(ms).padStart(3, '0')}+00`
    assert.deepEqual(timestampOf(text, unread), byDriver(text), text)
  }
})

test('the driver parses any other form', () => {
  for (const text of [
    'infinity',
    '-infinity',
    '0044-03-15 12:00:00+00 BC',
    '10000-01-01 00:00:00+00',
    '0026-03-01 12:00:00+00',
    '2026-03-01 12:00:00+05:30',
    '2026-03-01 12:00:00-08',
  ])
    assert.equal(
      timestampOf(text, (other) => `otherwise ${other}`),
      `otherwise ${text}`,
    )
})

test('the database returns a time unchanged, to the millisecond', async (t) => {
  const { pool } = await testDatabase(t)
  const times = ['2026-11-22T14:00:00.123Z', '1999-12-31T23:59:59.900Z', '2026-01-01T00:00:00.000Z']
  const { rows } = await pool.query<{ at: Date }>('select unnest($1::timestamptz[]) as at', [times])
  assert.deepEqual(
    rows.map(({ at }) => at.toISOString()),
    times,
  )
})
