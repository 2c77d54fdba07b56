import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../fuzz/random.ts'
import { recovery, type FaultRow as Row } from '../reliability/results.ts'
import type { Probe } from './probe.ts'
import { victims, type Service, type Victim } from './service.ts'
import { hang_ms, until } from '../support/until.ts'

/** A fault, and how long the service took to recover from it. */

const signals = ['SIGKILL', 'SIGSTOP'] as const

export interface Disruption {
  signal: (typeof signals)[number]
  victim: Victim
  /** `start`: while the service starts. `recovery`: within a second of the previous fault. */
  phase: 'running' | 'start' | 'recovery'
}

/** Related disruptions: each one after the first hits while the service recovers from the previous one. */
type Episode = readonly Disruption[]

/** Faults between two counts. */
export const round_size = 20

const running = (signal: Disruption['signal'], victim: Victim): Disruption => ({ signal, victim, phase: 'running' })
const later = (phase: Disruption['phase'], nth: number): Disruption => ({
  signal: signals[Math.floor(nth / victims.length) % signals.length] ?? 'SIGKILL',
  victim: victims[nth % victims.length] ?? 'api',
  phase,
})
const recovering = ['backend', 'postmaster', 'worker', 'engine'] as const

/**
 * Twenty faults in a new order each round: every victim killed once and stopped once, two faults during a start, and two during
 * a recovery. Twelve rounds apply these last two kinds to every victim twice, with both signals.
 */
export function roundOf(nth: number, random: Random): Episode[] {
  const pairs = [0, 1].flatMap((half): Episode[] => [
    [running('SIGKILL', half === 0 ? 'api' : 'group'), later('start', 2 * nth + half)],
    [
      running('SIGKILL', recovering[(2 * nth + half) % recovering.length] ?? 'backend'),
      later('recovery', 2 * nth + half + victims.length - 1),
    ],
  ])
  return shuffled(
    [...victims.flatMap((victim) => signals.map((signal) => [running(signal, victim)])), ...pairs],
    random,
  )
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  return list
    .map((each) => ({ each, rank: random.next() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ each }) => each)
}

const places = {
  api: 'the API',
  worker: 'the worker',
  engine: 'the call-record engine',
  postmaster: 'the database server',
  backend: 'a database backend',
  group: 'all processes',
} as const satisfies Record<Victim, string>
const phases = { running: '', start: ' during a start', recovery: ' during a recovery' } as const

export const nameOf = ({ signal, victim, phase }: Disruption): string =>
  `${signal} of ${places[victim]}${phases[phase]}`

export interface Timing {
  /** Longest time a process stays stopped. */
  stop_max_ms: number
  /** Latest time after a start begins that its fault hits. */
  start_ms: number
}

/** Earliest time a supervisor restarts the service. */
const restart_pause_ms = 500
const recovery_pause_ms = 1_000

export class Disruptions {
  readonly #service: Service
  readonly #probe: Probe
  readonly #random: Random
  readonly #times: Timing
  readonly #tallies = new Map<string, { tries: number; times_ms: number[] }>()

  constructor(service: Service, probe: Probe, random: Random, times: Timing) {
    this.#service = service
    this.#probe = probe
    this.#random = random
    this.#times = times
  }

  /** Injects the faults of one episode and waits until the service has recovered. Returns the last recovery time in ms. */
  async inflict(episode: Episode): Promise<number> {
    let began_at = 0
    let stopped: Promise<number> = Promise.resolve(0)
    for (const disruption of episode) {
      if (disruption.phase === 'start') await sleep(this.#random.below(this.#times.start_ms))
      if (disruption.phase === 'recovery') await sleep(this.#random.below(recovery_pause_ms))
      const done = await this.#one(disruption)
      began_at = done.began_at
      stopped = done.goes_on
      this.#tally(disruption).tries++
    }
    const last = episode.at(-1)
    if (last === undefined) throw new Error('an episode without a fault')
    const [served_at, going_on_at] = await Promise.all([this.#served(last.victim), stopped])
    // whatever was served while a process was stopped did not need that process
    const took_ms = served_at - (going_on_at > 0 && served_at > going_on_at ? going_on_at : began_at)
    this.#tally(last).times_ms.push(took_ms)
    return took_ms
  }

  rows(counts: { lost: number; doubled: number }): Row[] {
    return [...this.#tallies]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([name, { tries, times_ms }]) => ({ fault: name, tries, ...counts, recovery_ms: recovery(times_ms) }))
  }

  async #one({ signal, victim }: Disruption): Promise<{ began_at: number; goes_on: Promise<number> }> {
    const service = this.#service
    const targets = await this.#targets(victim)
    const began_at = performance.now()
    if (signal === 'SIGSTOP') {
      const stop_ms = 1000 + this.#random.below(this.#times.stop_max_ms - 1000)
      return { began_at, goes_on: service.stopFor(targets, stop_ms).then(() => performance.now()) }
    }
    const ends = targets.includes(service.pid)
    service.kill(targets)
    if (ends) {
      await until('the main process to end', hang_ms, () => service.ended)
      await sleep(this.#random.below(restart_pause_ms))
      service.spawn()
    }
    return { began_at, goes_on: Promise.resolve(0) }
  }

  /** The processes to hit; waits for a process that is starting. */
  async #targets(victim: Victim): Promise<number[]> {
    let found: number[] = []
    await until(`a process: ${victim}`, hang_ms, () => {
      this.#service.assertOwnWill()
      found = this.#service.pidsOf(victim)
      return found.length > 0
    })
    return victim === 'backend' ? [this.#random.pick(found)] : found
  }

  async #served(victim: Victim): Promise<number> {
    const [at] = await Promise.all([this.#probe.served(victim), this.#service.ready()])
    return at
  }

  #tally(disruption: Disruption) {
    const name = nameOf(disruption)
    const tally = this.#tallies.get(name) ?? { tries: 0, times_ms: [] }
    this.#tallies.set(name, tally)
    return tally
  }
}
