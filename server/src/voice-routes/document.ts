import type { RouteRow } from './store.ts'

/** How a route is written in answers: here, and in the documents of the numbers that use it. */

export const routePath = (id: string): string => `/v2/routes/${id}`

export function routeAttributes(row: Pick<RouteRow, 'alias' | 'edge_strategy_id' | 'route_type' | 'value'>) {
  return {
    alias: row.alias,
    edge_strategy_id: row.edge_strategy_id === null ? null : Number(row.edge_strategy_id),
    route_type: row.route_type,
    value: row.value,
  }
}
