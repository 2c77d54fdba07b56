import { createHash, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import pg from 'pg'

/**
 * The baseline that `GET /v2/numbers/:id` is measured against: node:http, the same credentials check (keyed hash, constant time,
 * cached), the same SQL as a named statement, the same JSON. No validation, no limits, no log, no metrics.
 */
const [database_url = '', access_key = '', secret_key = '', account_id = '', base_url = ''] = process.argv.slice(2)

const sql = `select n.account_id, n.value, n.alias, n.number_type, n.state, n.rate_center, n.iso_country, n.status, n.cnam_lookups_enabled,
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

const pool = new pg.Pool({ connectionString: database_url, max: 10 })
const pepper = createSecretKey(createHash('sha256').update('bench').digest())
const secret_hashes = new Map([[access_key, createHmac('sha256', pepper).update(secret_key).digest()]])

const server = createServer((request, response) => {
  if (!isAuthorized(request.headers.authorization)) {
    response.writeHead(401).end()
    return
  }
  const value = request.url?.split('/').at(-1) ?? ''
  const respond = ({ rows: [row] }: pg.QueryResult) => {
    const body = numberJson(row)
    response
      .writeHead(200, { 'content-type': 'application/vnd.api+json', 'content-length': Buffer.byteLength(body) })
      .end(body)
  }
  const fail = (error: unknown) => {
    console.error(error)
    response.writeHead(500).end()
  }
  pool.query({ name: 'number', text: sql, values: [value, account_id] }).then(respond, fail)
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' && address !== null ? address.port : 0)
})
process.on('disconnect', () => process.exit(0))

function isAuthorized(authorization: string | undefined): boolean {
  const given = Buffer.from(authorization?.slice(6) ?? '', 'base64').toString()
  const colon = given.indexOf(':')
  const hash = secret_hashes.get(given.slice(0, colon))
  if (hash === undefined) return false
  const given_hash = createHmac('sha256', pepper)
    .update(given.slice(colon + 1))
    .digest()
  return timingSafeEqual(hash, given_hash)
}

function numberJson(n: pg.QueryResultRow): string {
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
  const { alias, number_type, state, rate_center, iso_country, status, cnam_lookups_enabled, monthly_cost } = n
  const data = {
    type: 'number',
    id: Number(n.value),
    attributes: {
      alias,
      value: n.value,
      number_type,
      state,
      rate_center,
      iso_country,
      status,
      cnam_lookups_enabled,
      monthly_cost,
      created_at: n.created_at.toISOString(),
    },
    links,
    relationships: {
      cnam_preset: related('cnam', n.cnam_id),
      e911_address: related('e911', null),
      primary_route: related('route', n.primary_route_id),
      failover_route: related('route', n.failover_route_id),
      message_provision: related('message_provisioning_status', n.value),
    },
  }
  return JSON.stringify({ data, included, links })
}
