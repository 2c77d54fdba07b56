import { after } from 'node:test'

/**
 * How long a file may run after its last test before its open handles are an error. Hooks that stop services and remove folders
 * run within it, and finish in time even on a busy machine.
 */
const GRACE_MS = 120_000

// The runner loads this too, but only test files have tests to wait for.
if (process.env.NODE_TEST_CONTEXT !== undefined) {
  after(() => {
    // Without this, a server or timer that was not closed would block the file, and with it the run, indefinitely.
    setTimeout(() => {
      console.error(
        `All tests of this file have ended, but these are still open: ${[...new Set(process.getActiveResourcesInfo())].join(', ')}`,
      )
      process.exit(1)
    }, GRACE_MS).unref()
  })
}
