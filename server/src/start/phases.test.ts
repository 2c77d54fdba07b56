import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPhases } from './phases.ts'

test('phases are measured in the order they begin, including nested and failed ones', async () => {
  const phases = createPhases()
  const result = await phases.during('outer', () =>
    phases.during('inner', () => new Promise((resolve) => setTimeout(() => resolve('result'), 5))),
  )
  await assert.rejects(
    phases.during('failed', () => Promise.reject(new Error('it did not start'))),
    /it did not start/,
  )
  assert.equal(result, 'result')
  const measured = phases.measured()
  assert.deepEqual(
    measured.map(({ name }) => name),
    ['outer', 'inner', 'failed'],
  )
  assert.ok(measured.every(({ from_ms, ms }) => Number.isInteger(from_ms) && from_ms > 0 && Number.isInteger(ms)))
})
