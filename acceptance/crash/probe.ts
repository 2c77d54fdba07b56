import { setTimeout as sleep } from 'node:timers/promises'
import type { Findings } from './findings.ts'
import { one } from './json.ts'
import { Records, whole_history } from './records.ts'
import type { Victim } from './service.ts'
import { hang_ms } from '../support/until.ts'
import { Model } from './model.ts'
import { listAll, newAccount, newMark, type Account, type World } from './world.ts'

/** Retries after a fault until the service responds normally, which marks its recovery. */

/** A request lost in the fault times out early, so that the next one can measure recovery. Each one waits longer than the last. */
const timeout_first_ms = 5_000
const timeout_max_ms = 120_000
const pause_ms = 50

/** What depends on each process. */
const needs = {
  api: ['change'],
  postmaster: ['change'],
  backend: ['change'],
  engine: ['ingest'],
  worker: ['job'],
  group: ['change', 'ingest', 'job'],
} as const satisfies Record<Victim, readonly string[]>

export class Probe {
  readonly #world: World
  readonly #account: Account
  readonly #routes = new Model('voice route of the probe')
  readonly #records: Records

  static async open(world: World): Promise<Probe> {
    return new Probe(world, await newAccount(world, 'probe'))
  }

  private constructor(world: World, account: Account) {
    this.#world = world
    this.#account = account
    this.#records = new Records(world, account)
  }

  /**
   * Waits until everything is served again. Returns the performance.now() at which the operations that need the victim worked
   * again.
   */
  async served(victim: Victim): Promise<number> {
    const at = { change: 0, ingest: 0, job: 0 }
    await Promise.all([
      this.#again((timeout_ms) => this.#change(timeout_ms)).then((now) => (at.change = now)),
      this.#again(() => this.#ingest()).then((now) => (at.ingest = now)),
      this.#again((timeout_ms) => this.#job(timeout_ms)).then((now) => (at.job = now)),
    ])
    return Math.max(...needs[victim].map((need) => at[need]))
  }

  async count(findings: Findings): Promise<void> {
    const found = (await listAll(this.#world.http, this.#account.keys, 'listRoutes')).filter(({ id }) => id !== '0')
    this.#routes.compareResources(found, 'alias', findings)
    await this.#records.count(findings)
  }

  async #again(attempt: (timeout_ms: number) => Promise<boolean>): Promise<number> {
    const deadline = performance.now() + hang_ms
    let timeout_ms = timeout_first_ms
    while (!(await attempt(timeout_ms))) {
      if (performance.now() > deadline) throw new Error(`Not served within ${hang_ms / 1000} s.`)
      timeout_ms = Math.min(timeout_ms * 2, timeout_max_ms)
      await sleep(pause_ms)
    }
    return performance.now()
  }

  async #change(timeout_ms: number): Promise<boolean> {
    const alias = newMark('probe')
    const json = { alias, route_type: 'host', value: 'probe.example.com' }
    const outcome = await this.#world.http.send({ operation: 'createRoute', by: this.#account.keys, json, timeout_ms })
    this.#routes.created(alias, { value: json.value }, outcome)
    return outcome.kind === 'done'
  }

  async #ingest(): Promise<boolean> {
    return (await this.#records.send([newMark('probe')])).kind === 'done'
  }

  /** Exports need their own request, and a wait. */
  async #job(timeout_ms: number): Promise<boolean> {
    const { http } = this.#world
    const by = this.#account.keys
    const json = { data: { type: 'cdrexport', attributes: { filter_parameters: whole_history } } }
    const outcome = await http.send({ operation: 'createCdrExport', by, json, timeout_ms })
    if (outcome.kind !== 'done') return false
    const params = { export_id: one(outcome.body).id }
    const deadline = performance.now() + hang_ms
    for (;;) {
      const { status } = one(await http.read({ operation: 'getCdrExport', by, params })).attributes
      if (status !== 'processing') return status === 'completed'
      if (performance.now() > deadline) throw new Error(`Export ${params.export_id} does not end.`)
      await sleep(pause_ms)
    }
  }
}
