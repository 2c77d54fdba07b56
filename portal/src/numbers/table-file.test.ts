import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTable, reportOf, tableOf } from './table-file.ts'

const catalog = {
  routes: [
    { id: '7', name: 'Practice PBX' },
    { id: '8', name: 'Twice' },
    { id: '9', name: 'Twice' },
  ],
  cnams: [{ id: '3', name: 'HARBOR DENTAL' }],
  e911s: [{ id: '13', name: 'Seattle practice, front' }],
}

const none = { data: null }
const row = (alias: string | null, route: number, e911: number | null) => ({
  type: 'number' as const,
  id: 1,
  attributes: {
    alias,
    value: '12065550100',
    number_type: 'longcode' as const,
    state: null,
    rate_center: null,
    iso_country: 'US',
    status: 'active' as const,
    cnam_lookups_enabled: false,
    monthly_cost: '1.25',
    created_at: '2026-08-14T10:22:00Z',
  },
  links: { self: '' },
  relationships: {
    cnam_preset: { data: { type: 'cnam' as const, id: 3 } },
    e911_address: { data: e911 === null ? null : { type: 'e911' as const, id: e911 } },
    primary_route: { data: { type: 'route' as const, id: route } },
    failover_route: none,
    message_provision: none,
  },
})

test('an exported file imports unchanged, with names where they are unique', async () => {
  const text = tableOf([row('Front "desk", left', 7, 13), row(null, 8, null)], catalog)
  assert.equal(
    text,
    'number,alias,route,failover,cnam,e911\r\n' +
      '12065550100,"Front ""desk"", left",Practice PBX,,HARBOR DENTAL,"Seattle practice, front"\r\n' +
      '12065550100,,8,,HARBOR DENTAL,\r\n',
  )
  const { changes, refused } = await readTable(text, catalog)
  assert.deepEqual(refused, [])
  assert.deepEqual(changes, [
    { value: '12065550100', alias: 'Front "desk", left', primary_route_id: '7', cnam_id: '3', e911_id: '13' },
    { value: '12065550100', primary_route_id: '8', cnam_id: '3' },
  ])
})

test('a cell that starts like a formula is escaped for spreadsheets', () => {
  assert.match(tableOf([row('=1+1', 0, null)], catalog), /,'=1\+1,/)
})

test('invalid rows are refused individually, with line, field, and reason', async () => {
  const { changes, lines, refused } = await readTable(
    'number,route,alias\n2065550101,none,"Two\nlines"\n\n555,Practice PBX\n12065550102,Nowhere\n12065550103,Twice\n2065550104,,a,b\n',
    catalog,
  )
  assert.deepEqual(changes, [{ value: '12065550101', primary_route_id: null, alias: 'Two\nlines' }])
  assert.deepEqual(lines, [2])
  assert.deepEqual(
    refused.map(({ line, value, errors }) => [line, value, errors[0]?.detail]),
    [
      [5, '555', { value: ['Not a valid number. Use 11 digits starting with 1, or 10 digits.'] }],
      [6, '12065550102', { primary_route_id: ['The route "Nowhere" was not found or is not unique.'] }],
      [7, '12065550103', { primary_route_id: ['The route "Twice" was not found or is not unique.'] }],
      [8, '2065550104', { row: ['Has 4 cells, but the header has 3.'] }],
    ],
  )
})

test('a report has a line per number with its result and any errors', () => {
  const refused = { value: '18005550104', outcome: 'refused' as const, from: {}, to: {} }
  const changed = { value: '12065550100', outcome: 'changed' as const, from: { alias: null }, to: { alias: 'Front' } }
  const errors = [{ status: 422, detail: { e911_id: ['Is toll-free.'], alias: ['Is too long.'] } }]
  assert.equal(
    reportOf(
      [
        { ...refused, line: 7, errors },
        { ...changed, errors: [] },
      ],
      () => '',
    ),
    'line,number,result,field,reason,changes\r\n' +
      '7,18005550104,refused,E911 address; Alias,E911 address: Is toll-free. Alias: Is too long.,\r\n' +
      ',12065550100,changed,,,Alias: none → Front\r\n',
  )
})

test('a file without a number column is refused', async () => {
  await assert.rejects(readTable('alias\nx\n', catalog), /The number column is missing/)
  await assert.rejects(readTable('number,color\n', catalog), /color\. Known columns: number,/)
  for (const between of [';', '\t'])
    await assert.rejects(readTable(`number${between}alias\n`, catalog), /Separate columns with commas/)
  await assert.rejects(readTable('', catalog), /empty/)
})
