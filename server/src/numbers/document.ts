import { cnamPath } from '../cnam/index.ts'
import { e911Attributes, e911Path } from '../e911/index.ts'
import { link } from '../platform/http/binding.ts'
import { problemResponse } from '../platform/problem.ts'
import { timeText } from '../platform/clock.ts'
import { voiceRouteAttributes, voiceRoutePath } from '../voice-routes/index.ts'
import type { ChangeOptions, ChangeResult } from './change-many.ts'
import type { NumberRow, NumberWithRelated } from './store.ts'

/** How numbers appear in responses. Ids are integers here and in everything the document includes. */

type Deps = Parameters<typeof link>[0]

const related = <T extends string>(type: T, id: string | null) => ({
  data: id === null ? null : { type, id: Number(id) },
})

export const numberAttributes = (n: NumberRow) => ({
  alias: n.alias,
  value: n.value,
  number_type: n.number_type,
  state: n.state,
  rate_center: n.rate_center,
  iso_country: n.iso_country,
  status: n.status,
  cnam_lookups_enabled: n.cnam_lookups_enabled,
  monthly_cost: n.monthly_cost,
  created_at: timeText(n.created_at),
})

/** The number as lists show it. */
export const numberResource = (deps: Deps, n: NumberRow) => ({
  type: 'number' as const,
  id: Number(n.value),
  attributes: numberAttributes(n),
  links: { self: numberLink(deps, n.value) },
  relationships: {
    cnam_preset: related('cnam', n.cnam_id),
    e911_address: related('e911', n.e911_id),
    primary_route: related('route', n.primary_route_id),
    failover_route: related('route', n.failover_route_id),
    message_provision: related('message_provisioning_status', n.value),
  },
})

/** The number with its related resources in `included`, once each. */
export function numberDocument(deps: Deps, n: NumberWithRelated) {
  const data = numberResource(deps, n)
  return {
    data,
    included: [...voiceRoutes(deps, n), ...cnam(deps, n), ...e911(deps, n), messageProvision(deps, n)],
    links: data.links,
  }
}

function voiceRoutes(deps: Deps, n: NumberWithRelated) {
  const primary = includedVoiceRoute(deps, n.primary_route_id, {
    alias: n.primary_alias,
    edge_strategy_id: n.primary_edge_strategy_id,
    route_type: n.primary_route_type,
    value: n.primary_value,
  })
  if (n.failover_route_id === null || n.failover_alias === null || n.failover_route_type === null) return [primary]
  if (n.failover_route_id === n.primary_route_id) return [primary]
  const failover = includedVoiceRoute(deps, n.failover_route_id, {
    alias: n.failover_alias,
    edge_strategy_id: n.failover_edge_strategy_id,
    route_type: n.failover_route_type,
    value: n.failover_value,
  })
  return [primary, failover]
}

const includedVoiceRoute = (deps: Deps, id: string, row: Parameters<typeof voiceRouteAttributes>[0]) => ({
  type: 'route' as const,
  id: Number(id),
  links: { self: link(deps, voiceRoutePath(id)) },
  attributes: voiceRouteAttributes(row),
})

function cnam(deps: Deps, { cnam_id, cnam_value }: NumberWithRelated) {
  if (cnam_id === null || cnam_value === null) return []
  const links = { self: link(deps, cnamPath(cnam_id)) }
  return [{ type: 'cnam' as const, id: Number(cnam_id), links, attributes: { value: cnam_value } }]
}

function e911(deps: Deps, { e911_id, e911: row }: NumberWithRelated) {
  if (e911_id === null || row === null) return []
  const attributes = e911Attributes({ ...row, validated_at: new Date(row.validated_at) })
  return [{ type: 'e911' as const, id: Number(e911_id), links: { self: link(deps, e911Path(e911_id)) }, attributes }]
}

/** Every number has one, as part of the number, so its link is the number's. */
const messageProvision = (deps: Deps, n: NumberWithRelated) => ({
  type: 'message_provisioning_status' as const,
  id: Number(n.value),
  links: { self: numberLink(deps, n.value) },
  attributes: { status: n.message_status, tn: n.value },
})

export const numberLink = (deps: Deps, value: string) => link(deps, `/v2/numbers/${value}`)

/** The outcomes of changing many numbers. */
export function changeResultsDocument(results: readonly ChangeResult[], { mode, dry_run }: ChangeOptions) {
  const data = results.map(({ value, changes, problem }) => ({
    value,
    outcome: problem ? ('refused' as const) : changes ? ('changed' as const) : ('unchanged' as const),
    from: changedAttributes(changes?.from ?? {}),
    to: changedAttributes(changes?.to ?? {}),
    errors: problem ? problemResponse(problem).body.errors : [],
  }))
  const count = (outcome: string) => data.filter((each) => each.outcome === outcome).length
  return {
    data,
    meta: {
      mode,
      dry_run,
      changed_count: count('changed'),
      unchanged_count: count('unchanged'),
      refused_count: count('refused'),
    },
  }
}

/** A number's row fields with integer ids; absent fields stay absent. */
const changedAttributes = ({
  alias,
  cnam_lookups_enabled,
  primary_route_id,
  failover_route_id,
  cnam_id,
  e911_id,
}: Partial<NumberRow>) => ({
  alias,
  cnam_lookups_enabled,
  primary_route_id: primary_route_id === undefined ? undefined : Number(primary_route_id),
  failover_route_id: integerOf(failover_route_id),
  cnam_id: integerOf(cnam_id),
  e911_id: integerOf(e911_id),
})

const integerOf = (id: string | null | undefined) => (id == null ? id : Number(id))
