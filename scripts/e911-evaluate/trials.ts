import {
  type Alternative,
  alternativeAddress,
  type CanonicalAddress,
  canonicalKey,
  HIGHEST_NUMBER,
  type Outcome,
  type Validator,
} from '../../server/src/engines/addresses/index.ts'
import { checkFields } from '../../server/src/e911/rules.ts'
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

/** A change to a true address, and the required outcome. */
interface Trial {
  wanted: 'accepted' | 'found again' | 'refused'
  /** The least share of addresses with that outcome; 0 where it depends on the coverage of the data. */
  least: number
  /** Undefined where it does not apply to this address. */
  change(address: TrueAddress, random: Random): TrueAddress | undefined
}

const onStreet =
  (change: (text: string, place: TrueAddress, random: Random) => string | undefined): Trial['change'] =>
  (address, random) => {
    const street = change(address.street, address, random)
    return street === undefined ? undefined : { ...address, street }
  }

export const TRIALS = {
  'correct address': { wanted: 'accepted', least: 1, change: (address) => address },
  'other style': { wanted: 'accepted', least: 0.999, change: onStreet(restyled) },
  'one-letter typo in the name': { wanted: 'found again', least: 0.97, change: onStreet(withTypo) },
  'one-letter typo in suffix or directional': {
    wanted: 'found again',
    least: 0.97,
    change: onStreet(withTypoBesidesName),
  },
  'wrong suffix': { wanted: 'found again', least: 0.99, change: onStreet(withOtherType) },
  'missing suffix': { wanted: 'found again', least: 0.99, change: onStreet(withoutType) },
  'missing directional': { wanted: 'found again', least: 0.97, change: onStreet(withoutDirection) },
  'impossible number': {
    wanted: 'refused',
    least: 1,
    change: (address, random) => ({ ...address, number: HIGHEST_NUMBER - random.below(1_000_000) }),
  },
  'city with a typo': {
    wanted: 'found again',
    least: 0.99,
    change: (address, random) => {
      const city = cityWithTypo(address.city, random)
      return city === undefined ? undefined : { ...address, city }
    },
  },
  'postal code with a typo': {
    wanted: 'found again',
    least: 0,
    change: (address, random) => (address.own_zip ? { ...address, zip: codeWithTypo(address.zip, random) } : undefined),
  },
} as const satisfies Record<string, Trial>

export type TrialName = keyof typeof TRIALS

export function trialNames(): TrialName[] {
  return Object.keys(TRIALS).filter((name): name is TrialName => name in TRIALS)
}

export interface Result {
  trials: number
  /** Those with the required outcome. */
  good: number
  /** In neither: the changed address has the same canonical form. */
  unchanged: number
  /** In neither: the changed address is another one of the data, by its number or a range. */
  another: number
  milliseconds: number[]
  misses: Miss[]
}

export interface Miss {
  truth: string
  sent: string
  outcome: string
}

/** Every alternative that was offered, resubmitted once. */
export interface Closure {
  resubmitted: number
  refused: Miss[]
  /** With another house number than the sent one. */
  invented: Miss[]
}

export function closure(): Closure {
  return { resubmitted: 0, refused: [], invented: [] }
}

const MISSES_MAX = 1_000

/** Runs one kind of trial over all addresses, one after the other. Every alternative that is offered is resubmitted. */
export async function runTrials(
  name: TrialName,
  truths: readonly TrueAddress[],
  validator: Validator,
  random: Random,
  closed: Closure,
): Promise<Result> {
  const trial: Trial = TRIALS[name]
  const result: Result = { trials: 0, good: 0, unchanged: 0, another: 0, milliseconds: [], misses: [] }
  const seen = new Set<string>()
  for (const truth of truths) {
    const changed = trial.change(truth, random)
    if (!changed) continue
    const miss = (outcome: string): void => {
      result.trials++
      if (result.misses.length < MISSES_MAX) result.misses.push({ truth: shown(truth), sent: shown(changed), outcome })
    }
    const [original, sent] = [read(truth), read(changed)]
    if (typeof sent === 'string') {
      miss(sent)
      continue
    }
    if (typeof original === 'string') {
      miss(`the true address itself: ${original}`)
      continue
    }
    const wantedKey = canonicalKey(original)
    const noChange = trial.wanted === 'found again' && canonicalKey(sent) === wantedKey
    const started = performance.now()
    const outcome = await validator.validate(sent)
    result.milliseconds.push(performance.now() - started)
    if (outcome.kind === 'correct') await resubmit(outcome, sent, validator, closed, seen)
    const classified = noChange ? 'unchanged' : classify(trial, outcome, sent, wantedKey)
    if (classified === 'unchanged' || classified === 'another') result[classified]++
    else if (classified === 'miss') miss(outcomeText(outcome))
    else {
      result.trials++
      result.good++
    }
  }
  return result
}

function classify(
  trial: Trial,
  outcome: Outcome,
  sent: CanonicalAddress,
  wantedKey: string,
): 'good' | 'miss' | 'another' {
  switch (trial.wanted) {
    case 'accepted':
      return outcome.kind === 'ok' && outcome.level !== 'postal' && outcome.key === wantedKey ? 'good' : 'miss'
    case 'refused':
      return outcome.kind === 'not_geocodable' ? 'good' : 'miss'
    case 'found again': {
      if (outcome.kind === 'ok' && outcome.key === wantedKey) return 'good'
      if (outcome.kind === 'ok') return outcome.level === 'range' || outcome.level === 'address' ? 'another' : 'miss'
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
  closed: Closure,
  seen: Set<string>,
): Promise<void> {
  for (const alternative of outcome.alternatives) {
    const miss = (outcome: string): Miss => ({ truth: '', sent: JSON.stringify(alternative), outcome })
    if (alternative.street_number !== sent.number.text) closed.invented.push(miss(`sent ${sent.number.text}`))
    const id = `${canonicalKey(alternativeAddress(alternative, sent))}|${alternative.country}`
    if (seen.has(id)) continue
    seen.add(id)
    closed.resubmitted++
    const address = throughFieldRules(alternative)
    if (typeof address === 'string') {
      closed.refused.push(miss(address))
      continue
    }
    const again = await validator.validate(address)
    if (again.kind !== 'ok') closed.refused.push(miss(outcomeText(again)))
  }
}

function read({ number, street, ...place }: TrueAddress): CanonicalAddress | string {
  const { country, state, zip, city } = place
  return throughFieldRules({ street_number: String(number), street_name: street, country, state, zip, city })
}

/** The address as the API parses it, or the errors of its field rules, which refuse it before any validator. */
function throughFieldRules(address: Alternative): CanonicalAddress | string {
  const checked = checkFields({ ...address, label: 'Evaluated', first_name: 'Ada', last_name: 'Byron' })
  return checked.ok ? checked.address : JSON.stringify(checked.fields)
}

function shown({ number, street, city, state, zip }: TrueAddress): string {
  return `${number} ${street}, ${city} ${state} ${zip}`
}

function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'ok':
      return `accepted (${outcome.level})`
    case 'correct':
      return outcome.alternatives
        .map(({ street_name, city, state, zip }) => `${street_name}, ${city} ${state} ${zip}`)
        .join(' | ')
    default:
      return outcome.reason
  }
}
