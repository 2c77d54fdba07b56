import { Readable } from 'node:stream'
import { routes as api } from '@demarc/client'
import type { Deps } from '../platform/context.ts'
import { bind, link, type Binding, type Routes } from '../platform/http/binding.ts'
import { paged, pageOf } from '../platform/http/pages.ts'
import * as actions from './actions.ts'
import { cidrSets, iptablesText, nftablesText, parseFirewallRules } from './firewall/index.ts'
import { voiceRouteAttributes, voiceRoutePath } from './document.ts'
import * as store from './store.ts'

const edgeStrategyPath = (id: string) => `/v2/routes/edge_strategies/${id}`
const documentOf = <R extends { links: { self: string } }>(data: R) => ({ data, links: data.links })

const plainText = 'text/plain; charset=utf-8'

export const voiceRouteRoutes =
  (countNumbers: actions.CountNumbers): Routes =>
  (deps) => [
    ...edgeStrategyBindings(deps),
    ...edgeStrategyChangeBindings(deps),
    ...voiceRouteBindings(deps, countNumbers),
  ]

const edgeStrategyResource =
  (deps: Deps) =>
  ({ id, ...attributes }: store.EdgeStrategyRow) => ({
    type: 'edge_strategy' as const,
    id: Number(id),
    attributes,
    links: { self: link(deps, edgeStrategyPath(id)) },
  })

function edgeStrategyBindings(deps: Deps): Binding[] {
  const edgeStrategy = edgeStrategyResource(deps)
  return [
    bind(api.listEdgeStrategies, async ({ context, self }) => ({
      body: { data: (await store.listEdgeStrategies(context.tx)).map(edgeStrategy), links: { self } },
    })),
    bind(api.listEdgeStrategiesAsOperator, async ({ context, self }) => ({
      body: { data: (await store.listEdgeStrategies(context.tx)).map(edgeStrategy), links: { self } },
    })),
    bind(api.getEdgeStrategy, async ({ context, params }) => ({
      body: documentOf(edgeStrategy(await actions.requireEdgeStrategy(context, params.edge_strategy_id))),
    })),
    bind(api.getEdgeStrategyAsOperator, async ({ context, params }) => ({
      body: documentOf(edgeStrategy(await actions.requireEdgeStrategy(context, params.edge_strategy_id))),
    })),
    bind(api.getFirewallRules, async ({ context, params, query, self }) => {
      const found = await actions.requireEdgeStrategy(context, params.edge_strategy_id)
      // stored rules were valid when the operator wrote them
      const sets = cidrSets(parseFirewallRules(found.firewall_rules).ranges)
      if (query.format === 'nftables') return { stream: nftablesText(found, sets), content_type: plainText }
      if (query.format === 'iptables') return { stream: iptablesText(found, sets), content_type: plainText }
      const { name, firewall_rules } = found
      const data = { type: 'firewall_rules', id: Number(found.id), attributes: { name, firewall_rules, ...sets } }
      const json = JSON.stringify({ data: { ...data, links: { self } }, links: { self } })
      // as bytes: a stream of strings would get a charset parameter, which JSON:API forbids
      return { stream: Readable.from([Buffer.from(json)]) }
    }),
  ]
}

/** Routes for the operator. */
function edgeStrategyChangeBindings(deps: Deps): Binding[] {
  const edgeStrategy = edgeStrategyResource(deps)
  return [
    bind(
      api.createEdgeStrategy,
      async ({ context, body }) => ({
        body: documentOf(edgeStrategy(await actions.createEdgeStrategy(context, body))),
      }),
      { check: ({ context }, valid) => actions.edgeStrategyFieldErrors(context, valid) },
    ),
    bind(
      api.replaceEdgeStrategy,
      async ({ context, params, body }) => ({
        body: documentOf(edgeStrategy(await actions.replaceEdgeStrategy(context, params.edge_strategy_id, body))),
      }),
      {
        check: ({ context, params }, valid) => actions.edgeStrategyFieldErrors(context, valid, params.edge_strategy_id),
      },
    ),
    bind(api.deleteEdgeStrategy, async ({ context, params }) => {
      await actions.deleteEdgeStrategy(context, params.edge_strategy_id)
      return { body: undefined }
    }),
  ]
}

function voiceRouteBindings(deps: Deps, countNumbers: actions.CountNumbers): Binding[] {
  const voiceRoute = (row: store.VoiceRouteRow) => ({
    type: 'route' as const,
    id: row.id,
    attributes: voiceRouteAttributes(row),
    links: { self: link(deps, voiceRoutePath(row.id)) },
  })
  return [
    bind(api.listRoutes, async ({ context, query: { alias, route_type, ...query }, self }) => {
      const page = pageOf(query, 10)
      const rows = await store.listVoiceRoutes(context.tx, context.actor, { alias, route_type, ...page.fetch })
      return { body: paged(self, page, rows.map(voiceRoute)) }
    }),
    bind(api.getRoute, async ({ context, params }) => ({
      body: documentOf(voiceRoute(await actions.requireVoiceRoute(context, params.route_id))),
    })),
    bind(
      api.createRoute,
      async ({ context, body }) => ({
        body: documentOf(voiceRoute(await actions.createVoiceRoute(context, body))),
      }),
      { check: ({ context }, valid) => actions.voiceRouteFieldErrors(context, valid) },
    ),
    bind(
      api.updateRoute,
      async ({ context, params, body }) => ({
        body: documentOf(voiceRoute(await actions.updateVoiceRoute(context, params.route_id, body))),
      }),
      {
        check: ({ context, params: { route_id: id } }, valid, failing) =>
          actions.voiceRouteFieldErrors(context, valid, { id, failing }),
      },
    ),
    bind(api.deleteRoute, async ({ context, params }) => {
      await actions.deleteVoiceRoute(context, params.route_id, countNumbers)
      return { body: undefined }
    }),
  ]
}
