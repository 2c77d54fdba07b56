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

/** Written down a second time, by hand, from the contract: the code's table has to agree with it cell by cell. */
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

test("every status, target and actor gives the contract's result, whether or not a date had been given", () => {
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

test("every edit and status gives the contract's result", () => {
  for (const edit of Object.keys(edits) as Edit[])
    for (const status of portOrderStatuses)
      assert.equal(editAllowed(edit, status).ok, expectedEdits[edit].includes(status), `${edit} in ${status}`)
})

test('a refused transition names both statuses, the actor, and the statuses that would allow it', () => {
  const permission = canTransition('Completed', 'Rejected', 'operator', { completion_date_given: true })
  assert.ok(!permission.ok)
  assert.deepEqual(permission.allowed_in, ['Processing', 'Submitted', 'Accepted', 'Review'])
  assert.equal(
    permission.reason,
    'A port order in status Completed cannot be moved to Rejected by the operator. ' +
      'Statuses that allow it: Processing, Submitted, Accepted, Review. Completed is final.',
  )
})

test('a refused transition names those that are possible instead', () => {
  const permission = canTransition('Submitted', 'Canceled', 'operator', { completion_date_given: false })
  assert.ok(!permission.ok)
  assert.match(permission.reason, /From Submitted it can go to Accepted, Rejected or Hard_canceled\.$/)
  const never = canTransition('Review', 'Pending', 'operator', { completion_date_given: false })
  assert.ok(!never.ok)
  assert.match(never.reason, /No status allows that\./)
})

test('a refused transition does not name its own status as one that would allow it', () => {
  const permission = canTransition('Review', 'Hard_canceled', 'operator', { completion_date_given: false })
  assert.ok(!permission.ok)
  assert.deepEqual(permission.allowed_in, ['Submitted', 'Accepted'])
})

test('every refusal is a whole sentence with the statuses in it', () => {
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

test('a refused cancel points to support where support can cancel, and nowhere else', () => {
  const ticket = portOrderStatuses.filter((s) => {
    const permission = editAllowed('cancel', s)
    return !permission.ok && permission.reason.includes('support')
  })
  assert.deepEqual(ticket, ['Processing', 'Submitted', 'Accepted', 'Review'])
})

test('four statuses are final and nothing at all leaves them', () => {
  assert.deepEqual(portOrderStatuses.filter(terminal), ['Completed', 'Canceled', 'Abandoned', 'Hard_canceled'])
  assert.deepEqual(activeStatuses, ['Pending', 'Processing', 'Submitted', 'Accepted', 'Rejected', 'Review'])
})

test('from one status, one actor has at most one transition to each status, whatever the conditions', () => {
  const seen = transitions.map((t) => `${t.from} ${t.to} ${t.actor}`)
  assert.equal(new Set(seen).size, seen.length)
})

test('every status is reached from Pending', () => {
  const reached = new Set<PortOrderStatus>(['Pending'])
  for (let before = -1; before !== reached.size;) {
    before = reached.size
    for (const t of transitions) if (reached.has(t.from)) reached.add(t.to)
  }
  assert.deepEqual([...reached].sort(), [...portOrderStatuses].sort())
})

test('a rejection needs a reason code and an acceptance a date, from wherever it comes', () => {
  for (const t of transitions) {
    const needs: readonly string[] = 'needs' in t ? t.needs : []
    assert.equal(needs.includes('reason_code'), t.to === 'Rejected')
    assert.equal(needs.includes('completion_date'), t.to === 'Accepted')
  }
})

test('a status is read in any case and in either spelling', () => {
  for (const s of portOrderStatuses)
    for (const written of [s, s.toLowerCase(), s.toUpperCase(), ` ${s} `]) assert.equal(parseStatus(written), s)
  assert.equal(parseStatus('cancelled'), 'Canceled')
  assert.equal(parseStatus('HARD_CANCELLED'), 'Hard_canceled')
  for (const not of ['', 'done', 'cancel', 'constructor']) assert.equal(parseStatus(not), null)
})
