import assert from 'node:assert/strict'
import { it } from 'node:test'
import { costsOf, filtersOf, selectedFrom, type AvailableNumber } from './cart.ts'

const number = (value: string, monthly_cost: string): AvailableNumber => ({
  type: 'number',
  id: value,
  attributes: {
    value,
    number_type: 'longcode',
    rate_center: 'SEATTLE',
    lata: '674',
    state: 'WA',
    monthly_cost,
    setup_cost: '1',
    capabilities: ['voice'],
  },
  links: { related: '' },
})

it('reads an area code, a ZIP Code, a state, and a rate center from one field', () => {
  for (const [place, filters] of [
    ['425', { starts_with: '425' }],
    ['(425) 555', { starts_with: '425555' }],
    ['98004', { near_zip: '98004' }],
    ['wa', { state: 'wa' }],
    ['Bellevue', { rate_center: 'Bellevue' }],
    ['Bellevue, WA', { rate_center: 'Bellevue', state: 'WA' }],
    ['Bellevue, ', { rate_center: 'Bellevue' }],
    [' ', {}],
  ] as const)
    assert.deepEqual(filtersOf({ place }), filters, place)
})

it('reads digits and words from one field', () => {
  assert.deepEqual(filtersOf({ spells: '55-01' }), { contains: '5501' })
  assert.deepEqual(filtersOf({ spells: 'Tooth' }), { spells: 'Tooth' })
  assert.deepEqual(filtersOf({ run: '5', type: 'toll-free' }), { consecutive: 5, number_type: 'toll-free' })
})

it('keeps the selection of other pages, and adds prices exactly', () => {
  const first = selectedFrom(new Map(), new Set(['1', '2']), [number('1', '0.1'), number('2', '0.2')])
  const both = selectedFrom(first, new Set(['1', '2', '3']), [number('3', '1.0005'), number('4', '9')])
  assert.deepEqual([...both.keys()], ['1', '2', '3'])
  assert.deepEqual(costsOf(both), { monthly_cost: '1.3005', setup_cost: '3.0000' })
  assert.equal(costsOf(selectedFrom(both, new Set(['2']), [])).monthly_cost, '0.2000')
  assert.equal(costsOf(new Map()).monthly_cost, '0.0000')
})
