import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupStatus, idleDays, nextSteps, nextStepOf, mermaid } from './progress.ts'
import { portOrderStatuses, terminal, transitions } from './transitions.ts'
import type { PortOrderStatus } from './transitions.ts'

const day = 24 * 60 * 60 * 1000
const created = new Date('2025-01-30T12:00:00Z')
const updated_at = new Date('2025-02-01T12:00:00Z')
const entered_at = new Date('2025-02-10T09:30:00Z')
const completes_at = new Date('2025-02-20T13:00:00Z')

test('every status says who acts next; only final statuses have nobody', () => {
  for (const s of portOrderStatuses) assert.equal(nextSteps[s].who === 'nobody', terminal(s), s)
})

test('the customer acts next exactly in the statuses where the customer has a transition', () => {
  for (const s of portOrderStatuses)
    assert.equal(
      nextSteps[s].who === 'account',
      transitions.some((t) => t.from === s && t.actor === 'account'),
      s,
    )
})

test('a Pending order is due 45 days after its last update, not after its creation', () => {
  const step = nextStepOf({ status: 'Pending', updated_at, entered_at: created })
  assert.equal(step.due_at?.getTime(), updated_at.getTime() + idleDays * day)
  assert.equal(step.becomes, 'Canceled')
})

test('a Rejected order is due 45 days after its rejection, regardless of later edits', () => {
  const step = nextStepOf({ status: 'Rejected', updated_at: new Date('2025-03-01T00:00:00Z'), entered_at })
  assert.equal(step.due_at?.getTime(), entered_at.getTime() + idleDays * day)
  assert.equal(step.becomes, 'Abandoned')
})

test('an Accepted order is due on its completion date, without an automatic transition', () => {
  assert.deepEqual(nextStepOf({ status: 'Accepted', updated_at, entered_at, completes_at }).due_at, completes_at)
  assert.equal(nextStepOf({ status: 'Accepted', updated_at, entered_at }).due_at, null)
  assert.equal(nextStepOf({ status: 'Accepted', updated_at, entered_at, completes_at }).becomes, null)
})

test('no other status has a due time', () => {
  for (const status of portOrderStatuses)
    if (!['Pending', 'Rejected', 'Accepted'].includes(status))
      assert.equal(nextStepOf({ status, updated_at, entered_at, completes_at }).due_at, null)
})

const groups: [PortOrderStatus[], string | null][] = [
  [[], null],
  [['Pending'], 'Requires Action'],
  [['Rejected', 'Completed'], 'Requires Action'],
  [['Pending', 'Submitted', 'Canceled'], 'Requires Action'],
  [['Processing'], 'In Progress'],
  [['Review', 'Completed'], 'In Progress'],
  [['Accepted', 'Canceled'], 'In Progress'],
  [['Submitted', 'Hard_canceled', 'Completed'], 'In Progress'],
  [['Completed'], 'Completed'],
  [['Completed', 'Canceled', 'Abandoned'], 'Completed'],
  [['Canceled'], 'Canceled'],
  [['Abandoned', 'Hard_canceled'], 'Canceled'],
]
for (const [statuses, expected] of groups)
  test(`a group of ${statuses.join(', ') || 'nothing'} is ${expected ?? 'no group'}`, () => {
    assert.equal(groupStatus(statuses), expected)
    assert.equal(groupStatus(statuses.toReversed()), expected)
  })

test('the diagram has an arrow for every transition, a start, and an end for every final status', () => {
  const lines = mermaid()
    .trimEnd()
    .split('\n')
    .map((l) => l.trim())
  assert.equal(lines[0], 'stateDiagram-v2')
  assert.equal(lines[1], '[*] --> Pending')
  assert.equal(lines.length, 2 + transitions.length + portOrderStatuses.filter(terminal).length)
  assert.ok(lines.includes('Pending --> Canceled: expire (system, after 45 days)'))
  assert.ok(lines.includes('Completed --> [*]'))
})
