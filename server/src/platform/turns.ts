import { setImmediate as nextTurn } from 'node:timers/promises'

/** Work on fewer values takes less than a few milliseconds, and does not wait. */
const long_work_values = 2_000

let previous: Promise<unknown> = Promise.resolve()

/**
 * Waits for a turn of the event loop before long work. Of all that wait, one continues in each turn, so that many large requests
 * at the same time delay other requests no longer than one does.
 */
export async function ownTurn(values: number, long_values = long_work_values): Promise<void> {
  if (values < long_values) return
  await (previous = previous.then(() => nextTurn()))
}
