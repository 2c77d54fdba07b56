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

test("every status, goal and mover gives the contract's answer, whether or not a date had been given", () => {
  let cells = 0
  for (const completion_date_given of [false, true])
    for (const by of transitionActors)
      for (const from of portOrderStatuses)
        for (const to of portOrderStatuses) {
          const row = by === 'operator' && completion_date_given ? expectedAfterADate : expected[by]
          const may = (row[from] as PortOrderStatus[] | undefined)?.includes(to) ?? false
          const verdict = canTransition(from, to, by, { completion_date_given })
          assert.equal(verdict.ok, may, `${by}: ${from} to ${to}, date ${completion_date_given}`)
          if (verdict.ok)
            assert.deepEqual([verdict.transition.from, verdict.transition.to, verdict.transition.actor], [from, to, by])
          cells += 1
        }
  assert.equal(cells, 600)
})

test("every edit and status gives the contract's answer", () => {
  for (const edit of Object.keys(edits) as Edit[])
    for (const status of portOrderStatuses)
      assert.equal(editAllowed(edit, status).ok, expectedEdits[edit].includes(status), `${edit} in ${status}`)
})

test('a refused move names the status, the goal, who asked, and the statuses that would allow it', () => {
  const verdict = canTransition('Completed', 'Rejected', 'operator', { completion_date_given: true })
  assert.ok(!verdict.ok)
  assert.deepEqual(verdict.allowed_in, ['Processing', 'Submitted', 'Accepted', 'Review'])
  assert.equal(
    verdict.because,
    'A port order in status Completed cannot be moved to Rejected by the operator. ' +
      'Statuses that allow it: Processing, Submitted, Accepted, Review. Nothing leaves Completed.',
  )
})

test('a refused move says where the order can go instead', () => {
  const verdict = canTransition('Submitted', 'Canceled', 'operator', { completion_date_given: false })
  assert.ok(!verdict.ok)
  assert.match(verdict.because, /From Submitted it can go to Accepted, Rejected or Hard_canceled\.$/)
  const never = canTransition('Review', 'Pending', 'operator', { completion_date_given: false })
  assert.ok(!never.ok)
  assert.match(never.because, /No status allows that\./)
})

test('a refused move does not name its own status as one that would allow it', () => {
  const verdict = canTransition('Review', 'Hard_canceled', 'operator', { completion_date_given: false })
  assert.ok(!verdict.ok)
  assert.deepEqual(verdict.allowed_in, ['Submitted', 'Accepted'])
})

test('every refusal is a whole sentence with the statuses in it', () => {
  for (const edit of Object.keys(edits) as Edit[])
    for (const status of portOrderStatuses) {
      const verdict = editAllowed(edit, status)
      if (verdict.ok) continue
      assert.ok(
        verdict.because.includes(edits[edit].words) && verdict.because.includes(`status ${status}`),
        verdict.because,
      )
      assert.ok(verdict.because.includes(`Statuses that allow it: ${verdict.allowed_in.join(', ')}.`), verdict.because)
    }
})

test('a refused cancel points to support where support can cancel, and nowhere else', () => {
  const ticket = portOrderStatuses.filter((s) => {
    const verdict = editAllowed('cancel', s)
    return !verdict.ok && verdict.because.includes('support')
  })
  assert.deepEqual(ticket, ['Processing', 'Submitted', 'Accepted', 'Review'])
})

test('four statuses are final and nothing at all leaves them', () => {
  assert.deepEqual(portOrderStatuses.filter(terminal), ['Completed', 'Canceled', 'Abandoned', 'Hard_canceled'])
  assert.deepEqual(activeStatuses, ['Pending', 'Processing', 'Submitted', 'Accepted', 'Rejected', 'Review'])
})

test('from one status, one mover has at most one row to each goal, whatever the conditions', () => {
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
