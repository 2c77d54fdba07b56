import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingPackages } from './drills/drill.ts'
import { drills } from './drills/index.ts'

for (const drill of drills.filter(({ measures }) => !measures)) {
  const missing = missingPackages(drill)
  const skip = missing.length > 0 && `apt-get install ${missing.join(' ')}`
  // each of its waits has a limit
  test(`drill ${drill.name}, short form: ${drill.summary}`, { skip, timeout: Infinity }, async (t) => {
    const results = await drill.run({ short: true, log: (line) => t.diagnostic(line) })
    assert.ok(results.length > 0)
    assert.deepEqual(
      results.filter(({ ok }) => !ok),
      [],
    )
  })
}
