import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { Acknowledged } from '../outages/model.ts'
import type { Disruption } from '../outages/disruptions.ts'
import { isUsual, Traffic, type Seen } from '../outages/traffic.ts'
import { disrupt } from '../outages/trial.ts'
import { followPrimary, postgresPrograms, PostgresPair, type Failure } from '../servers/postgres-pair.ts'
import { addNumbers, run } from '../support/cast.ts'
import { newFolder, startService, type Service } from '../support/service.ts'
import type { Drill, DrillOptions, DrillResult } from './drill.ts'

/** How the primary fails, in words. */
const failures: Readonly<Record<Failure, string>> = {
  stopped: 'the primary is stopped (fast) and its standby promoted',
  killed: 'the primary is killed (SIGKILL) and its standby promoted',
  demoted: 'the primary becomes read-only, keeps its connections, and its standby is promoted',
}

/** How the service reaches the primary. */
const ways = { 'a URL with both hosts': 'hosts', HAProxy: 'proxy' } as const
type Way = keyof typeof ways

const rounds = { long: Number(process.env['DEMARC_DRILL_ROUNDS'] ?? 3), short: 1 }
const violations_max = 10

export const failover: Drill = {
  name: 'failover',
  summary: 'replaces the PostgreSQL primary under load: stopped, killed, and read-only with live connections',
  programs: { ...postgresPrograms, haproxy: 'haproxy' },
  async run(options) {
    if (options.short) return await failovers('a URL with both hosts', ['demoted'], options)
    const all = Object.keys(failures) as Failure[] // the record's own keys
    const by_hosts = await failovers('a URL with both hosts', all, options)
    return [...by_hosts, ...(await failovers('HAProxy', all, options))]
  },
}

/** Starts a pair and a service, lets the primary fail in each way under load, and compares what the service acknowledged. */
async function failovers(way: Way, kinds: readonly Failure[], options: DrillOptions): Promise<DrillResult[]> {
  const folder = await newFolder()
  chmodSync(folder, 0o755)
  const pair = await PostgresPair.open(folder)
  const proxy = ways[way] === 'proxy' ? await followPrimary(folder, pair) : null
  let service: Service | null = null
  let passed = false
  try {
    options.log(`PostgreSQL ${pair.version} runs; starting the service by ${way}`)
    service = await startService(folder, { DATABASE_URL: proxy?.url ?? pair.url, DEMARC_QUEUE_MS: '60000' })
    const results = await underTraffic(service, pair, way, kinds, options)
    passed = results.every(({ ok }) => ok)
    return results
  } finally {
    await service?.end()
    await proxy?.stop()
    await pair.stop()
    if (passed) await service?.stop()
    else options.log(`what the servers left is in ${folder}`)
  }
}

async function underTraffic(
  service: Service,
  pair: PostgresPair,
  way: Way,
  kinds: readonly Failure[],
  { short, log }: DrillOptions,
): Promise<DrillResult[]> {
  const account_id = (await service.account.whoami()).body.data.account_id ?? assert.fail()
  const [number = assert.fail()] = await addNumbers(service, ['00'])
  const acknowledged = new Acknowledged(`failover ${run}`)
  const traffic = new Traffic(service, account_id, number, acknowledged)
  traffic.start()
  const tried = new Map(kinds.map((kind): [Failure, Failovers] => [kind, new Failovers()]))
  for (let round = 0; round < (short ? rounds.short : rounds.long); round++)
    for (const [kind, results] of tried) {
      await pair.replicate()
      const began = performance.now()
      let promoted = began
      const failure = failing(pair, kind, () => (promoted = performance.now()))
      const { violations, recovery_ms } = await disrupt(failure, traffic)
      // also those that were in progress when it failed
      const seen = traffic.seen.filter((each) => each.began + each.ms >= began)
      results.add(seen, { began, promoted }, violations)
      log(`${way}: ${kind}, everything is as before after ${seconds(recovery_ms)}`)
    }
  await traffic.stop()
  const { lost, doubled } = await acknowledged.compare(service, account_id, number)
  return [...tried].map(([kind, results]) => {
    const wrong = [...results.violations, ...lost.map((each) => `lost ${each}`), ...doubled]
    return {
      component: 'PostgreSQL',
      version: pair.version,
      tried: `${failures[kind]}, reached by ${way}`,
      result:
        wrong.length === 0
          ? 'Nothing was lost or doubled, and every response was a success or a 503 with `Retry-After`.'
          : `Lost ${lost.length}, doubled ${doubled.length}: ${wrong.slice(0, violations_max).join('; ')}`,
      ok: wrong.length === 0,
      figures: results.figures(acknowledged.writes()),
    }
  })
}

const failing = (pair: PostgresPair, kind: Failure, onPromoted: () => void): Disruption => ({
  fault: failures[kind],
  begin: async () => {
    await pair.fail(kind)
    onPromoted()
    return { isOver: () => true }
  },
  lasts_ms: 0,
  isUnaffected: ({ needs }) => needs === 'nothing',
  readiness: null,
})

/** What was seen in the failovers of one kind. */
class Failovers {
  readonly violations: string[] = []
  #requests = 0
  #refused = 0
  #tries = 0
  #promoted_ms = 0
  #slowest_ms = 0

  /** `promoted`: when the standby accepted writes. */
  add(
    seen: readonly Seen[],
    { began, promoted }: { began: number; promoted: number },
    violations: readonly string[],
  ): void {
    this.violations.push(...violations)
    this.#tries++
    this.#requests += seen.length
    this.#refused += seen.filter((each) => !isUsual(each)).length
    this.#promoted_ms = Math.max(this.#promoted_ms, promoted - began)
    this.#slowest_ms = Math.max(this.#slowest_ms, untilWritten(seen, began))
  }

  figures(writes: number): DrillResult['figures'] {
    return [
      { name: 'Failovers', value: String(this.#tries) },
      { name: 'Requests meanwhile', value: String(this.#requests) },
      { name: 'Refused', value: String(this.#refused) },
      { name: 'Until the standby is promoted, at most', value: seconds(this.#promoted_ms) },
      { name: 'Until every kind of write succeeds, at most', value: seconds(this.#slowest_ms) },
      { name: 'Acknowledged writes compared, in all failovers', value: String(writes) },
    ]
  }
}

/** The time from the failure until a write of each kind, sent after it, has succeeded. */
function untilWritten(seen: readonly Seen[], began: number): number {
  const first = new Map<string, number>()
  for (const { kind, ...each } of seen)
    if (kind.writes && isUsual(each) && each.began >= began)
      first.set(kind.name, Math.min(first.get(kind.name) ?? Infinity, each.began + each.ms - began))
  return Math.max(...first.values())
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
