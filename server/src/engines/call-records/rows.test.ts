import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { insertRow } from './rows.ts'
import { INSERTED_COLUMNS } from './schema.ts'
import { callRecord } from './testing/records.ts'

const column = (line: string, name: string): unknown => JSON.parse(line)[INSERTED_COLUMNS.indexOf(name)]

test('a row has its columns in the order of the statement', () => {
  const record = callRecord({ id: 'id', customer_ip: 'ip', callerid: 'from', destination: 'to', ccrf: '0.7' })
  const { line } = insertRow(record)
  assert.equal(JSON.parse(line).length, INSERTED_COLUMNS.length)
  for (const name of INSERTED_COLUMNS) {
    const value = Reflect.get(record, name) as unknown
    if (value !== undefined && !(value instanceof Date)) assert.deepEqual(column(line, name), value, name)
  }
})

test('times of all years are as ISO 8601 has them', () => {
  const years = { min: new Date(Date.UTC(1900, 0, 1)), max: new Date(Date.UTC(2299, 11, 31, 23, 59, 59, 999)) }
  fc.assert(
    fc.property(fc.date({ ...years, noInvalidDate: true }), (start_time) => {
      const iso = start_time.toISOString()
      assert.equal(
        column(insertRow(callRecord({ start_time })).line, 'start_time'),
        iso.replace('T', ' ').replace('Z', ''),
      )
    }),
  )
})

test('half of a surrogate pair is replaced, and text that looks like one when escaped is kept', () => {
  const text = (number_alias: string): unknown => column(insertRow(callRecord({ number_alias })).line, 'number_alias')
  assert.equal(text('a\ud800b'), 'a\ufffdb')
  assert.equal(text('\\ud800'), '\\ud800')
  assert.equal(text('😀'), '😀')
  assert.deepEqual(column(insertRow(callRecord({ custom_x_tag: ['\udc00'] })).line, 'custom_x_tag'), ['\ufffd'])
})
