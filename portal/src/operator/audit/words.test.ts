import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actorText, brokenText, eventText, factsOf, personText } from './words.ts'

test('known and unknown event types are described in words', () => {
  assert.deepEqual(['cnam.approved', 'portorder.numbers_left_behind', 'thing.made_up'].map(eventText), [
    'Caller ID name approved',
    'Port order numbers left behind',
    'Thing made up',
  ])
})

test('the actor is named, and the operator’s people are marked', () => {
  const name = (id: string) => (id === '3' ? 'Mia' : undefined)
  const actors = ['operator:person:3', 'person:7', 'key:ak1', 'operator:ok1', 'system:complete-port']
  assert.deepEqual(
    actors.map((actor) => actorText(actor, name)),
    ['Mia (operator)', 'Person 7', 'Key ak1', 'Key ok1 (operator)', 'The service (complete-port)'],
  )
})

test('a person is shown with email, and with their account if the entry is not on its chain', () => {
  const holder = { email: 'rosa@harbor.example', is_operator: false, accounts: [{ name: 'Harbor' }, { name: 'Pier' }] }
  assert.equal(personText(holder, '1001'), 'rosa@harbor.example')
  assert.equal(personText(holder, null), 'rosa@harbor.example, of Harbor and 1 other account')
  assert.equal(personText({ ...holder, accounts: [{ name: 'Harbor' }] }, null), 'rosa@harbor.example, of Harbor')
  assert.equal(personText({ ...holder, is_operator: true }, null), 'rosa@harbor.example')
})

test('changes show before and after; other details show their names', () => {
  assert.deepEqual(factsOf({ from: { alias: null }, to: { alias: 'Desk' }, numbers: ['1'] }), [
    { name: 'alias', before: '—', now: 'Desk' },
    { name: 'numbers', now: '["1"]' },
  ])
  assert.deepEqual(factsOf({ from: 'manager', to: 'owner' }), [{ name: 'it', before: 'manager', now: 'owner' }])
  assert.deepEqual(factsOf(null), [])
})

test('a broken chain reports where, and whether its end is missing', () => {
  assert.match(brokenText({ broken_at: 3, events: 1200 }), /^entry 3 of 1,200 doesn’t match/)
  assert.equal(brokenText({ broken_at: 6, events: 5 }), 'the entries after entry 5 are missing.')
})
