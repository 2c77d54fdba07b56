import type { DeliveryLimits } from './rules.ts'

/** An acquired slot, or how long to wait before trying again. */
export type Slot = { release(): void } | { wait_ms: number }

/** Limits concurrent deliveries per account and host in one worker, so that a hanging receiver delays no other account. */
export interface DeliverySlots {
  /** Tries to acquire a slot. `now_ms` may come from any clock, as long as it is always the same one. */
  acquire(account_id: string, url: string, now_ms: number): Slot
}

export function createDeliverySlots(
  limits: Pick<DeliveryLimits, 'per_account' | 'per_host' | 'wait_ms' | 'wait_gap_ms'>,
): DeliverySlots {
  const in_progress = new Map<string, number>()
  const retry_at = new Map<string, number>()
  const add = (name: string, n: number) => {
    const count = (in_progress.get(name) ?? 0) + n
    if (count > 0) in_progress.set(name, count)
    else in_progress.delete(name)
  }
  return {
    acquire(account_id, url, now_ms) {
      const account = `account ${account_id}`
      const host = `host ${new URL(url).host}`
      const full = [[account, limits.per_account] as const, [host, limits.per_host] as const].find(
        ([name, limit]) => (in_progress.get(name) ?? 0) >= limit,
      )
      if (full) {
        // staggered, so that a thousand waiting deliveries don't all retry at the same moment
        const next_at = Math.max(now_ms + limits.wait_ms, (retry_at.get(full[0]) ?? 0) + limits.wait_gap_ms)
        retry_at.set(full[0], next_at)
        return { wait_ms: next_at - now_ms }
      }
      for (const [name, at] of retry_at) if (at <= now_ms) retry_at.delete(name)
      add(account, 1)
      add(host, 1)
      let released = false
      return {
        release() {
          if (released) return
          released = true
          add(account, -1)
          add(host, -1)
        },
      }
    },
  }
}
