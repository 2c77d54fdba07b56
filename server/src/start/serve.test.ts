import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPhases } from './phases.ts'
import { reportUnfinished } from './serve.ts'

test('a start that takes long prints what it waits for, until it is ready', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const phases = createPhases()
  const [database, calls] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const running = [phases.during('database', () => database.promise), phases.during('demo: calls', () => calls.promise)]
  const lines: string[] = []
  const stop = reportUnfinished(phases, (line) => lines.push(line))
  t.mock.timers.tick(10_000)
  database.resolve()
  await running[0]
  t.mock.timers.tick(10_000)
  calls.resolve()
  await Promise.all(running)
  stop()
  t.mock.timers.tick(60_000)
  assert.deepEqual(lines, [
    'Still starting after 10 s. Not finished yet: database, demo: calls.',
    'Still starting after 20 s. Not finished yet: demo: calls.',
  ])
})
