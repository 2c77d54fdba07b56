import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditSearch } from './operator/search.ts'
import { checkSearch, edgeStrategiesSearch, numbersSearch, portOrdersSearch, replacesEntry } from './search.ts'

test('unknown values in a URL fall back to the default, and the router does not put them back', () => {
  const unknown = { cnam_id: 'abc', e911: 'maybe', offset: '1e3', group_id: '-1', status: 'lost', id: 'x', of: 'all' }
  for (const read of [numbersSearch, portOrdersSearch, checkSearch, edgeStrategiesSearch, auditSearch]) {
    const search = read(unknown)
    assert.ok(Object.keys(search).length > 0)
    assert.deepEqual(
      Object.values(search).filter((value) => value !== undefined),
      [],
    )
  }
  for (const offset of ['0', '-50', '0x10', '1.5', '9'.repeat(16)])
    assert.deepEqual(numbersSearch({ offset }), { offset: undefined })
  assert.deepEqual(numbersSearch({ cnam_id: '7', e911: 'none', offset: '50' }), {
    cnam_id: '7',
    e911: 'none',
    offset: 50,
  })
})

test('Back undoes the last change of a filter or page', () => {
  assert.equal(replacesEntry({ e911: 'none', offset: undefined }, ''), false)
  assert.equal(replacesEntry({ e911: 'set', offset: undefined }, '?e911=none&offset=50'), false)
  assert.equal(replacesEntry({ e911: undefined, offset: undefined }, '?e911=none'), false)
  assert.equal(replacesEntry({ offset: 50 }, '?e911=none'), false)
  assert.equal(replacesEntry({ offset: undefined }, '?offset=50'), false)
})

test('Back undoes a typed text at once', () => {
  assert.equal(replacesEntry({ find: '2', offset: undefined }, ''), false)
  assert.equal(replacesEntry({ find: '206', offset: undefined }, '?find=20'), true)
  assert.equal(replacesEntry({ find: '20', offset: undefined }, '?find=206'), true)
  assert.equal(replacesEntry({ find: '206', offset: undefined }, '?find=20&offset=50'), true)
  assert.equal(replacesEntry({ find: undefined, offset: undefined }, '?find=206'), false)
  assert.equal(replacesEntry({ find: '425', offset: undefined }, '?find=206'), false)
})

test('opening a part of a page adds no entry', () => {
  assert.equal(replacesEntry({ order: '1002' }, '?order=1001'), true)
  assert.equal(replacesEntry({ file: 'parquet' }, ''), true)
  assert.equal(replacesEntry({ who: 'customer', order: undefined }, '?order=1001'), false)
})
