import assert from 'node:assert/strict'
import { it } from 'node:test'
import { findReasons } from './catalog.ts'

it('finds a reason by a carrier’s code', () => {
  assert.equal(findReasons('7401')[0]?.code, 'account_number_mismatch')
  assert.equal(findReasons('e17a')[0]?.code, 'account_number_mismatch')
})

it('finds reasons by words, title matches first', () => {
  assert.equal(findReasons('zip code')[0]?.code, 'zip_mismatch')
  assert.deepEqual(findReasons('no such words at all'), [])
})

it('lists the whole catalog for an empty search', () => {
  assert.ok(findReasons(' ').length > 20)
})
