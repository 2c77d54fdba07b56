import assert from 'node:assert/strict'
import { after } from 'node:test'

/** What pg says of a statement that is sent on a connection which has not done with the one before. Its next version refuses it. */
const refused = /client is already executing a query/

// Loaded into the runner too; only the processes of the test files have connections.
if (process.env.NODE_TEST_CONTEXT !== undefined) {
  const warnings: Error[] = []
  process.on('warning', (warning) => {
    if (refused.test(warning.message)) warnings.push(warning)
  })
  after(() => {
    const where = warnings.map(({ stack }) => stack ?? '').join('\n')
    assert.equal(
      warnings.length,
      0,
      `Of one connection, and so of one transaction, ask one thing after the other.\n${where}`,
    )
  })
}
