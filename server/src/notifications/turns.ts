import type { DeliveryLimits } from './rules.ts'

/** A place that was given, or how long to wait before asking again. */
export type Turn = { leave(): void } | { wait_ms: number }

/** Whose turn it is in one worker, so that a receiver that hangs holds up its own account and nobody else. */
export interface Turns {
  /** Asks for a place for a delivery. `now_ms` is any clock's, always the same one. */
  take(account_id: string, url: string, now_ms: number): Turn
}

export function makeTurns(limits: Pick<DeliveryLimits, 'per_account' | 'per_host' | 'wait_ms' | 'wait_gap_ms'>): Turns {
  const under_way = new Map<string, number>()
  const asked_back = new Map<string, number>()
  const add = (name: string, n: number) => {
    const left = (under_way.get(name) ?? 0) + n
    if (left > 0) under_way.set(name, left)
    else under_way.delete(name)
  }
  return {
    take(account_id, url, now_ms) {
      const account = `account ${account_id}`
      const host = `host ${new URL(url).host}`
      const full = [[account, limits.per_account] as const, [host, limits.per_host] as const].find(
        ([name, most]) => (under_way.get(name) ?? 0) >= most,
      )
      if (full) {
        // one after another, so that a thousand that wait do not all come back at once, again and again
        const back_at = Math.max(now_ms + limits.wait_ms, (asked_back.get(full[0]) ?? 0) + limits.wait_gap_ms)
        asked_back.set(full[0], back_at)
        return { wait_ms: back_at - now_ms }
      }
      for (const [name, at] of asked_back) if (at <= now_ms) asked_back.delete(name)
      add(account, 1)
      add(host, 1)
      let left = false
      return {
        leave() {
          if (left) return
          left = true
          add(account, -1)
          add(host, -1)
        },
      }
    },
  }
}
