import type { VoiceRouteRow } from './store.ts'

/** How voice routes appear in responses, here and inside the documents of numbers. */

export const voiceRoutePath = (id: string): string => `/v2/routes/${id}`

export function voiceRouteAttributes(row: Pick<VoiceRouteRow, 'alias' | 'edge_strategy_id' | 'route_type' | 'value'>) {
  return {
    alias: row.alias,
    edge_strategy_id: row.edge_strategy_id === null ? null : Number(row.edge_strategy_id),
    route_type: row.route_type,
    value: row.value,
  }
}
