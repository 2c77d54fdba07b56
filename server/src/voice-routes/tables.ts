import type { Generated } from 'kysely'

export interface EdgeStrategyTable {
  id: Generated<string>
  name: string
  description: string
  /** As the operator wrote them. */
  firewall_rules: string
  naptr: string
}

export type RouteType = 'host' | 'number' | 'uri' | 'sip-reg'

export interface RouteTable {
  account_id: string
  /** `0` is the default route of the account. */
  id: Generated<string>
  alias: string
  route_type: RouteType
  /** Null for the default route only. */
  value: string | null
  edge_strategy_id: string | null
  created_at: Date
}

declare module '../platform/db.ts' {
  interface Database {
    edge_strategy: EdgeStrategyTable
    route: RouteTable
  }
}
