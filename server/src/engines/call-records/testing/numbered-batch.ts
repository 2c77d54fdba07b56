import { callRecord } from './records.ts'
import type { CdrRecord } from '../types.ts'

export const BATCH = 500

/** Returns the same records on every call, over three months, so one batch becomes several parts. */
export function numberedBatch(batch: number): CdrRecord[] {
  return Array.from({ length: BATCH }, (_, index) => {
    const number = batch * BATCH + index
    return callRecord({
      id: `call-${number}`,
      start_time: new Date(Date.UTC(2025, number % 3, 1, 0, 0, 0, number)),
      cost_subtotal: `0.${String(number + 1).padStart(8, '0')}`,
    })
  })
}
