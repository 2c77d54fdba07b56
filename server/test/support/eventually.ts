import { setTimeout as sleep } from 'node:timers/promises'

/** Only a hang takes this long: a busy machine must not fail a test. */
const timeout_ms = 100_000

/** Polls until the condition is true. Throws after a long timeout. */
export async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + timeout_ms
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Not true after ${timeout_ms / 1000} s: ${holds.toString()}`)
    await sleep(10)
  }
}
