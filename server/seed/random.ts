/** A seeded pseudorandom generator (mulberry32), so that the cast is the same on every machine. Not for secrets. */
export interface Random {
  /** From 0 inclusive to 1 exclusive. */
  next(): number
  /** An integer from `low` to `high`, inclusive. */
  integer(low: number, high: number): number
  pick<T>(from: readonly [T, ...T[]]): T
  chance(probability: number): boolean
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const integer = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    integer,
    pick: (from) => from[integer(0, from.length - 1)] ?? from[0],
    chance: (probability) => next() < probability,
  }
}
