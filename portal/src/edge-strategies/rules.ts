import { queryOptions } from '@tanstack/react-query'
import { request } from '../api.ts'
import type { Format } from './search.ts'

/** The addresses of an edge strategy as the service writes them, and what has changed since somebody copied them. */

/** Text of the rules for a firewall; `addresses` are read from the JSON. */
export const rulesQuery = (edge_strategy_id: string, format: Exclude<Format, 'addresses'>) =>
  queryOptions({
    // what an edge strategy is does not depend on the account that is seen
    queryKey: ['getFirewallRules', edge_strategy_id, format],
    queryFn: async ({ signal }) => {
      const input = { params: { edge_strategy_id }, query: { format } }
      return await (await request('getFirewallRules', input, signal)).text()
    },
  })

/** CIDR blocks of the rules as JSON. */
export function blocksOf(json: string): string[] {
  const { data } = JSON.parse(json) as { data: { attributes: { ipv4: string[]; ipv6: string[] } } }
  return [...data.attributes.ipv4, ...data.attributes.ipv6]
}

/** What was copied before, in this browser. */
export interface Copied {
  at: string
  blocks: readonly string[]
}

const keyOf = (id: string) => `demarc.firewall.${id}`

/** Null when nothing was copied here yet. */
export function lastCopied(id: string): Copied | null {
  const text = localStorage.getItem(keyOf(id))
  return text === null ? null : (JSON.parse(text) as Copied)
}

/** Keeps what is copied into a firewall now. It is kept in this browser alone: the firewall is beside it, not the account. */
export function keepCopied(id: string, copied: Copied): void {
  localStorage.setItem(keyOf(id), JSON.stringify(copied))
}

/** What has been added and removed, in the order of the lists. */
export function changesSince(then: readonly string[], now: readonly string[]): { added: string[]; removed: string[] } {
  const [before, after] = [new Set(then), new Set(now)]
  return { added: now.filter((each) => !before.has(each)), removed: then.filter((each) => !after.has(each)) }
}
