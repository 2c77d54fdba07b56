import { setImmediate as nextTurn } from 'node:timers/promises'
import { reportWhenAsked } from '../support/probe.ts'

/**
 * Loaded into the service with `--import` and `--expose-gc`: reports the bytes that remain after a collection, because the
 * memory of a process also has garbage that nothing has needed to collect.
 */
reportWhenAsked(async () => {
  // what the first collection finalizes is freed by the second
  for (let i = 0; i < 2; i++) {
    globalThis.gc?.()
    await nextTurn()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
})
