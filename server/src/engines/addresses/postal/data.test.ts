import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

/** Counts the turns of the event loop during the first validation of a process. It fails after loading: it has no streets. */
const program = `
import { localValidator } from ${JSON.stringify(new URL('../validators/local.ts', import.meta.url).href)}
let turns = 0
const countTurn = () => {
  turns += 1
  counting = setImmediate(countTurn)
}
let counting = setImmediate(countTurn)
const validator = localValidator({ streets: null, min_level: 'postal' })
const failed = await validator.validate({}).then(() => false, () => true)
clearImmediate(counting)
console.log(JSON.stringify({ turns, failed }))
`

test('the first validation of a process loads the postal data in many turns of the event loop', async () => {
  // its own process, because other tests load the data
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
  const { turns, failed } = JSON.parse(stdout) as { turns: number; failed: boolean } // what the program prints
  assert.equal(failed, true)
  assert.ok(turns > 50, `${turns} turns`)
})
