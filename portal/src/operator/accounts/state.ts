import type { Body } from '../../api.ts'
import type { Meaning } from '../../ui/status.tsx'

/** The service stops counting here. */
export const counted_max = 100_000

/** An account unused for this long is inactive. */
const quiet_days = 30
const day_ms = 86_400_000

type Summary = Body<'listAccountSummaries'>['data'][number]['attributes']

/** The last time a key was used or a person signed in. */
export const lastUsed = ({
  last_used_at,
  last_signed_in_at,
}: Pick<Summary, 'last_used_at' | 'last_signed_in_at'>): string | null =>
  [last_used_at, last_signed_in_at]
    .filter((at) => at !== null)
    .toSorted()
    .at(-1) ?? null

/** The account's state: reachable, waiting on us, or in use. */
export function stateOf(
  account: Pick<
    Summary,
    'people_count' | 'keys_count' | 'waiting_port_orders_count' | 'last_used_at' | 'last_signed_in_at'
  >,
  now: number,
): { meaning: Meaning; text: string } {
  if (account.people_count + account.keys_count === 0) return { meaning: 'refused', text: 'No access yet' }
  if (account.waiting_port_orders_count > 0) return { meaning: 'needs-you', text: 'Waiting on us' }
  const used = lastUsed(account)
  if (used === null) return { meaning: 'quiet', text: 'Never used' }
  if (now - Date.parse(used) < quiet_days * day_ms) return { meaning: 'done', text: 'In use' }
  return { meaning: 'quiet', text: `Inactive for ${quiet_days} days` }
}
