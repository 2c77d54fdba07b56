/**
 * How long a process may run after its last test before its open handles are an error. Hooks that stop services and remove folders
 * run within it, and finish in time even on a busy machine.
 */
const GRACE_MS = 120_000

/** Ends the process with an error if handles keep it open: a server or timer that was not closed would block the run forever. */
export function limitOpenHandles(): void {
  setTimeout(() => {
    console.error(
      `All tests have ended, but these are still open: ${[...new Set(process.getActiveResourcesInfo())].join(', ')}`,
    )
    process.exit(1)
  }, GRACE_MS).unref()
}
