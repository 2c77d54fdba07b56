import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type { Findings } from './findings.ts'
import type { Outcome } from './http.ts'
import { object, one, text, type Json } from './json.ts'
import { hang_ms, until } from '../support/until.ts'
import { requireBody, type Account, type World } from './world.ts'

/** Call records of one account. Each has a unique tag, which identifies it in an export. */

export const whole_history = {
  start_call_start_time: '2000-01-01 00:00:00',
  start_call_end_time: '2100-01-01 00:00:00',
}
/** In hundred-thousandths of a dollar, so that sums are exact. */
const unit = 100_000

interface Call {
  cost: number
  there: 'yes' | 'maybe'
}

export class Records {
  readonly #world: World
  readonly #account: Account
  readonly #calls = new Map<string, Call>()

  constructor(world: World, account: Account) {
    this.#world = world
    this.#account = account
  }

  /** Sends these calls, whether new or sent before. A refused batch may have been stored in part. */
  async send(tags: readonly string[], key?: string): Promise<Outcome> {
    for (const tag of tags)
      if (!this.#calls.has(tag)) this.#calls.set(tag, { cost: 1 + this.#world.random.below(unit), there: 'maybe' })
    const known = tags.filter((tag) => this.#calls.get(tag)?.there === 'yes').length
    const lines = tags.map((tag) => JSON.stringify(this.#line(tag)))
    const outcome = await this.#world.http.send({
      operation: 'ingestCdrs',
      by: this.#world.operator,
      bytes: { type: 'application/x-ndjson', body: `${lines.join('\n')}\n` },
      key,
    })
    if (outcome.kind === 'done') {
      const { accepted, duplicates, rejected } = object(object(outcome.body)['data'])
      const counts = `${String(accepted)} accepted, ${String(duplicates)} duplicates, ${String(rejected)} rejected`
      const isComplete = rejected === 0 && Number(accepted) + Number(duplicates) === tags.length
      this.#world.findings.expect(isComplete, `of ${tags.length} records ${counts}`)
      this.#world.findings.expect(Number(duplicates) >= known, `${known} records were known, and ${counts}`)
      for (const tag of tags) this.#call(tag).there = 'yes'
    }
    return outcome
  }

  tags(): string[] {
    return [...this.#calls.keys()]
  }

  /** Exports everything and compares it, call by call and in total. */
  async count(findings: Findings): Promise<void> {
    const { lines, attributes } = await this.#exported(findings)
    const seen = new Map<string, number>()
    for (const line of lines) {
      const tag = String(line['custom_x_tag'])
      seen.set(tag, (seen.get(tag) ?? 0) + 1)
      if (!this.#calls.has(tag)) findings.wrong(`call record ${tag} was never sent`)
    }
    for (const [tag, call] of this.#calls) {
      const times = seen.get(tag) ?? 0
      if (times > 1) findings.double(`call record ${tag} is there ${times} times`)
      if (times === 0 && call.there === 'yes') findings.lose(`call record ${tag} is not there`)
      if (times === 0) this.#calls.delete(tag)
      else call.there = 'yes'
    }
    const cost = [...this.#calls.values()].reduce((sum, call) => sum + call.cost, 0)
    findings.expect(
      attributes['num_calls'] === lines.length,
      `num_calls is ${String(attributes['num_calls'])} of ${lines.length}`,
    )
    const total = Math.round(Number(attributes['total_cost']) * unit)
    findings.expect(total === cost, `total_cost is ${total} and the records add up to ${cost}`)
  }

  async #exported(findings: Findings): Promise<{ lines: Json[]; attributes: Json }> {
    const { http } = this.#world
    const attributes = await finishedExport(this.#world, this.#account, 'ndjson')
    const response = await fetch(text(attributes['download_url']))
    const file = Buffer.from(await response.arrayBuffer())
    findings.expect(sha256(file) === attributes['sha256'], `the export's file has another digest than it says`)
    findings.expect(http.tallies.size > 0, 'nothing was sent')
    const lines = gunzipSync(file).toString().split('\n')
    return { lines: lines.filter((line) => line !== '').map((line) => object(JSON.parse(line))), attributes }
  }

  #call(tag: string): Call {
    const call = this.#calls.get(tag)
    if (call === undefined) throw new Error(`${tag} was not sent`)
    return call
  }

  #line(tag: string): Json {
    return {
      account_id: this.#account.id,
      id: tag,
      direction: 'outbound',
      start_time: '2026-03-01T12:00:00.000Z',
      end_time: '2026-03-01T12:01:10.000Z',
      destination: '+12065550100',
      callerid: '+13035550111',
      result: 'completed',
      duration: 70,
      billed_duration: 72,
      cost_subtotal: (this.#call(tag).cost / unit).toFixed(5),
      custom_x_tags: [tag],
    }
  }
}

/** Requests an export of everything and waits until it ends. */
export async function finishedExport(world: World, { keys: by }: Account, format: string): Promise<Json> {
  const json = { data: { type: 'cdrexport', attributes: { format, filter_parameters: whole_history } } }
  const { id } = one(await requireBody(world.http, { operation: 'createCdrExport', by, json }))
  return await exportEnded(world, by, id)
}

async function exportEnded(world: World, by: Account['keys'], export_id: string): Promise<Json> {
  let attributes: Json = {}
  await until(`export ${export_id}`, hang_ms, async () => {
    attributes = one(await world.http.read({ operation: 'getCdrExport', by, params: { export_id } })).attributes
    return attributes['status'] !== 'processing'
  })
  world.findings.expect(
    attributes['status'] === 'completed',
    `export ${export_id} ${String(attributes['status'])}: ${String(attributes['failure_reason'])}`,
  )
  return attributes
}

export const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')
