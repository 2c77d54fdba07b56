import http from 'node:http'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { friendship } from '../support/cast.ts'
import { authorization, timed, type Attempt, type Timed } from '../support/timed-http.ts'
import type { Service } from '../support/service.ts'
import type { Acknowledged } from './model.ts'

/** A small steady set of clients, one per kind of request, that record their responses. */

export type Need = 'nothing' | 'database' | 'engine' | 'everything'

export interface Kind {
  name: string
  needs: Need
  writes: boolean
  /** Pause between two requests. */
  pause_ms: number
  /** The n-th request of this kind. */
  attempt(n: number): Attempt
  /** Records what the response to the nth request acknowledged. */
  acknowledge?(n: number, body: string): void
}

export interface Seen extends Timed {
  kind: Kind
}

/** A request without a response is abandoned after this long; a slow response is only reported as late. */
const give_up_ms = 30_000
const retry_ms = 250

export class Traffic {
  readonly kinds: readonly Kind[]
  readonly seen: Seen[] = []
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 64 })
  readonly #base_url: string
  #running: Promise<unknown> = Promise.resolve()
  #stopped = false

  constructor(service: Service, account_id: string, number: string, acknowledged: Acknowledged) {
    this.#base_url = service.base_url
    this.kinds = kindsOf(service, account_id, number, acknowledged)
  }

  start(): void {
    this.#running = Promise.all(this.kinds.map((kind) => this.#client(kind)))
  }

  /** Retries every started write until it is acknowledged. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
    this.#agent.destroy()
  }

  since(began: number): Seen[] {
    return this.seen.filter((each) => each.began >= began)
  }

  async #client(kind: Kind): Promise<void> {
    for (let n = 1; !this.#stopped; n += 1) {
      const attempt = kind.attempt(n)
      const key = kind.writes ? { 'idempotency-key': randomUUID() } : {}
      for (;;) {
        const seen = await timed(
          this.#agent,
          this.#base_url,
          { ...attempt, headers: { ...attempt.headers, ...key } },
          give_up_ms,
        )
        this.seen.push({ ...seen, kind })
        if (isUsual(seen)) {
          kind.acknowledge?.(n, seen.body)
          break
        }
        if (!kind.writes && this.#stopped) break
        await sleep(retry_ms)
      }
      await sleep(kind.pause_ms)
    }
  }
}

export const isUsual = ({ status }: Timed): boolean => status !== null && status >= 200 && status < 300

function kindsOf(service: Service, account_id: string, number: string, acknowledged: Acknowledged): Kind[] {
  const own = authorization(service.keys.account)
  const ingesting = { ...authorization(service.keys.operator), 'content-type': 'application/x-ndjson' }
  return [
    ...reads(own, number, acknowledged),
    ...writes({ ...own, 'content-type': 'application/json' }, number, acknowledged),
    {
      name: 'ingest',
      needs: 'engine',
      writes: true,
      pause_ms: 200,
      attempt: (n) => ({
        method: 'POST',
        path: '/operator/cdrs',
        headers: ingesting,
        body: acknowledged.records(n, account_id),
      }),
      acknowledge: () => (acknowledged.batches += 1),
    },
  ]
}

function reads(own: Attempt['headers'], number: string, acknowledged: Acknowledged): Kind[] {
  const common = { writes: false, pause_ms: 150 }
  const read = (name: string, path: string, needs: Need = 'database'): Kind => ({
    ...common,
    name,
    needs,
    attempt: () => ({ method: 'GET', path, headers: { ...own } }),
  })
  const ask = (name: string, path: string, needs: Need, body: unknown): Kind => ({
    ...common,
    name,
    needs,
    attempt: () => ({
      method: 'POST',
      path,
      headers: { ...own, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  return [
    read('liveness', '/health/live', 'nothing'),
    read('openapi.json', '/openapi.json', 'nothing'),
    read('readiness', '/health/ready', 'everything'),
    read('numbers', '/v2/numbers?limit=20'),
    read('a number', `/v2/numbers/${number}`),
    read('routes', '/v2/routes?limit=20'),
    read('E911 addresses', '/v2/e911s'),
    read('port orders', '/v2/portorders'),
    read('exports', '/v2/cdrs/exports'),
    ask('E911 validation', '/v2/e911s/validate', 'database', {
      data: { type: 'e911', attributes: friendship('900') },
    }),
    ask('estimate', '/v2/cdrs/exports/estimate', 'engine', acknowledged.everyRecord()),
  ]
}

function writes(headers: Attempt['headers'], number: string, acknowledged: Acknowledged): Kind[] {
  const write = (name: string, method: string, path: string, body: (n: number) => unknown): Kind => ({
    name,
    needs: 'database',
    writes: true,
    pause_ms: 200,
    attempt: (n) => ({ method, path, headers: { ...headers }, body: JSON.stringify(body(n)) }),
  })
  return [
    {
      ...write('new route', 'POST', '/v2/routes', (n) => acknowledged.route(n)),
      acknowledge: (n) => acknowledged.routes.add(acknowledged.route(n).data.attributes.alias),
    },
    {
      ...write('alias of a number', 'PATCH', `/v2/numbers/${number}`, (n) => acknowledged.alias(n)),
      acknowledge: (n) => (acknowledged.last_alias = acknowledged.alias(n).data.attributes.alias),
    },
    {
      ...write('new export', 'POST', '/v2/cdrs/exports', () => acknowledged.everyRecord()),
      pause_ms: 1_000,
      acknowledge: (_, body) => acknowledged.exports.add((JSON.parse(body) as { data: { id: string } }).data.id),
    },
  ]
}
