import { setTimeout as sleep } from 'node:timers/promises'

/** Only a hang takes this long: a busy machine must not fail a test. */
export const hang_ms = 300_000

/** Polls until the condition is true. Throws if it does not become true in time. */
export async function eventually(holds: () => boolean | Promise<boolean>, within_ms = hang_ms): Promise<void> {
  const began = performance.now()
  while (!(await holds())) {
    const waited_ms = performance.now() - began
    if (waited_ms > within_ms) throw new Error(`Not true after ${within_ms / 1000} s: ${holds.toString()}`)
    // longer each time: what a test waits for runs on the same processors
    await sleep(Math.min(Math.max(waited_ms / 20, 10), 200))
  }
}
