import { setTimeout as sleep } from 'node:timers/promises'
import { Audit } from '../crash/audit.ts'
import { Findings } from '../crash/findings.ts'
import { Http, type Tally } from '../crash/http.ts'
import { Load, operatorKeys } from '../crash/loop.ts'
import { quiet } from '../crash/quiet.ts'
import { Receiver } from '../crash/receiver.ts'
import type { World, Writer } from '../crash/world.ts'
import { writerKinds } from '../crash/writers/index.ts'
import { Random } from '../fuzz/random.ts'
import { Database } from '../support/database.ts'
import type { Drill, DrillOptions, DrillResult } from './drill.ts'
import { Installation } from './installation.ts'
import { Meter } from './meter.ts'
import { proxyVersion } from './proxy.ts'
import { expandAndContract, laterRelease } from './release.ts'

const counts = { short: { apis: 2, workers: 1 }, long: { apis: 3, workers: 2 } }
/** How long processes are killed in the long form. */
const long_ms = Number(process.env['DEMARC_DRILL_MINUTES'] ?? 10) * 60_000
/** Time between a replacement and the next kill. */
const settle_ms = { short: 500, long: 3_000 }
/** Pause between two requests of one writer. */
const pause_ms = { short: 200, long: 100 }
const findings_max = 20

export const processes: Drill = {
  name: 'processes',
  summary: 'kills and replaces API processes and workers behind HAProxy, then upgrades them in turn',
  programs: { haproxy: 'haproxy' },
  async run(options) {
    const installation = await Installation.open(counts[options.short ? 'short' : 'long'])
    const receiver = await Receiver.open()
    let passed = false
    try {
      const trial = await Trial.open(installation, receiver, options)
      const results = [await trial.kills(), await trial.upgrades()]
      passed = results.every(({ ok }) => ok)
      return results
    } finally {
      receiver.close()
      await installation.close()
      if (passed) await installation.remove()
      else options.log(`what the processes left is in ${installation.folder}`)
    }
  },
}

/** The load on an installation, and the comparison of what it acknowledged with what is stored. */
class Trial {
  readonly #installation: Installation
  readonly #options: DrillOptions
  readonly #world: World
  readonly #writers: readonly Writer[]
  readonly #audit: Audit
  /** How often each outcome of the writers' requests occurred: a status, or the reason why there was no response. */
  readonly #outcomes: Map<number | string, number>
  /** Requests to which the proxy responded in place of a process. */
  readonly #unserved: string[]

  static async open(installation: Installation, receiver: Receiver, options: DrillOptions): Promise<Trial> {
    const findings = new Findings()
    const random = new Random(1)
    const outcomes = new Map<number | string, number>()
    const unserved: string[] = []
    const http = new Http(() => installation.url, findings, random, {
      proxied: true,
      observe: (outcome, request) => {
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        if (outcome === 502 || outcome === 504) unserved.push(`${request}: ${outcome}`)
      },
    })
    const operator = await operatorKeys(installation)
    const database = new Database(installation.data)
    const world: World = { http, random, receiver, operator, findings, database, clock: { moved_s: 0 } }
    const writers = await Promise.all(writerKinds.map((kind) => kind.open(world)))
    return new Trial(installation, options, world, writers, await Audit.open(world, installation), {
      outcomes,
      unserved,
    })
  }

  private constructor(
    installation: Installation,
    options: DrillOptions,
    world: World,
    writers: readonly Writer[],
    audit: Audit,
    { outcomes, unserved }: { outcomes: Map<number | string, number>; unserved: string[] },
  ) {
    this.#installation = installation
    this.#options = options
    this.#world = world
    this.#writers = writers
    this.#audit = audit
    this.#outcomes = outcomes
    this.#unserved = unserved
  }

  /** The processes to replace: in the short form the first of each role. */
  get #replaceable(): Installation['members'] {
    const { members } = this.#installation
    return this.#options.short ? members.filter(({ name }) => name.endsWith('1')) : members
  }

  /** Kills them in turn. */
  async kills(): Promise<DrillResult> {
    const deadline = performance.now() + (this.#options.short ? 0 : long_ms)
    let kills = 0
    const figures = await this.#underLoad(async () => {
      do
        for (const member of this.#replaceable) {
          await this.#replaced(member, 'SIGKILL')
          kills++
        }
      while (performance.now() < deadline)
    })
    return this.#result({
      component: 'HAProxy',
      version: proxyVersion(),
      tried: `${this.#processes} under load, ${kills} times one was killed (SIGKILL) and replaced`,
      figures,
      unexpected: [],
    })
  }

  /** "3 API processes and 2 workers" */
  get #processes(): string {
    const { apis, workers } = counts[this.#options.short ? 'short' : 'long']
    return `${apis} API processes and ${workers} worker${workers === 1 ? '' : 's'}`
  }

  /**
   * Replaces the processes by the next release, which expands the tables. In the long form, then by the one after it, which
   * contracts them.
   */
  async upgrades(): Promise<DrillResult> {
    const { folder, members } = this.#installation
    const { expand, contract } = await expandAndContract(this.#world.database)
    const next = laterRelease(folder, '9.1.0', expand)
    const last = laterRelease(folder, '9.2.0', [...expand, ...contract])
    this.#outcomes.clear()
    this.#unserved.length = 0
    const { short } = this.#options
    const figures = await this.#underLoad(async () => {
      const [first] = members
      for (const member of this.#replaceable) {
        await this.#replaced(member, 'SIGTERM', next)
        // a process of the old release restarts on the new tables
        const old = short ? members.find(({ name }) => name === 'api2') : members.at(-1)
        // a killed API process would lose the requests that it was serving
        if (member === first && old !== undefined) await this.#replaced(old, short ? 'SIGTERM' : 'SIGKILL')
      }
      if (!short) for (const member of members) await this.#replaced(member, 'SIGTERM', last)
    })
    return this.#result({
      component: 'Demarc',
      version: short ? 'this release and a later one' : 'this release and two later ones',
      tried: `${this.#processes} upgraded in turn under load to a release that adds columns and a constraint to every table${short ? '' : ', and to one that drops them'}`,
      figures,
      unexpected: this.#unserved,
    })
  }

  async #replaced(...[member, by, release]: Parameters<Installation['replace']>): Promise<void> {
    const began = performance.now()
    await this.#installation.replace(member, by, release)
    this.#options.log(`${member.name} replaced after ${by} in ${Math.round(performance.now() - began)} ms`)
    await sleep(settle_ms[this.#options.short ? 'short' : 'long'])
  }

  /** Runs the load meanwhile, and compares afterward. */
  async #underLoad(work: () => Promise<void>): Promise<DrillResult['figures']> {
    const world = this.#world
    const meter = await Meter.open(world, this.#installation.url)
    const load = new Load(this.#writers, pause_ms[this.#options.short ? 'short' : 'long'])
    try {
      await work()
    } finally {
      load.halt()
      await meter.stop(world.findings)
    }
    await load.stop()
    await quiet(world, this.#installation)
    for (const each of this.#writers) await each.count(world.findings)
    await this.#audit.check()
    for (const finding of world.findings.all) this.#options.log(finding)
    this.#options.log(`requests of the writers by outcome: ${JSON.stringify([...this.#outcomes])}`)
    return [...meter.figures(), { name: 'Changes and exports of other clients', value: changesOf(world.http) }]
  }

  #result({ unexpected, ...tried }: Omit<DrillResult, 'ok' | 'result'> & { unexpected: string[] }): DrillResult {
    const { lost, doubled, all } = this.#world.findings
    const wrong = [...all, ...unexpected]
    const result =
      wrong.length === 0
        ? 'Nothing was lost or doubled.'
        : `Lost ${lost.length}, doubled ${doubled.length}: ${wrong.slice(0, findings_max).join('; ')}`
    return { ...tried, result, ok: wrong.length === 0 }
  }
}

function changesOf({ tallies }: Http): string {
  const sum = (member: keyof Tally) => [...tallies.values()].reduce((total, tally) => total + tally[member], 0)
  return `${sum('done')} acknowledged, ${sum('repeated')} of them after a retry with their key; ${sum('refused')} refused, ${sum('unknown')} of unknown outcome`
}
