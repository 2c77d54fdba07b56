import * as z from 'zod'
import { operation } from './declare.ts'
import { envelope } from './envelope.ts'
import { document, idReference, list, page, queryText, resource, text } from './shapes.ts'

/** Voice routes of an account, and the edge strategies (points of presence) that inbound routes can use. */

const common = { feature: 'routes', media: 'jsonapi', principals: ['account', 'operator'] } as const
const asOperator = { feature: 'routes', media: 'json', principals: ['operator'] } as const

const edgeAttributes = z.object({
  description: z.string(),
  firewall_rules: z.string(),
  name: z.string(),
  naptr: z.string(),
})
export const edgeStrategy = resource('edge_strategy', edgeAttributes, z.int()).meta({ id: 'EdgeStrategy' })

export const listEdgeStrategies = operation({
  ...common,
  id: 'listEdgeStrategies',
  summary: 'List edge strategies',
  endpoint: 'GET /v2/routes/edge_strategies',
  responses: { 200: { description: 'Every edge strategy.', body: list(edgeStrategy) } },
})

export const getEdgeStrategy = operation({
  ...common,
  id: 'getEdgeStrategy',
  summary: 'Get one edge strategy',
  endpoint: 'GET /v2/routes/edge_strategies/{edge_strategy_id}',
  responses: { 200: { description: 'The edge strategy.', body: document(edgeStrategy) } },
})

export const firewallFormats = ['json', 'nftables', 'iptables'] as const

export const getFirewallRules = operation({
  ...common,
  id: 'getFirewallRules',
  summary: 'Get an edge strategy’s addresses as firewall rules',
  description:
    'Returns the addresses in `firewall_rules` as exact CIDR sets that allow no other address. JSON has the lists `ipv4` and `ipv6`; `format=nftables` and `format=iptables` return text for those tools.',
  endpoint: 'GET /v2/routes/edge_strategies/{edge_strategy_id}/firewall',
  query: z.object({ format: z.enum(firewallFormats).optional() }),
  responses: {
    200: { description: 'JSON, or text for the tool.', body: { bytes: ['application/vnd.api+json', 'text/plain'] } },
  },
})

const edgeFields = z.strictObject({
  name: text(100)
    .min(1)
    .regex(/^\P{Cc}*$/u, 'Must be one line.'),
  description: text(500)
    .nullish()
    .transform((v) => v ?? ''),
  firewall_rules: text(4000).min(1),
  naptr: text(255).min(1),
})
export type EdgeStrategyFields = z.output<typeof edgeFields>
const edgeBody = envelope('edge_strategy', edgeFields, { flat: true })

export const createEdgeStrategy = operation({
  ...asOperator,
  id: 'createEdgeStrategy',
  summary: 'Add an edge strategy',
  endpoint: 'POST /operator/edge_strategies',
  body: edgeBody,
  responses: { 201: { description: 'The edge strategy.', body: document(edgeStrategy) } },
})

export const replaceEdgeStrategy = operation({
  ...asOperator,
  id: 'replaceEdgeStrategy',
  summary: 'Replace an edge strategy',
  endpoint: 'PUT /operator/edge_strategies/{edge_strategy_id}',
  body: edgeBody,
  responses: { 200: { description: 'The edge strategy.', body: document(edgeStrategy) } },
  problems: ['not-found', 'conflict', 'invalid-input'],
})

export const deleteEdgeStrategy = operation({
  ...asOperator,
  id: 'deleteEdgeStrategy',
  summary: 'Remove an edge strategy that no route uses',
  endpoint: 'DELETE /operator/edge_strategies/{edge_strategy_id}',
  responses: { 204: { description: 'Removed.', body: null } },
  problems: ['not-found', 'conflict'],
})

export const listEdgeStrategiesAsOperator = operation({
  ...listEdgeStrategies,
  ...asOperator,
  id: 'listEdgeStrategiesAsOperator',
  endpoint: 'GET /operator/edge_strategies',
})

export const getEdgeStrategyAsOperator = operation({
  ...getEdgeStrategy,
  ...asOperator,
  id: 'getEdgeStrategyAsOperator',
  endpoint: 'GET /operator/edge_strategies/{edge_strategy_id}',
})

/** `sip-reg` is every account's default route: calls go to the registered device. It cannot be created. */
export const routeTypes = ['host', 'number', 'uri', 'sip-reg'] as const
const settableRouteTypes = ['host', 'number', 'uri'] as const

export const routeAttributes = z.object({
  alias: z.string(),
  edge_strategy_id: z.int().nullable(),
  route_type: z.enum(routeTypes),
  value: z.string().nullable(),
})
export const route = resource('route', routeAttributes).meta({ id: 'Route' })

const edgeId = idReference('Must be the ID of an edge strategy.')

export const listRoutes = operation({
  ...common,
  id: 'listRoutes',
  summary: 'List voice routes',
  endpoint: 'GET /v2/routes',
  replica: true,
  query: z.object({ ...page(10, 200), alias: queryText, route_type: z.enum(routeTypes).optional() }),
  responses: { 200: { description: 'Routes, the default route (ID 0) first.', body: list(route) } },
})

export const createRoute = operation({
  ...common,
  id: 'createRoute',
  summary: 'Create a voice route',
  description:
    'For route type `host`, `value` is a host name or address with an optional port and URI parameters (IPv6 in brackets); for `number`, an 11-digit number; for `uri`, a SIP URI. `alias` defaults to the value.',
  endpoint: 'POST /v2/routes',
  body: envelope(
    'route',
    z.strictObject({
      alias: text(100).min(1).nullish(),
      route_type: z.enum(settableRouteTypes),
      value: text(255).min(1),
      edge_strategy_id: edgeId.nullish(),
    }),
    { flat: true },
  ),
  responses: { 201: { description: 'The route.', body: document(route) } },
})

export const getRoute = operation({
  ...common,
  id: 'getRoute',
  summary: 'Get one voice route',
  endpoint: 'GET /v2/routes/{route_id}',
  responses: { 200: { description: 'The route.', body: document(route) } },
})

export const updateRoute = operation({
  ...common,
  id: 'updateRoute',
  summary: 'Change a voice route',
  description:
    'A null `alias` resets it to the value. A null `edge_strategy_id` removes the edge strategy. Only the default route, which cannot be changed, has type `sip-reg` and a null value.',
  endpoint: 'PATCH /v2/routes/{route_id}',
  body: envelope(
    'route',
    z.strictObject({
      alias: text(100).min(1).nullish(),
      route_type: z.enum(routeTypes).optional(),
      value: text(255).min(1).nullish(),
      edge_strategy_id: edgeId.nullish(),
    }),
    { flat: true },
  ),
  responses: { 200: { description: 'The route.', body: document(route) } },
  problems: ['not-found', 'conflict', 'invalid-input'],
})

export const deleteRoute = operation({
  ...common,
  id: 'deleteRoute',
  summary: 'Delete a voice route that no number uses',
  endpoint: 'DELETE /v2/routes/{route_id}',
  responses: { 204: { description: 'Deleted.', body: null } },
  problems: ['not-found', 'conflict'],
})
