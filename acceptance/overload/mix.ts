import { randomUUID } from 'node:crypto'
import { friendship } from '../support/cast.ts'
import type { Attempt } from '../support/timed-http.ts'

/** The requests of several accounts' clients, in these proportions. */

const day = { start_call_start_time: '2026-03-01 00:00:00', start_call_end_time: '2026-03-02 00:00:00' }

/** An account and one of its numbers. */
export interface Target {
  own: Record<string, string>
  operator: Record<string, string>
  account_id: string
  number: string
}

interface Share {
  /** Per thousand requests. */
  share: number
  attempt(target: Target, n: number): Attempt
}

const get =
  (path: string) =>
  ({ own }: Target): Attempt => ({ method: 'GET', path, headers: own })

const send = (method: string, path: string, headers: Record<string, string>, body: unknown): Attempt => ({
  method,
  path,
  headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
  body: JSON.stringify(body),
})

const exportBody = { data: { type: 'cdrexport', attributes: { filter_parameters: day } } }

const newExport = ({ own }: Target): Attempt => send('POST', '/v2/cdrs/exports', own, exportBody)

const shares: Record<string, Share> = {
  numbers: { share: 290, attempt: get('/v2/numbers?limit=20') },
  'a number': { share: 150, attempt: (target) => get(`/v2/numbers/${target.number}`)(target) },
  routes: { share: 150, attempt: get('/v2/routes?limit=20') },
  'port orders': { share: 50, attempt: get('/v2/portorders') },
  'E911 addresses': { share: 60, attempt: get('/v2/e911s') },
  'E911 validation': {
    share: 100,
    attempt: ({ own }) =>
      send('POST', '/v2/e911s/validate', own, { data: { type: 'e911', attributes: friendship('900') } }),
  },
  'alias of a number': {
    share: 100,
    attempt: ({ own, number }, n) =>
      send('PATCH', `/v2/numbers/${number}`, own, { data: { type: 'number', attributes: { alias: `Load ${n}` } } }),
  },
  'new route': {
    share: 30,
    attempt: ({ own }, n) => {
      const attributes = { alias: `Load ${n}`, route_type: 'host', value: `load${n}.example:5060` }
      return send('POST', '/v2/routes', own, { data: { type: 'route', attributes } })
    },
  },
  estimate: { share: 20, attempt: ({ own }) => send('POST', '/v2/cdrs/exports/estimate', own, exportBody) },
  ingest: {
    share: 48,
    attempt: ({ operator, account_id }, n) => ({
      method: 'POST',
      path: '/operator/cdrs',
      headers: { ...operator, 'content-type': 'application/x-ndjson' },
      body: `${JSON.stringify(record(account_id, n))}\n`,
    }),
  },
  'new export': { share: 2, attempt: newExport },
}

const record = (account_id: string, n: number) => ({
  account_id,
  id: `load ${process.pid} ${n}`,
  direction: 'outbound',
  start_time: '2026-03-01T12:00:00.000Z',
  end_time: '2026-03-01T12:01:00.000Z',
  destination: '18885550143',
  callerid: '13035550111',
  result: 'completed',
  duration: 60,
  billed_duration: 60,
})

/** A thousand requests, spread evenly; the nth request uses the nth entry. */
const order: readonly [string, Share][] = Object.entries(shares)
  .flatMap(([name, each]) => Array.from({ length: each.share }, (_, i) => ({ at: (i + 0.5) / each.share, name, each })))
  .toSorted((a, b) => a.at - b.at)
  .map(({ name, each }) => [name, each])

/** The nth request of the mix; accounts take turns. */
export function nth(targets: readonly Target[], n: number): { name: string; attempt: Attempt } {
  const [name, share] = order[n % order.length] ?? ['', undefined]
  const target = targets[n % targets.length]
  if (!share || !target) throw new Error('There is nothing to send.')
  return { name, attempt: share.attempt(target, n) }
}
