import {
  asCalled,
  asItSounds,
  changes,
  distance,
  type EditName,
  inventedName,
  restyled,
  roadNumber,
  UNITS,
  withTypo,
} from './mistakes.ts'
import {
  boxZip,
  isKnownNumber,
  NUMBER_CHANGES,
  type NumberChange,
  otherTown,
  otherZip,
  usesHyphens,
} from './number-trials.ts'
import type { Random } from './random.ts'
import { type Address, contains, type Source, type TrueAddress } from './source.ts'
import { isCountySpelling, streetKey, streetOf, streetWords, suffixSpellings, type StreetWords } from './street-text.ts'

/** The address to send instead of a true one; `ambiguous` if the source can't decide whether it is wrong or what it means. */
type Made = Address | 'ambiguous' | undefined

/** Success measures: accepted as sent; true address first, or among the corrections; field errors. */
export type Measure = 'accepted' | 'first' | 'any' | 'fields'

export interface Trial {
  /** The part of the address that is wrong, so that it must never be accepted. */
  wrong: 'number' | 'town' | 'zip' | 'street' | null
  wanted: Measure | 'refused'
  /** Whether it may also be accepted as sent, because both mean the same. */
  or_accepted?: boolean
  /**
   * Whether a number outside indicative ranges may be accepted at level `street`, which means that the number is unknown. False if
   * its form makes it a different number.
   */
  or_street?: boolean
  /** The share that `npm run e911:evaluate` requires; trials of a group are counted together. */
  least?: { share: number; group: string }
  make(address: TrueAddress, source: Source, random: Random): Made
}

const styled = { share: 0.995, group: 'restyled' }
const typos = { share: 0.99, group: 'one-letter typo' }

export const TRIALS = {
  correct: {
    wrong: null,
    wanted: 'accepted',
    least: { share: 0.995, group: 'correct' },
    make: (address) => address,
  },
  restyled: {
    wrong: null,
    wanted: 'accepted',
    least: styled,
    make: onStreet((text, random) => restyled(text, random)),
  },
  'county suffix in full': { wrong: null, wanted: 'accepted', least: styled, make: onStreet(withSuffixInFull) },
  'letter dropped': typo('dropped'),
  'letters swapped': typo('swapped'),
  'letter doubled': typo('doubled'),
  'letter replaced': typo('replaced'),
  'sound-alike': {
    wrong: null,
    wanted: 'any',
    least: { share: 0.95, group: 'sound-alike' },
    make: (address, source, random) => alike(address, source, asItSounds(address.street, random)),
  },
  'wrong suffix': { wrong: null, wanted: 'first', make: withWords(changes.otherSuffix, 'suffix') },
  'missing suffix': { wrong: null, wanted: 'first', or_accepted: true, make: withWords(changes.noSuffix, 'suffix') },
  'wrong directional': { wrong: null, wanted: 'first', make: withWords(changes.otherDirection, 'direction') },
  'missing directional': {
    wrong: null,
    wanted: 'first',
    or_accepted: true,
    make: withWords(changes.noDirection, 'direction'),
  },
  'as people call it': { wrong: null, wanted: 'any', or_accepted: true, make: called },
  'unit in the street': {
    wrong: null,
    wanted: 'fields',
    make: onStreet((text, random) => `${text} ${random.pick(UNITS) ?? ''}`),
  },
  'made-up street': {
    wrong: 'street',
    wanted: 'refused',
    make: onStreet((text, random) => streetOf({ ...streetWords(text), name: [inventedName(random)] })),
  },
  'wrong town': {
    wrong: 'town',
    wanted: 'any',
    least: { share: 0.99, group: 'wrong town corrected' },
    make: (address, source, random) => {
      const city = otherTown(address, source, random)
      const sent = city === undefined ? undefined : { ...address, city }
      return sent && source.hasInTown(sent) ? 'ambiguous' : sent
    },
  },
  'wrong ZIP of the county': { wrong: 'zip', wanted: 'any', make: withZip(otherZip) },
  'ZIP of post office boxes': { wrong: 'zip', wanted: 'any', make: withZip(boxZip) },
  'hyphen in the number': withNumber(NUMBER_CHANGES.hyphenated, 'refused'),
  'range as the number': withNumber(NUMBER_CHANGES.asRange, 'any'),
  'prefix added': withNumber(NUMBER_CHANGES.withPrefix, 'any'),
  'prefix left out': withNumber(NUMBER_CHANGES.withoutPrefix, 'any'),
  'letter added': { ...withNumber(NUMBER_CHANGES.withLetter, 'any'), or_street: true },
  'fraction added': { ...withNumber(NUMBER_CHANGES.withFraction, 'any'), or_street: true },
  'letter or fraction left out': withNumber(NUMBER_CHANGES.withoutEnd, 'any'),
  'number between points': { ...withNumber(NUMBER_CHANGES.between, 'refused'), or_street: true },
  'past the end': { ...withNumber(NUMBER_CHANGES.pastEnd, 'refused'), or_street: true },
  'far past the end': withNumber(NUMBER_CHANGES.farPastEnd, 'refused'),
  'wrong parity': { ...withNumber(NUMBER_CHANGES.otherParity, 'refused'), or_street: true },
} as const satisfies Record<string, Trial>

export type TrialName = keyof typeof TRIALS

export const trialNames = (): TrialName[] => Object.keys(TRIALS).filter((name): name is TrialName => name in TRIALS)

function onStreet(change: (street: string, random: Random) => string | undefined): Trial['make'] {
  return (address, _, random) => {
    const street = change(address.street, random)
    return street === undefined ? undefined : { ...address, street }
  }
}

function withSuffixInFull(street: string): string | undefined {
  const words = streetWords(street)
  if (!isCountySpelling(words.suffix)) return undefined
  return streetOf({ ...words, suffix: suffixSpellings(words.suffix)[1] ?? words.suffix })
}

function typo(kind: EditName): Trial {
  return {
    wrong: null,
    wanted: 'first',
    least: typos,
    make: (address, source, random) => alike(address, source, withTypo(address.street, kind, random)),
  }
}

/** Drops trials for which another street with the number is equally near. */
function alike(address: TrueAddress, source: Source, street: string | undefined): Made {
  if (street === undefined || streetKey(street) === streetKey(address.street)) return undefined
  const [key, own] = [streetKey(street), streetKey(address.street)]
  const off = distance(key, own, 4)
  for (const [other, rows] of source.streets)
    if (other !== own && distance(key, other, off) <= off)
      if (rows.some((row) => contains(row, address.number) && source.isNear(row, address))) return 'ambiguous'
  return { ...address, street }
}

/** Drops trials for which another street with the number differs only in the changed word. */
function withWords(
  change: (words: StreetWords, random: Random) => StreetWords | undefined,
  ignored: 'suffix' | 'direction',
): Trial['make'] {
  const rest = (street: string) => {
    const words = streetWords(street)
    const kept = ignored === 'suffix' ? { ...words, suffix: '' } : { ...words, pre: '', post: '' }
    return streetKey(streetOf(kept))
  }
  return (address, source, random) => {
    const changed = change(streetWords(address.street), random)
    if (changed === undefined) return undefined
    const [own, same] = [streetKey(address.street), rest(address.street)]
    for (const [key, rows] of source.streets)
      if (key !== own && rest(rows[0]?.street ?? '') === same)
        if (rows.some((row) => contains(row, address.number) && source.isNear(row, address))) return 'ambiguous'
    return { ...address, street: streetOf(changed) }
  }
}

function called(address: TrueAddress, source: Source, random: Random): Made {
  const street = asCalled(address.street, random)
  if (street === undefined || streetKey(street) === streetKey(address.street)) return undefined
  const [own, road] = [streetKey(address.street), roadNumber(address.street)]
  const others = [...source.streets].filter(([key, rows]) => key !== own && roadNumber(rows[0]?.street ?? '') === road)
  const hasConflict = others.some(([, rows]) =>
    rows.some((row) => contains(row, address.number) && source.isNear(row, address)),
  )
  return road !== undefined && hasConflict ? 'ambiguous' : { ...address, street }
}

function withZip(choose: (address: TrueAddress, source: Source, random: Random) => string | undefined): Trial['make'] {
  return (address, source, random) => {
    const zip = choose(address, source, random)
    const sent = zip === undefined ? undefined : { ...address, zip }
    return sent && source.hasUnderCode(sent) ? 'ambiguous' : sent
  }
}

/** Drops trials whose changed number is also in the source. */
function withNumber(change: NumberChange, wanted: Trial['wanted']): Trial {
  return {
    wrong: 'number',
    wanted,
    make: (address, source, random) => {
      const number = change(address, source, random)
      if (number === undefined) return undefined
      const isHyphenated = number.includes('-') && usesHyphens(address, source)
      return isHyphenated || isKnownNumber(address, number, source) ? 'ambiguous' : { ...address, number }
    },
  }
}
