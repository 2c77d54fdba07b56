import { queryOptions } from '@tanstack/react-query'
import { request } from '../api.ts'
import type { RuleFormat } from '../search.ts'

/** Firewall rules of an edge strategy, and the changes since they were last copied. */

/** The firewall rules as text; `addresses` come from the JSON. */
export const rulesQuery = (edge_strategy_id: string, format: Exclude<RuleFormat, 'addresses'>) =>
  queryOptions({
    // edge strategies are the same for every account
    queryKey: ['getFirewallRules', edge_strategy_id, format],
    queryFn: async ({ signal }) => {
      const input = { params: { edge_strategy_id }, query: { format } }
      return await (await request('getFirewallRules', input, signal)).text()
    },
  })

/** The CIDR blocks in the JSON rules. */
export function blocksOf(json: string): string[] {
  const { data } = JSON.parse(json) as { data: { attributes: { ipv4: string[]; ipv6: string[] } } }
  return [...data.attributes.ipv4, ...data.attributes.ipv6]
}

/** The addresses last copied in this browser. */
export interface Copied {
  at: string
  blocks: readonly string[]
}

const keyOf = (id: string) => `demarc.firewall.${id}`

/** Null if nothing has been copied in this browser. */
export function lastCopied(id: string): Copied | null {
  const text = localStorage.getItem(keyOf(id))
  return text === null ? null : (JSON.parse(text) as Copied)
}

/** Remembers the copied addresses in this browser only, because a firewall belongs to a site and not to the account. */
export function keepCopied(id: string, copied: Copied): void {
  localStorage.setItem(keyOf(id), JSON.stringify(copied))
}

/** Added and removed addresses, in list order. */
export function changesSince(then: readonly string[], now: readonly string[]): { added: string[]; removed: string[] } {
  const [before, after] = [new Set(then), new Set(now)]
  return { added: now.filter((each) => !before.has(each)), removed: then.filter((each) => !after.has(each)) }
}
