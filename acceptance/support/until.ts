import { setTimeout as sleep } from 'node:timers/promises'

/** Only what hangs takes this long, however slow the machine is. */
export const hang_ms = 3_600_000

/** Polls until the condition is true. Throws if it does not become true in time. */
export async function until(what: string, within_ms: number, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + within_ms
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Waited ${within_ms / 1000} s for ${what}.`)
    await sleep(20)
  }
}
