import type { Db, Log } from '../platform/db.ts'
import { acquirePermit } from '../platform/permits.ts'
import type { DeliveryLimits } from './rules.ts'

/** An acquired slot, or how long to wait before trying again. */
export type Slot = { release(): Promise<void> } | { wait_ms: number }

/**
 * Limits concurrent deliveries per account and host in all workers together, so that a hanging receiver delays no other account.
 * A killed worker's slots are free again after `lease_s`.
 */
export interface DeliverySlots {
  /** Tries to acquire a slot. `now_ms` may come from any clock, as long as it is always the same one. */
  acquire(account_id: string, url: string, now_ms: number): Promise<Slot>
}

/** How long a delivery may take besides waiting for the receiver: reading its secret and recording its outcome. */
const recording_s = 30

export function createDeliverySlots(
  c: { db: Db; log: Log },
  limits: Pick<DeliveryLimits, 'per_account' | 'per_host' | 'timeout_ms' | 'wait_ms' | 'wait_gap_ms'>,
): DeliverySlots {
  const retry_at = new Map<string, number>()
  const lease_s = Math.ceil(limits.timeout_ms / 1000) + recording_s
  return {
    async acquire(account_id, url, now_ms) {
      const account = { name: `delivery account ${account_id}`, at_most: limits.per_account }
      const host = { name: `delivery host ${new URL(url).host}`, at_most: limits.per_host }
      const permit = await acquirePermit(c, [account, host], { least: 1, most: 1, lease_s })
      if ('release' in permit) {
        for (const [name, at] of retry_at) if (at <= now_ms) retry_at.delete(name)
        return permit
      }
      // staggered, so that a thousand waiting deliveries don't all retry at the same moment
      const next_at = Math.max(now_ms + limits.wait_ms, (retry_at.get(permit.full) ?? 0) + limits.wait_gap_ms)
      retry_at.set(permit.full, next_at)
      return { wait_ms: next_at - now_ms }
    },
  }
}
