import { Random } from './random.ts'
import { type Corrected, type EvaluatedService, fieldsOf, levelOf, type Outcome, validate } from './service.ts'
import type { Address, Source, TrueAddress } from './source.ts'
import { numberKey, streetKey, townKey } from './street-text.ts'
import { type Trial, type TrialName, TRIALS, trialNames } from './trials.ts'

export interface Example {
  truth: string
  sent: string
  outcome: string
}

/** Counts for one kind of trial. */
export interface Result {
  name: TrialName
  sent: number
  /** Trials that the source cannot decide. */
  dropped: number
  /** Accepted at a level that claims no more than the source contains. */
  undecided: number
  accepted: number
  /** The true address was the first alternative, or any of them. */
  first: number
  any: number
  /** Refused with field errors. */
  fields: number
  false_accepts: number
  false_examples: Example[]
  misses: Example[]
}

/** Results of resubmitting every distinct alternative once. */
export interface Closure {
  sent: number
  refused: number
  examples: Example[]
}

export interface Evaluation {
  addresses: number
  results: Result[]
  closure: Closure
  latency_ms: { p50: number; p99: number }
}

export interface EvaluateOptions {
  addresses: number
  seed: number
  /** Examples to keep of each kind. */
  examples: number
  /** The level that the service requires. */
  min_level?: string | undefined
  /** Whether the source may have gaps. */
  is_indicative: boolean
  only?: readonly TrialName[]
}

/** Sends true and altered addresses of a source to a service that has it loaded, and counts the outcomes. */
export async function evaluate(
  service: EvaluatedService,
  source: Source,
  options: EvaluateOptions,
): Promise<Evaluation> {
  const addresses = source.sample(options.addresses, new Random(options.seed))
  const run = new Run(service, source, options)
  const results: Result[] = []
  for (const name of options.only ?? trialNames()) results.push(await run.trial(name, addresses))
  return { addresses: addresses.length, results, closure: run.closure, latency_ms: run.latency() }
}

class Run {
  readonly closure: Closure = { sent: 0, refused: 0, examples: [] }
  readonly #service: EvaluatedService
  readonly #source: Source
  readonly #options: EvaluateOptions
  readonly #milliseconds: number[] = []
  readonly #resent = new Set<string>()

  constructor(service: EvaluatedService, source: Source, options: EvaluateOptions) {
    this.#service = service
    this.#source = source
    this.#options = options
  }

  async trial(name: TrialName, addresses: readonly TrueAddress[]): Promise<Result> {
    const trial: Trial = TRIALS[name]
    const random = new Random(this.#options.seed + 1)
    const result: Result = {
      name,
      sent: 0,
      dropped: 0,
      undecided: 0,
      accepted: 0,
      first: 0,
      any: 0,
      fields: 0,
      false_accepts: 0,
      false_examples: [],
      misses: [],
    }
    for (const truth of addresses) {
      const sent = trial.make(truth, this.#source, random)
      if (sent === 'ambiguous') result.dropped++
      else if (sent !== undefined && fits(sent)) await this.#send(trial, truth, sent, result)
    }
    return result
  }

  async #send(trial: Trial, truth: TrueAddress, sent: Address, result: Result): Promise<void> {
    const started = performance.now()
    const outcome = await validate(this.#service, sent)
    this.#milliseconds.push(performance.now() - started)
    result.sent++
    if (outcome.kind === 'corrected') await this.#sendBack(outcome.alternatives)
    const good = this.#count(outcome, truth, result)
    if (outcome.kind === 'accepted' && trial.wrong !== null) await this.#falseAccept(trial, truth, sent, result)
    else if (
      !good.has(trial.wanted) &&
      !(trial.or_accepted && good.has('accepted')) &&
      result.misses.length < this.#options.examples
    )
      result.misses.push(example(truth, sent, textOf(outcome)))
  }

  /** Counts an outcome and returns the measures that it satisfies. */
  #count(outcome: Outcome, truth: TrueAddress, result: Result): ReadonlySet<Trial['wanted']> {
    switch (outcome.kind) {
      case 'accepted':
        result.accepted++
        return new Set(['accepted'])
      case 'fields':
        result.fields++
        return new Set(['fields', 'refused'])
      case 'refused':
        return new Set(['refused'])
      case 'corrected': {
        const at = outcome.alternatives.findIndex((one) => this.#isTruth(one, truth))
        if (at < 0) return new Set(['refused'])
        result.any++
        if (at > 0) return new Set(['any', 'refused'])
        result.first++
        return new Set(['first', 'any', 'refused'])
      }
    }
  }

  /** Counts a false accept, unless its level says that the number, or the whole street, is unknown. */
  async #falseAccept(trial: Trial, truth: TrueAddress, sent: Address, result: Result): Promise<void> {
    const { source, options } = { source: this.#source, options: this.#options }
    const may_be_street =
      trial.or_street === true &&
      (['postal', 'street'].includes(options.min_level ?? '') || (options.is_indicative && !source.has_points))
    const may_be_postal = !source.speaksFor(sent.zip)
    const is_kept = result.false_examples.length < options.examples
    const level = may_be_street || may_be_postal || is_kept ? await levelOf(this.#service, sent) : null
    if ((may_be_street && level === 'street') || (may_be_postal && level === 'postal')) {
      result.undecided++
      return
    }
    result.false_accepts++
    if (is_kept) result.false_examples.push(example(truth, sent, `accepted${level === null ? '' : `, level ${level}`}`))
  }

  async #sendBack(alternatives: readonly Corrected[]): Promise<void> {
    for (const alternative of alternatives) {
      const id = JSON.stringify(alternative)
      if (this.#resent.has(id)) continue
      this.#resent.add(id)
      this.closure.sent++
      const outcome = await validate(this.#service, alternative)
      if (outcome.kind === 'accepted') continue
      this.closure.refused++
      if (this.closure.examples.length < this.#options.examples)
        this.closure.examples.push({ truth: '', sent: shown(alternative), outcome: textOf(outcome) })
    }
  }

  /** Compares field by field as text. The town may have any of its names; the code is compared if the source has one. */
  #isTruth(one: Corrected, truth: TrueAddress): boolean {
    const towns = [truth.city, ...this.#source.townsOf(truth.row)].map(townKey)
    return (
      numberKey(one.street_number) === numberKey(truth.number) &&
      streetKey(one.street_name) === streetKey(truth.street) &&
      towns.includes(townKey(one.city)) &&
      (truth.row.zip === '' || one.zip.slice(0, truth.zip.length) === truth.zip)
    )
  }

  latency(): { p50: number; p99: number } {
    const sorted = this.#milliseconds.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
    return { p50: at(0.5), p99: at(0.99) }
  }
}

/** Longer texts are refused for their length alone. */
const fits = ({ street, city }: Address) => street.length <= 60 && city.length <= 32

function example(truth: Address, sent: Address, outcome: string): Example {
  return { truth: shown(fieldsOf(truth)), sent: shown(fieldsOf(sent)), outcome }
}

const shown = ({ street_number, street_name, city, state, zip }: Corrected) =>
  `${street_number} ${street_name}, ${city} ${state} ${zip}`

function textOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'accepted':
      return 'accepted'
    case 'fields':
      return `fields ${outcome.names.join(', ')}`
    case 'refused':
      return outcome.reason
    case 'corrected':
      return outcome.alternatives.map(shown).join(' | ')
  }
}
