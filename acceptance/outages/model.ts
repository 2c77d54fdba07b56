import { setTimeout as sleep } from 'node:timers/promises'
import type { Service } from '../support/service.ts'

/** What the service acknowledged, recorded outside of it, and the comparison with its actual state. */

const records_per_batch = 3
/** No other calls have this destination. */
const destination = '18885550142'
const day = { start_call_start_time: '2026-03-01 00:00:00', start_call_end_time: '2026-03-02 00:00:00' }

export class Acknowledged {
  /** Aliases of routes. */
  readonly routes = new Set<string>()
  readonly exports = new Set<string>()
  last_alias = ''
  batches = 0
  readonly #name: string

  /** `name` is the prefix of every alias that is written. */
  constructor(name: string) {
    this.#name = name
  }

  writes(): number {
    return this.routes.size + this.exports.size + this.batches
  }

  route(n: number) {
    const attributes = { alias: `${this.#name} ${n}`, route_type: 'host', value: `h${n}.example:5060` }
    return { data: { type: 'route', attributes } }
  }

  alias(n: number) {
    return { data: { type: 'number', attributes: { alias: `${this.#name} ${n}` } } }
  }

  everyRecord() {
    const filter_parameters = { ...day, destination_prefix: [destination] }
    return { data: { type: 'cdrexport', attributes: { format: 'csv' as const, filter_parameters } } }
  }

  /** The lines of the n-th batch. */
  records(n: number, account_id: string): string {
    const record = {
      account_id,
      direction: 'outbound',
      start_time: '2026-03-01T12:00:00.000Z',
      end_time: '2026-03-01T12:01:00.000Z',
      destination,
      callerid: '13035550111',
      result: 'completed',
      duration: 60,
      billed_duration: 60,
    }
    const lines = Array.from({ length: records_per_batch }, (_, i) => ({ ...record, id: `${this.#name} ${n}-${i}` }))
    return lines.map((each) => `${JSON.stringify(each)}\n`).join('')
  }

  /** Compares with what the service has. Waits until every export has ended. */
  async compare({ account, operator }: Service, account_id: string, number: string): Promise<Comparison> {
    const found = new Comparison()
    const aliases: string[] = []
    for (let offset = 0, more = true; more; offset += 200) {
      const page = (await account.listRoutes({ query: { alias: this.#name, limit: 200, offset } })).body
      aliases.push(...page.data.map((each) => each.attributes.alias ?? ''))
      more = page.data.length === 200
    }
    found.compare('routes', this.routes, aliases)
    const exports: string[] = []
    for (let offset = 0, more = true; more; offset += 200) {
      const page = (await account.listCdrExports({ query: { limit: 200, offset } })).body
      exports.push(...page.data.filter((each) => isOurs(each.attributes.filter_parameters)).map(({ id }) => id))
      more = page.data.length === 200
    }
    found.compare('exports', this.exports, exports)
    for (const export_id of this.exports) await untilCompleted(account, export_id)
    const { num_calls } = (await account.estimateCdrExport({ body: this.everyRecord() })).body.data.attributes
    const records = this.batches * records_per_batch
    if (num_calls < records) found.lost.push(`${records - num_calls} call records`)
    if (num_calls > records) found.doubled.push(`${num_calls - records} call records`)
    const { alias } = (await account.getNumber({ params: { number } })).body.data.attributes
    if (alias !== this.last_alias) found.lost.push(`the alias ${this.last_alias}: it is ${alias}`)
    const chain = (await operator.verifyEvents({ query: { account_id } })).body.data
    if (!chain.intact) found.lost.push('the audit chain is broken')
    return found
  }
}

class Comparison {
  readonly lost: string[] = []
  readonly doubled: string[] = []

  compare(what: string, acknowledged: ReadonlySet<string>, found: readonly string[]): void {
    const there = new Set(found)
    const lost = [...acknowledged].filter((each) => !there.has(each))
    this.lost.push(...lost.map((each) => `${what}: ${each}`))
    // every request was retried until it was acknowledged, so anything extra is a duplicate
    const more = found.length - (acknowledged.size - lost.length)
    if (more > 0) this.doubled.push(`${what}: ${more} more than were acknowledged`)
  }
}

const isOurs = ({ destination_prefix }: Record<string, unknown>) =>
  JSON.stringify(destination_prefix)?.includes(destination)

async function untilCompleted(account: Service['account'], export_id: string): Promise<void> {
  for (;;) {
    const { status } = (await account.getCdrExport({ params: { export_id } })).body.data.attributes
    if (status === 'completed') return
    if (status !== 'processing') throw new Error(`Export ${export_id} is ${status}.`)
    await sleep(100)
  }
}
