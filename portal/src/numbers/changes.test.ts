import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesOf, isEmpty, linesOf, reasonsOf, unchanged } from './changes.ts'

const values = ['12065550100', '12065550101']

test('unchanged fields are omitted and removed ones are null', () => {
  assert.ok(isEmpty(unchanged))
  assert.deepEqual(changesOf(values, { ...unchanged, primary_route: 'id:7', cnam: 'none', alias: '' }), [
    { value: '12065550100', alias: '', primary_route_id: '7', cnam_id: null },
    { value: '12065550101', alias: '', primary_route_id: '7', cnam_id: null },
  ])
})

test('a result states each field’s old and new value', () => {
  const result = {
    value: '12065550100',
    outcome: 'changed' as const,
    from: { alias: null, primary_route_id: 0 },
    to: { alias: 'Front desk', primary_route_id: 7 },
    errors: [],
  }
  assert.deepEqual(
    linesOf(result, (_, id) => (id === 0 ? 'Default' : 'Practice PBX')),
    ['Alias: none → Front desk', 'Route: Default → Practice PBX'],
  )
})

test('a refusal shows the field and the API’s message', () => {
  const refused = (detail: string | Record<string, string[]>) => ({
    value: '18005550104',
    outcome: 'refused' as const,
    from: {},
    to: {},
    errors: [{ status: 422, title: 'Invalid input', detail }],
  })
  assert.deepEqual(reasonsOf(refused('No such number.')), ['Number: No such number.'])
  assert.deepEqual(reasonsOf(refused({ e911_id: ['Toll-free numbers have none.'] })), [
    'E911 address: Toll-free numbers have none.',
  ])
})
