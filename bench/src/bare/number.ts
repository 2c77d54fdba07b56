import type { QueryResultRow } from 'pg'
import type { BareOperation } from './operations.ts'

const text = `select n.account_id, n.value, n.alias, n.number_type, n.state, n.rate_center, n.iso_country, n.status, n.cnam_lookups_enabled,
  n.monthly_cost, n.message_status, n.primary_route_id, n.failover_route_id, n.cnam_id, n.e911_id, n.created_at,
  p.alias as primary_alias, p.edge_strategy_id as primary_edge_strategy_id, p.route_type as primary_route_type, p.value as primary_value,
  f.alias as failover_alias, f.edge_strategy_id as failover_edge_strategy_id, f.route_type as failover_route_type, f.value as failover_value,
  c.value as cnam_value, case when n.e911_id is not null then to_json(e) end as e911
from number n
join route p on p.account_id = n.account_id and p.id = n.primary_route_id
left join route f on f.account_id = n.account_id and f.id = n.failover_route_id
left join cnam c on c.account_id = n.account_id and c.id = n.cnam_id
left join e911_address e on e.account_id = n.account_id and e.id = n.e911_id
where n.value = $1 and n.account_id = $2`

/** `GET /v2/numbers/:id`, written by hand. */
export const getNumber: BareOperation = async ({ account_id, base_url, query }, { path }) => {
  const [row] = await query({ name: 'number', text, values: [path.split('/').at(-1), account_id] })
  return { status: 200, body: numberJson(row ?? {}, base_url) }
}

function numberJson(n: QueryResultRow, base_url: string): string {
  const link = (path: string) => base_url + path
  const related = (type: string, id: string | null) => ({ data: id === null ? null : { type, id: Number(id) } })
  const links = { self: link(`/v2/numbers/${n.value}`) }
  const route = (id: string, prefix: string) => ({
    type: 'route',
    id: Number(id),
    links: { self: link(`/v2/routes/${id}`) },
    attributes: {
      alias: n[`${prefix}_alias`],
      edge_strategy_id: n[`${prefix}_edge_strategy_id`],
      route_type: n[`${prefix}_route_type`],
      value: n[`${prefix}_value`],
    },
  })
  const included = [
    route(n.primary_route_id, 'primary'),
    ...(n.failover_route_id === null ? [] : [route(n.failover_route_id, 'failover')]),
    {
      type: 'message_provisioning_status',
      id: Number(n.value),
      links,
      attributes: { status: n.message_status, tn: n.value },
    },
  ]
  const { alias, value, number_type, state, rate_center, iso_country, status, cnam_lookups_enabled, monthly_cost } = n
  const about = {
    alias,
    value,
    number_type,
    state,
    rate_center,
    iso_country,
    status,
    cnam_lookups_enabled,
    monthly_cost,
  }
  const relationships = {
    cnam_preset: related('cnam', n.cnam_id),
    e911_address: related('e911', null),
    primary_route: related('route', n.primary_route_id),
    failover_route: related('route', n.failover_route_id),
    message_provision: related('message_provisioning_status', value),
  }
  const attributes = { ...about, created_at: n.created_at.toISOString() }
  const data = { type: 'number', id: Number(value), attributes, links, relationships }
  return JSON.stringify({ data, included, links })
}
