import type { VoiceRouteRow } from './store.ts'

/** How a voice route is written in responses: here, and in the documents of the numbers that use it. */

export const voiceRoutePath = (id: string): string => `/v2/routes/${id}`

export function voiceRouteAttributes(row: Pick<VoiceRouteRow, 'alias' | 'edge_strategy_id' | 'route_type' | 'value'>) {
  return {
    alias: row.alias,
    edge_strategy_id: row.edge_strategy_id === null ? null : Number(row.edge_strategy_id),
    route_type: row.route_type,
    value: row.value,
  }
}
