import { setTimeout as sleep } from 'node:timers/promises'

const patience_ms = 20_000

/** Waits for something that will be true, by looking. Throws when it takes far longer than it may. */
export async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + patience_ms
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Waited ${patience_ms / 1000} s in vain for ${holds.toString()}`)
    await sleep(10)
  }
}
