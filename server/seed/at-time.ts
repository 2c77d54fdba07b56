import type { Clock } from '../src/platform/clock.ts'

/** The same context at another time. */
export const atTime = <C extends { clock: Clock }>(c: C, time: Date): C => ({ ...c, clock: { now: () => time } })
