import { after } from 'node:test'

/**
 * How long a file may keep running after its last test before its open handles are an error. The hooks that stop its services and
 * remove their folders run within it: only what hangs takes so long, however busy the machine is.
 */
const GRACE_MS = 120_000

// The runner loads this too; only the processes of the test files have tests to wait for.
if (process.env.NODE_TEST_CONTEXT !== undefined) {
  after(() => {
    // Without this, a server or timer that was not closed would keep the file, and with it the whole run, waiting for ever.
    setTimeout(() => {
      console.error(
        `The file's tests are over, but these are still open: ${[...new Set(process.getActiveResourcesInfo())].join(', ')}`,
      )
      process.exit(1)
    }, GRACE_MS).unref()
  })
}
