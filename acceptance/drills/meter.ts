import http from 'node:http'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { authorization, timed, type Attempt } from '../support/timed-http.ts'
import type { Keys } from '../support/service.ts'
import type { Findings } from '../crash/findings.ts'
import { newAccount, newMark, require, type World } from '../crash/world.ts'
import type { Figure } from '../reliability/results.ts'

const pause_ms = 50
/** As long as clients commonly wait. */
const give_up_ms = 5_000

interface Measured {
  requests: number
  /** By status, or by the reason why there was no response. */
  refused: Map<string, number>
  longest_gap_ms: number
}

/**
 * Sends one read after another, and one change after another, each with an Idempotency-Key and until it is acknowledged.
 * Measures the longest time without a successful response. Every request opens a connection, so that none survives by reusing
 * one.
 */
export class Meter {
  readonly #base_url: string
  readonly #route: string
  readonly #headers: Record<string, string>
  readonly #agent = new http.Agent({ keepAlive: false })
  readonly #read: Measured = { requests: 0, refused: new Map(), longest_gap_ms: 0 }
  readonly #change: Measured = { requests: 0, refused: new Map(), longest_gap_ms: 0 }
  /** Number of acknowledged changes. */
  #changes = 0
  #stopped = false
  readonly #running: Promise<unknown>

  /** Starts to send. */
  static async open(world: World, base_url: string): Promise<Meter> {
    const { keys } = await newAccount(world, newMark('meter'))
    const json = { alias: 'Meter', route_type: 'host', value: 'h0.example.com' }
    const { id } = await require(world.http, { operation: 'createRoute', by: keys, json })
    return new Meter(base_url, keys, `/v2/routes/${id}`)
  }

  private constructor(base_url: string, keys: Keys, route: string) {
    this.#base_url = base_url
    this.#route = route
    this.#headers = { ...authorization(keys), 'content-type': 'application/json' }
    this.#running = Promise.all([
      this.#send(this.#read, () => ({ method: 'GET', path: route, headers: this.#headers })),
      this.#send(this.#change, (n) => ({
        method: 'PATCH',
        path: route,
        headers: { ...this.#headers, 'idempotency-key': randomUUID() },
        body: JSON.stringify({ data: { type: 'route', attributes: { value: `h${n}.example.com` } } }),
      })),
    ])
    // stop() throws the failure
    this.#running.catch(() => undefined)
  }

  /** Ends after the requests in progress. A last change that is not there is a finding. */
  async stop(findings: Findings): Promise<void> {
    this.#stopped = true
    await this.#running
    const attempt = { method: 'GET', path: this.#route, headers: this.#headers }
    const { body } = await timed(this.#agent, this.#base_url, attempt, give_up_ms)
    if (!body.includes(`"h${this.#changes}.example.com"`))
      findings.lose(`change ${this.#changes} of the meter: ${body}`)
  }

  /** The refusals, by status, of reads and changes together. */
  refusals(): ReadonlyMap<string, number> {
    const sums = new Map(this.#read.refused)
    for (const [status, n] of this.#change.refused) sums.set(status, (sums.get(status) ?? 0) + n)
    return sums
  }

  figures(): Figure[] {
    const refused = [...this.refusals()].map(([status, n]) => `${n} × ${status}`)
    return [
      { name: 'Requests, one after another', value: String(this.#read.requests + this.#change.requests) },
      { name: 'Refused', value: refused.length === 0 ? 'none' : refused.join(', ') },
      { name: 'Longest time without a successful read', value: seconds(this.#read.longest_gap_ms) },
      { name: '– change', value: seconds(this.#change.longest_gap_ms) },
    ]
  }

  async #send(measured: Measured, attempt: (n: number) => Attempt): Promise<void> {
    let served_at = performance.now()
    for (let n = 1; !this.#stopped; n++) {
      const sending = attempt(n)
      for (;;) {
        const { status, body } = await timed(this.#agent, this.#base_url, sending, give_up_ms)
        measured.requests++
        const now = performance.now()
        if (status !== null && status < 300) {
          measured.longest_gap_ms = Math.max(measured.longest_gap_ms, now - served_at)
          served_at = now
          if (measured === this.#change) this.#changes = n
          break
        }
        const reason = status === null ? body : `${status} of ${body.startsWith('{') ? 'Demarc' : 'the proxy'}`
        measured.refused.set(reason, (measured.refused.get(reason) ?? 0) + 1)
        await sleep(pause_ms)
      }
      await sleep(pause_ms)
    }
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
