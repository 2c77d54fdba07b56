import { after } from 'node:test'

/** How long a file may go on after its last test before what it left open counts as forgotten. */
const GRACE_MS = 15_000

// The runner loads this too; only the files' own processes have tests to wait for.
if (process.env.NODE_TEST_CONTEXT !== undefined) {
  after(() => {
    // Without it, a forgotten server or timer would keep the file, and with it the whole run, waiting for good.
    setTimeout(() => {
      console.error(
        `The file's tests are over, but these are still open: ${process.getActiveResourcesInfo().join(', ')}`,
      )
      process.exit(1)
    }, GRACE_MS).unref()
  })
}
