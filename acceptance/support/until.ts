import { setTimeout as sleep } from 'node:timers/promises'

/** Only what hangs takes this long, however slow the machine is. */
export const hang_ms = 3_600_000

/** Polls until the condition is true. Throws if it does not become true in time. */
export async function until(what: string, within_ms: number, holds: () => boolean | Promise<boolean>): Promise<void> {
  const began = performance.now()
  while (!(await holds())) {
    const waited_ms = performance.now() - began
    if (waited_ms > within_ms) throw new Error(`Waited ${within_ms / 1000} s for ${what}.`)
    // longer each time: what a test waits for runs on the same processors
    await sleep(Math.min(Math.max(waited_ms / 20, 20), 200))
  }
}
