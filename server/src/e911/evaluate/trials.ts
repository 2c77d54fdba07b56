import { alternativeAddress, canonicalAddress, canonicalKey, type CanonicalAddress } from '../address.ts'
import { HIGHEST_NUMBER, parseHouseNumber } from '../normalise/number.ts'
import type { Outcome, Validator } from '../validators/validator.ts'
import {
  cityWithTypo,
  codeWithTypo,
  restyled,
  withOtherType,
  withoutDirection,
  withoutType,
  withTypo,
  withTypoBesidesName,
} from './corrupt.ts'
import type { Random } from './random.ts'
import type { TrueAddress } from './sample.ts'

/** What is done to a true address, and what has to come of it. */
interface Trial {
  wanted: 'accepted' | 'found again' | 'refused'
  /** Undefined where it cannot be done to this address. */
  change(address: TrueAddress, random: Random): TrueAddress | undefined
}

const onStreet =
  (change: (text: string, place: TrueAddress, random: Random) => string | undefined): Trial['change'] =>
  (address, random) => {
    const street = change(address.street, address, random)
    return street === undefined ? undefined : { ...address, street }
  }

export const TRIALS = {
  'correct address': { wanted: 'accepted', change: (address) => address },
  'other style': { wanted: 'accepted', change: onStreet(restyled) },
  'one-letter typo in the name': { wanted: 'found again', change: onStreet(withTypo) },
  'one-letter typo in suffix or directional': { wanted: 'found again', change: onStreet(withTypoBesidesName) },
  'wrong suffix': { wanted: 'found again', change: onStreet(withOtherType) },
  'missing suffix': { wanted: 'found again', change: onStreet(withoutType) },
  'missing directional': { wanted: 'found again', change: onStreet(withoutDirection) },
  'impossible number': {
    wanted: 'refused',
    change: (address, random) => ({ ...address, number: HIGHEST_NUMBER - random.below(1_000_000) }),
  },
  'city with a typo': {
    wanted: 'found again',
    change: (address, random) => {
      const city = cityWithTypo(address.city, random)
      return city === undefined ? undefined : { ...address, city }
    },
  },
  'postal code with a typo': {
    wanted: 'found again',
    change: (address, random) => (address.own_zip ? { ...address, zip: codeWithTypo(address.zip, random) } : undefined),
  },
} as const satisfies Record<string, Trial>

export type TrialName = keyof typeof TRIALS

export interface Result {
  trials: number
  /** Those that came out as wanted. */
  good: number
  /** Left out of both: the change made no difference, or made another address that the data has. */
  left_out: number
  milliseconds: number[]
  misses: Miss[]
}

export interface Miss {
  truth: string
  sent: string
  answer: string
}

export interface Closure {
  resubmitted: number
  refused: Miss[]
}

const MOST_MISSES = 1_000

/** Runs one kind of trial over all addresses, one after the other. Every alternative that is offered is sent back. */
export async function runTrials(
  name: TrialName,
  truths: readonly TrueAddress[],
  validator: Validator,
  random: Random,
  closure: Closure,
): Promise<Result> {
  const trial: Trial = TRIALS[name]
  const result: Result = { trials: 0, good: 0, left_out: 0, milliseconds: [], misses: [] }
  const seen = new Set<string>()
  for (const truth of truths) {
    const original = read(truth)
    const changed = trial.change(truth, random)
    if (!changed || !original) continue
    const sent = read(changed)
    if (!sent) continue
    const wantedKey = canonicalKey(original)
    const noChange = trial.wanted === 'found again' && canonicalKey(sent) === wantedKey
    const started = performance.now()
    const outcome = await validator.validate(sent)
    result.milliseconds.push(performance.now() - started)
    if (outcome.kind === 'correct') await resubmit(outcome, sent, validator, closure, seen)
    const verdict = noChange ? 'left out' : judge(trial, outcome, sent, wantedKey)
    if (verdict === 'left out') result.left_out++
    else {
      result.trials++
      if (verdict === 'good') result.good++
      else if (result.misses.length < MOST_MISSES)
        result.misses.push({ truth: shown(truth), sent: shown(changed), answer: answered(outcome) })
    }
  }
  return result
}

function judge(
  trial: Trial,
  outcome: Outcome,
  sent: CanonicalAddress,
  wantedKey: string,
): 'good' | 'miss' | 'left out' {
  switch (trial.wanted) {
    case 'accepted':
      return outcome.kind === 'ok' && outcome.level !== 'postal' && outcome.key === wantedKey ? 'good' : 'miss'
    case 'refused':
      return outcome.kind === 'not_geocodable' ? 'good' : 'miss'
    case 'found again': {
      if (outcome.kind === 'ok' && outcome.key === wantedKey) return 'good'
      if (outcome.kind === 'ok') return outcome.level === 'range' || outcome.level === 'address' ? 'left out' : 'miss'
      if (outcome.kind !== 'correct') return 'miss'
      const keys = outcome.alternatives.map((alternative) => canonicalKey(alternativeAddress(alternative, sent)))
      return keys.includes(wantedKey) ? 'good' : 'miss'
    }
  }
}

async function resubmit(
  outcome: Outcome & { kind: 'correct' },
  sent: CanonicalAddress,
  validator: Validator,
  closure: Closure,
  seen: Set<string>,
): Promise<void> {
  for (const alternative of outcome.alternatives) {
    const address = alternativeAddress(alternative, sent)
    const id = `${canonicalKey(address)}|${address.country}`
    if (seen.has(id)) continue
    seen.add(id)
    closure.resubmitted++
    const again = await validator.validate(address)
    if (again.kind !== 'ok')
      closure.refused.push({ truth: '', sent: JSON.stringify(alternative), answer: answered(again) })
  }
}

function read(address: TrueAddress): CanonicalAddress | undefined {
  const number = parseHouseNumber(address.number, address.country)
  return typeof number === 'string' ? undefined : canonicalAddress({ ...address, street_name: address.street, number })
}

function shown({ number, street, city, state, zip }: TrueAddress): string {
  return `${number} ${street}, ${city} ${state} ${zip}`
}

function answered(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'ok':
      return `accepted (${outcome.level})`
    case 'correct':
      return outcome.alternatives
        .map(({ street_name, city, state, zip }) => `${street_name}, ${city} ${state} ${zip}`)
        .join(' | ')
    default:
      return outcome.why
  }
}
