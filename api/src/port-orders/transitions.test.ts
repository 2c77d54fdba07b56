import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  activeStatuses,
  canTransition,
  editAllowed,
  edits,
  transitionActors,
  parseStatus,
  portOrderStatuses,
  terminal,
  transitions,
} from './transitions.ts'
import type { Edit, TransitionActor, PortOrderStatus } from './transitions.ts'

/** Written a second time by hand from the contract. The code's table has to agree with it cell by cell. */
const expected: Record<TransitionActor, Partial<Record<PortOrderStatus, PortOrderStatus[]>>> = {
  account: { Pending: ['Processing', 'Canceled'], Rejected: ['Review', 'Abandoned'] },
  system: { Pending: ['Canceled'], Rejected: ['Abandoned'] },
  operator: {
    Processing: ['Submitted', 'Rejected', 'Canceled'],
    Submitted: ['Accepted', 'Rejected', 'Hard_canceled'],
    Accepted: ['Completed', 'Accepted', 'Rejected', 'Hard_canceled'],
    Review: ['Submitted', 'Rejected', 'Abandoned'],
  },
}
const expectedAfterADate = { ...expected.operator, Review: ['Submitted', 'Rejected', 'Hard_canceled'] }

const expectedEdits: Record<Edit, PortOrderStatus[]> = {
  numbers: ['Pending'],
  details: ['Pending', 'Rejected'],
  presets: ['Pending', 'Processing', 'Submitted', 'Rejected', 'Review', 'Accepted'],
  pull: ['Pending', 'Rejected'],
  upload: ['Pending', 'Rejected'],
  comment: [...portOrderStatuses],
  loa: ['Pending'],
  cancel: ['Pending', 'Rejected'],
  resubmit: ['Rejected'],
}

test("every combination of status, target, actor and completion date gives the contract's result", () => {
  let cells = 0
  for (const completion_date_given of [false, true])
    for (const actor of transitionActors)
      for (const from of portOrderStatuses)
        for (const to of portOrderStatuses) {
          const row = actor === 'operator' && completion_date_given ? expectedAfterADate : expected[actor]
          const may = (row[from] as PortOrderStatus[] | undefined)?.includes(to) ?? false
          const permission = canTransition(from, to, actor, { completion_date_given })
          assert.equal(permission.ok, may, `${actor}: ${from} to ${to}, date ${completion_date_given}`)
          if (permission.ok)
            assert.deepEqual(
              [permission.transition.from, permission.transition.to, permission.transition.actor],
              [from, to, actor],
            )
          cells += 1
        }
  assert.equal(cells, 600)
})

test("every combination of edit and status gives the contract's result", () => {
  for (const edit of Object.keys(edits) as Edit[])
    for (const status of portOrderStatuses)
      assert.equal(editAllowed(edit, status).ok, expectedEdits[edit].includes(status), `${edit} in ${status}`)
})

test('a refused transition lists both statuses, the actor, and the statuses that allow it', () => {
  const permission = canTransition('Completed', 'Rejected', 'operator', { completion_date_given: true })
  assert.ok(!permission.ok)
  assert.deepEqual(permission.allowed_in, ['Processing', 'Submitted', 'Accepted', 'Review'])
  assert.equal(
    permission.reason,
    'A port order in status Completed cannot be moved to Rejected by the operator. ' +
      'Statuses that allow it: Processing, Submitted, Accepted, Review. Completed is final.',
  )
})

test('a refused transition lists the possible transitions', () => {
  const permission = canTransition('Submitted', 'Canceled', 'operator', { completion_date_given: false })
  assert.ok(!permission.ok)
  assert.match(permission.reason, /From Submitted it can go to Accepted, Rejected or Hard_canceled\.$/)
  const never = canTransition('Review', 'Pending', 'operator', { completion_date_given: false })
  assert.ok(!never.ok)
  assert.match(never.reason, /No status allows that\./)
})

test('a refused transition does not list the current status as one that allows it', () => {
  const permission = canTransition('Review', 'Hard_canceled', 'operator', { completion_date_given: false })
  assert.ok(!permission.ok)
  assert.deepEqual(permission.allowed_in, ['Submitted', 'Accepted'])
})

test('every refusal is a full sentence that lists the statuses', () => {
  for (const edit of Object.keys(edits) as Edit[])
    for (const status of portOrderStatuses) {
      const permission = editAllowed(edit, status)
      if (permission.ok) continue
      assert.ok(
        permission.reason.includes(edits[edit].words) && permission.reason.includes(`status ${status}`),
        permission.reason,
      )
      assert.ok(
        permission.reason.includes(`Statuses that allow it: ${permission.allowed_in.join(', ')}.`),
        permission.reason,
      )
    }
})

test('a refused cancel mentions support only if support can cancel', () => {
  const ticket = portOrderStatuses.filter((s) => {
    const permission = editAllowed('cancel', s)
    return !permission.ok && permission.reason.includes('support')
  })
  assert.deepEqual(ticket, ['Processing', 'Submitted', 'Accepted', 'Review'])
})

test('four statuses are final and have no transitions', () => {
  assert.deepEqual(portOrderStatuses.filter(terminal), ['Completed', 'Canceled', 'Abandoned', 'Hard_canceled'])
  assert.deepEqual(activeStatuses, ['Pending', 'Processing', 'Submitted', 'Accepted', 'Rejected', 'Review'])
})

test('an actor has at most one transition between two statuses under any conditions', () => {
  const seen = transitions.map((t) => `${t.from} ${t.to} ${t.actor}`)
  assert.equal(new Set(seen).size, seen.length)
})

test('every status is reachable from Pending', () => {
  const reached = new Set<PortOrderStatus>(['Pending'])
  for (let before = -1; before !== reached.size;) {
    before = reached.size
    for (const t of transitions) if (reached.has(t.from)) reached.add(t.to)
  }
  assert.deepEqual([...reached].sort(), [...portOrderStatuses].sort())
})

test('every rejection needs a reason code, and every acceptance a date', () => {
  for (const t of transitions) {
    const needs: readonly string[] = 'needs' in t ? t.needs : []
    assert.equal(needs.includes('reason_code'), t.to === 'Rejected')
    assert.equal(needs.includes('completion_date'), t.to === 'Accepted')
  }
})

test('a status is read in upper or lower case and in either spelling', () => {
  for (const s of portOrderStatuses)
    for (const written of [s, s.toLowerCase(), s.toUpperCase(), ` ${s} `]) assert.equal(parseStatus(written), s)
  assert.equal(parseStatus('cancelled'), 'Canceled')
  assert.equal(parseStatus('HARD_CANCELLED'), 'Hard_canceled')
  for (const not of ['', 'done', 'cancel', 'constructor']) assert.equal(parseStatus(not), null)
})
