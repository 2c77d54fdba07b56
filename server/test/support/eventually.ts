import { setTimeout as sleep } from 'node:timers/promises'

/** Only a hang takes this long: a busy machine must not fail a test. */
const hang_ms = 300_000

/** Polls until the condition is true. Throws if it does not become true in time. */
export async function eventually(holds: () => boolean | Promise<boolean>, within_ms = hang_ms): Promise<void> {
  const end = performance.now() + within_ms
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Not true after ${within_ms / 1000} s: ${holds.toString()}`)
    await sleep(10)
  }
}
