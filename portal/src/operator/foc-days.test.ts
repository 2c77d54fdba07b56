import assert from 'node:assert/strict'
import { it } from 'node:test'
import { dayText, suggestedDay, weeksFrom } from './foc-days.ts'

const us = { country: 'US' } as const

it('gives the reason for a day off and skips holidays when counting business days', () => {
  const days = weeksFrom('2026-11-24', us).flat()
  assert.equal(days[0]?.date, '2026-11-22')
  assert.equal(days.find(({ date }) => date === '2026-11-23')?.disabledReason, 'It is past.')
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
