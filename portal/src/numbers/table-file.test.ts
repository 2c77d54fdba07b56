import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTable, tableOf } from './table-file.ts'

const catalogue = {
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

test('what was exported is read as the same, by names where they are unique', async () => {
  const text = tableOf([row('Front "desk", left', 7, 13), row(null, 8, null)], catalogue)
  assert.equal(
    text,
    'number,alias,route,failover,cnam,e911\r\n' +
      '12065550100,"Front ""desk"", left",Practice PBX,,HARBOR DENTAL,"Seattle practice, front"\r\n' +
      '12065550100,,8,,HARBOR DENTAL,\r\n',
  )
  const { changes, refused } = await readTable(text, catalogue)
  assert.deepEqual(refused, [])
  assert.deepEqual(changes, [
    { value: '12065550100', alias: 'Front "desk", left', primary_route_id: '7', cnam_id: '3', e911_id: '13' },
    { value: '12065550100', primary_route_id: '8', cnam_id: '3' },
  ])
})

test('a cell that begins like a formula is a text to a spreadsheet', () => {
  assert.match(tableOf([row('=1+1', 0, null)], catalogue), /,'=1\+1,/)
})

test('rows that cannot be right are refused by themselves, with the reason', async () => {
  const { changes, refused } = await readTable(
    'number,route\n2065550101,none\n555,Practice PBX\n12065550102,Nowhere\n12065550103,Twice\n',
    catalogue,
  )
  assert.deepEqual(changes, [{ value: '12065550101', primary_route_id: null }])
  assert.deepEqual(
    refused.map(({ value, errors }) => [value, errors[0]?.detail]),
    [
      ['555', 'Is no number: 11 digits that begin with 1, or 10 without it.'],
      ['12065550102', 'There is no route "Nowhere", or more than one.'],
      ['12065550103', 'There is no route "Twice", or more than one.'],
    ],
  )
})

test('a file without a column for the number is refused as a whole', async () => {
  await assert.rejects(readTable('alias\nx\n', catalogue), /There is no column number/)
  await assert.rejects(readTable('number,colour\n', catalogue), /colour/)
  await assert.rejects(readTable('', catalogue), /empty/)
})
