import assert from 'node:assert/strict'
import { it } from 'node:test'
import { portOrderStatuses, transitions } from '@demarc/client/rules'
import { operatorVerbs } from './keys.ts'
import { transitionsOf, verbDisabledReason } from './verbs.ts'
import { dayText, suggestedDay, weeksFrom } from './foc-days.ts'
import { findReasons } from './catalog.ts'

it('has a result or a reason for every verb and status', () => {
  for (const status of portOrderStatuses)
    for (const { verb } of operatorVerbs) {
      const order = { id: '1', attributes: { status, alias: '' } }
      const allowed = transitions.some(
        (each) => each.actor === 'operator' && each.from === status && each.verb === verb,
      )
      assert.equal(transitionsOf(verb, order).length > 0, allowed, `${verb} from ${status}`)
      assert.equal(verbDisabledReason(verb, [order]) === null, allowed, `why not ${verb} from ${status}`)
    }
})

const us = { country: 'US' } as const

it('gives the reason for a day off and skips holidays when counting business days', () => {
  const days = weeksFrom('2026-11-24', us).flat()
  assert.equal(days[0]?.date, '2026-11-22')
  assert.equal(days.find(({ date }) => date === '2026-11-23')?.disabledReason, 'In the past')
  assert.equal(days.find(({ date }) => date === '2026-11-26')?.disabledReason, 'Thanksgiving Day')
  assert.equal(days.find(({ date }) => date === '2026-11-28')?.disabledReason, 'Weekend')
  assert.deepEqual(dayText('2026-11-27', '2026-11-24', us), { text: '2 business days from today.', good: true })
  assert.equal(dayText('2026-11-31', '2026-11-24', us), null)
})

it('suggests the requested day if it is a valid FOC date', () => {
  assert.equal(suggestedDay('2026-12-02', '2026-11-24', us), '2026-12-02')
  for (const asked of [null, '2026-11-20', '2026-11-26'])
    assert.equal(suggestedDay(asked, '2026-11-24', us), '2026-11-30')
})

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
