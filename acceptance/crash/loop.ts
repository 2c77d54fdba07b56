import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../fuzz/random.ts'
import type { FaultRow as Row } from '../reliability/results.ts'
import type { Keys } from '../support/service.ts'
import { Audit } from './audit.ts'
import { Database } from '../support/database.ts'
import { Disruptions, nameOf, roundOf, round_size, type Timing } from './disruptions.ts'
import { Findings } from './findings.ts'
import { Http, type OperationName, type Tally } from './http.ts'
import { isObject, text } from './json.ts'
import { Probe } from './probe.ts'
import { quiet } from './quiet.ts'
import { Receiver } from './receiver.ts'
import { Service } from './service.ts'
import type { World, Writer } from './world.ts'
import { writerKinds } from './writers/index.ts'

/** Alternates disruptions, writers, and counts. */

export interface LoopOptions extends Timing {
  seed: number
  /** Number of faults. A round counts everything after `round_size` faults, and after the last one. */
  count: number
  /** Whether the last round continues until every writer operation has been acknowledged. */
  use_all: boolean
  /** No round begins after this long. */
  minutes_max: number
  /** Pause between two requests of one writer. */
  pause_ms: number
  /** Receives one line per expected event. */
  report(line: string): void
}

export interface LoopResult {
  findings: Findings
  rows: Row[]
  tallies: ReadonlyMap<OperationName, Tally>
  /** Sentences about the run. */
  remarks: string[]
}

const settling_ms = 1_000
/** How long a round without faults waits for operations that were not used, and how many such rounds there are at most. */
const use_ms = 20_000
const extra_rounds_max = 10
const poll_ms = 50
/** How many findings a result lists. */
const remarks_max = 20

/**
 * Runs until all faults were injected or a count found an error. Leaves no process behind, and no files unless there was an
 * error.
 */
export async function crashLoop(options: LoopOptions): Promise<LoopResult> {
  const service = await Service.open()
  const receiver = await Receiver.open()
  const findings = new Findings()
  // separate from the fault generator, whose order must not depend on how many requests a writer sends
  const random = new Random(options.seed + 1)
  const http = new Http(() => service.base_url, findings, random)
  let passed = false
  try {
    service.spawn()
    await service.ready()
    const operator = await operatorKeys(service)
    const database = new Database(service.data)
    const world: World = { http, random, receiver, operator, findings, database, clock: { moved_s: 0 } }
    const result = await rounds(world, service, options)
    passed = findings.all.length === 0
    return result
  } finally {
    http.close()
    receiver.close()
    await service.end()
    if (passed) await service.remove()
    else options.report(`what the service left is in ${service.folder}`)
  }
}

async function rounds(world: World, service: Service, options: LoopOptions): Promise<LoopResult> {
  const { findings, http } = world
  const random = new Random(options.seed)
  const probe = await Probe.open(world)
  const writers = await Promise.all(writerKinds.map((kind) => kind.open(world)))
  const audit = await Audit.open(world, service)
  const disruptions = new Disruptions(service, probe, random, options)
  const deadline = performance.now() + options.minutes_max * 60_000
  let done = 0
  let extra_rounds = 0
  const lacks = () => options.use_all && extra_rounds < extra_rounds_max && unused(http.tallies).length > 0
  const goes_on = () => (done < options.count || lacks()) && performance.now() < deadline && findings.all.length === 0
  for (let nth = 0; goes_on(); nth++) {
    const load = new Load(writers, options.pause_ms)
    try {
      for (const episode of roundOf(nth, random)) {
        if (done >= options.count) break
        const names = episode.map(nameOf).join(', then ')
        const took_ms = await disruptions.inflict(episode)
        done += episode.length
        options.report(`${done}: ${names}: served after ${Math.round(took_ms)} ms`)
      }
      if (options.use_all && done >= options.count) {
        await allUsed(http.tallies)
        extra_rounds += 1
      }
    } finally {
      load.halt()
    }
    const began = performance.now()
    await load.stop()
    await quiet(world, service)
    for (const each of [...writers, probe]) await each.count(findings)
    await audit.check()
    options.report(
      `counted after ${done} faults in ${Math.round(performance.now() - began)} ms: ${findings.all.length} findings`,
    )
  }
  const counts = { lost: findings.lost.length, doubled: findings.doubled.length }
  const remarks = [
    `${done} faults, ${service.starts} starts, seed ${options.seed}.`,
    ...requestRemarks(http.tallies),
    `${world.receiver.count} callbacks were received, and ${audit.events} events of the audit log checked.`,
    ...findings.all.slice(0, remarks_max),
  ]
  return { findings, rows: disruptions.rows(counts), tallies: http.tallies, remarks }
}

/**
 * Resolves when every writer operation has been acknowledged, or after `use_ms`: writers pick operations at random, and a short run
 * may end before picking one. After a request of unknown outcome, some writers avoid an operation until the next count.
 * Operations that are never acknowledged show in the tallies.
 */
async function allUsed(tallies: ReadonlyMap<OperationName, Tally>): Promise<void> {
  const deadline = performance.now() + use_ms
  while (unused(tallies).length > 0 && performance.now() < deadline) await sleep(poll_ms)
}

/** Writer operations that were never acknowledged. */
export const unused = (tallies: ReadonlyMap<OperationName, Tally>): OperationName[] =>
  writerKinds.flatMap((kind) => kind.operations).filter((operation) => (tallies.get(operation)?.done ?? 0) === 0)

function requestRemarks(tallies: ReadonlyMap<OperationName, Tally>): string[] {
  const sum = (member: keyof Tally) => [...tallies.values()].reduce((total, tally) => total + tally[member], 0)
  return [
    `${sum('sent')} requests: ${sum('done')} acknowledged, ${sum('refused')} refused, ${sum('unknown')} of unknown outcome.`,
    `${sum('repeated')} of the acknowledged requests had been retried with their Idempotency-Keys.`,
  ]
}

/** The running writers. */
export class Load {
  #stopped = false
  readonly #running: Promise<unknown>

  constructor(writers: readonly Writer[], pause_ms: number) {
    this.#running = Promise.all(writers.map((writer) => this.#run(writer, pause_ms)))
    // stop() throws the failure
    this.#running.catch(() => undefined)
  }

  /** Writers start no further requests. */
  halt(): void {
    this.#stopped = true
  }

  /** Lets each writer finish its request. */
  async stop(): Promise<void> {
    this.halt()
    await this.#running
    // requests cut off on this side have ended on the other
    await sleep(settling_ms)
  }

  async #run(writer: Writer, pause_ms: number): Promise<void> {
    while (!this.#stopped) {
      await writer.step()
      await sleep(pause_ms)
    }
  }
}

export async function operatorKeys({ data }: Pick<Service, 'data'>): Promise<Keys> {
  const demo: unknown = JSON.parse(await readFile(path.join(data, 'demo.json'), 'utf8'))
  const keys = isObject(demo) ? demo['operator'] : undefined
  if (!isObject(keys)) throw new Error('demo.json names no operator')
  return { access_key: text(keys['access_key']), secret_key: text(keys['secret_key']) }
}

/** Number of faults, rounded so that they end with a count. */
export const rounded = (count: number): number => Math.ceil(count / round_size) * round_size
