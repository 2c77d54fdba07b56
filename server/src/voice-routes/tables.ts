import type { Generated } from 'kysely'

export interface EdgeStrategyTable {
  id: Generated<string>
  name: string
  description: string
  /** As the operator wrote it. */
  firewall_rules: string
  naptr: string
}

export type VoiceRouteType = 'host' | 'number' | 'uri' | 'sip-reg'

export interface VoiceRouteTable {
  account_id: string
  /** `0` is the account's default voice route. */
  id: Generated<string>
  alias: string
  route_type: VoiceRouteType
  /** Null for the default voice route only. */
  value: string | null
  edge_strategy_id: string | null
  created_at: Date
}

declare module '../platform/db.ts' {
  interface Database {
    edge_strategy: EdgeStrategyTable
    route: VoiceRouteTable
  }
}
