import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Findings } from './findings.ts'
import type { Outcome } from './http.ts'
import { Model, type Found } from './model.ts'

/** Tests the model itself: it must find the errors put in front of it. */

const done: Outcome = { kind: 'done', status: 201, body: { data: { id: '7' } }, cookie: null, repeated: false }
const refused: Outcome = { kind: 'refused', status: 422, text: '' }
const unknown: Outcome = { kind: 'unknown', why: 'ECONNRESET' }
const found = (fields = {}, id = '7'): Found => ({ mark: 'a', id, fields })

/** Findings for one record after these changes. */
function compared(
  what: (model: Model) => void,
  records: readonly Found[],
): Pick<Findings, 'lost' | 'doubled' | 'others'> {
  const model = new Model('record')
  what(model)
  const findings = new Findings()
  model.compare(records, findings)
  const { lost, doubled, others } = findings
  return { lost, doubled, others }
}

const nothing = { lost: [], doubled: [], others: [] }

test('an acknowledged record must exist exactly once', () => {
  const create = (model: Model) => void model.created('a', {}, done)
  assert.deepEqual(compared(create, [found()]), nothing)
  assert.deepEqual(compared(create, []), { ...nothing, lost: ['record a (7) is not there'] })
  assert.deepEqual(compared(create, [found(), found({}, '8')]), { ...nothing, doubled: ['record a is there 2 times'] })
})

test('a refused or deleted record must not exist', () => {
  const finding = 'record a is there, although it was refused or deleted'
  const remove = (model: Model) => model.removed(model.created('a', {}, done), done)
  const create = (model: Model) => void model.created('a', {}, refused)
  for (const change of [remove, create]) {
    assert.deepEqual(compared(change, []), nothing)
    assert.deepEqual(compared(change, [found()]), { ...nothing, others: [finding] })
  }
})

test('a record of unknown outcome may exist, but not twice', () => {
  const create = (model: Model) => void model.created('a', {}, unknown)
  assert.deepEqual(compared(create, []), nothing)
  assert.deepEqual(compared(create, [found()]), nothing)
  assert.deepEqual(compared(create, [found(), found({}, '8')]).doubled.length, 1)
})

test('a value is the last acknowledged one, or one whose outcome is unknown', () => {
  const change = (outcome: Outcome) => (model: Model) =>
    model.changed(model.created('a', { value: 1 }, done), { value: 2 }, outcome)
  const grid: [Outcome, number[]][] = [
    [done, [2]],
    [refused, [1]],
    [unknown, [1, 2]],
  ]
  for (const [outcome, possible] of grid)
    for (const value of [1, 2, 3])
      assert.equal(compared(change(outcome), [found({ value })]).lost.length, possible.includes(value) ? 0 : 1)
})

test('a record that no writer requested must not exist', () => {
  assert.deepEqual(compared(() => undefined, [found()]).others, ['record a (7) was never asked for'])
})

test('a count resolves unknown outcomes', () => {
  const model = new Model('record')
  const expected = model.created('a', { value: 1 }, unknown)
  model.compare([found({ value: 1 })], new Findings())
  assert.deepEqual([expected.there, expected.id, model.settled()], ['yes', '7', [expected]])
  const later = new Findings()
  model.compare([], later)
  assert.equal(later.lost.length, 1)
})
