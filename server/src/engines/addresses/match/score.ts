import { readings, type StreetPlace } from '../normalize/street.ts'
import { handlesOf } from './aliases.ts'
import { lettersIn } from './edits.ts'
import { aliasLikeness, isDistinctive, nameLikeness, nameOf, oneChange, type Name } from './names.ts'
import { soundOf } from './sound.ts'
import { repairs } from './repairs.ts'

/** Costs of differences besides the name, subtracted from 1, the likeness of equal streets. */
const COST = {
  wrong_type: 0.08,
  missing_type: 0.04,
  surplus_type: 0.06,
  contrary_direction: 0.12,
  missing_direction: 0.04,
  surplus_direction: 0.06,
  misplaced_direction: 0.02,
  /** An error in a word outside the name. */
  repair: 0.1,
} as const

/** Two streets below this score are not alike. */
export const ALIKE = 0.7
/** The highest likeness with an error in a word; at or above it, no further comparison is needed. */
const ONE_ERROR = 0.9

/** A street to compare with. */
export interface Candidate extends StreetElements {
  label: string
  base: string
}

/** A candidate with its aliases, its sound, and the letters of its texts. */
export interface IndexedCandidate extends Candidate {
  handles: readonly string[]
  sound: string
  /** What finds it if the name is not near: handles, and `base`, `sound`, and `word` with a value. */
  traits: readonly string[]
  base_letters: number
  label_letters: number
}

interface StreetElements {
  type: string
  pre: string
  post: string
}

/** A given street with values computed once per search. */
export interface Typed {
  /** All ways to parse it. */
  readings: readonly (StreetElements & { name: Name })[]
  /** Readings with one error corrected in a word outside the name, by the compared form of the name. */
  repaired: ReadonlyMap<string, readonly StreetElements[]>
  label: Name
}

export function typed(text: string, place: StreetPlace): Typed {
  const all = readings(text, place)
  const repaired = new Map<string, StreetElements[]>()
  for (const { label, key } of repairs(text, place)) {
    const { base, ...parts } = candidate(label, key)
    const known = repaired.get(base)
    if (known) known.push(parts)
    else repaired.set(base, [parts])
  }
  return {
    readings: all.map(({ label, key }) => {
      const { base, ...parts } = candidate(label, key)
      return { ...parts, name: nameOf(base) }
    }),
    repaired,
    label: nameOf(all[0]?.label ?? ''),
  }
}

/** From the label and key of a `Street`. */
export function candidate(label: string, key: string): Candidate {
  const [base = '', type = '', pre = '', post = ''] = key.split('|')
  return { label, base: spelled(base), type, pre, post }
}

/** Cache of candidates by key. Names repeat from place to place, and nearly every key has one label. */
const known = new Map<string, IndexedCandidate[]>()
const KNOWN_MAX = 50_000

export function indexedCandidate(label: string, key: string): IndexedCandidate {
  const of_key = known.get(key)
  // a combined cache key would allocate a string for every street read
  const found = of_key?.find((one) => one.label === label)
  if (found) return found
  const own_key = copied(key)
  const indexed = computed(candidate(copied(label), own_key))
  if (of_key) of_key.push(indexed)
  else {
    if (known.size >= KNOWN_MAX) known.clear()
    known.set(own_key, [indexed])
  }
  return indexed
}

/** Copies a substring, which would otherwise keep the text of the whole place in memory. */
const copied = (part: string): string => Buffer.from(part).toString()

function computed(one: Candidate): IndexedCandidate {
  const { base, label } = one
  const handles = handlesOf(base)
  const sound = soundOf(base)
  const words = base.includes(' ') ? base.split(' ').filter(isDistinctive) : []
  const traits = [`base ${base}`, `sound ${sound}`, ...handles, ...words.map((word) => `word ${word}`)]
  return { ...one, handles, sound, traits, base_letters: lettersIn(base), label_letters: lettersIn(label) }
}

/** The likeness of a given street and one in the data, without place and number: 1 if equal; below `ALIKE` it is not offered. */
export function likeness(street: Typed, other: IndexedCandidate): number {
  let best = 0
  for (const reading of street.readings) {
    const name = Math.max(nameLikeness(reading.name, other.base), aliasLikeness(reading.name, other))
    if (name > best) best = Math.max(best, name - partsCost(reading, other))
  }
  if (best >= ONE_ERROR) return best
  for (const parts of street.repaired.get(other.base) ?? [])
    best = Math.max(best, 1 - COST.repair - partsCost(parts, other))
  // LA HT DR: a word spelled like a type may be a misspelled word of the name
  return Math.max(best, oneChange(street.label, other.label))
}

/** Expands ST and STE in a name to SAINT and SAINTE, because errors in the long word are found only by comparing it. */
function spelled(base: string): string {
  return base.includes('ST ') || base.includes('STE ') ? base.replace(/\bST(E?)\b(?= )/g, 'SAINT$1') : base
}

function partsCost(mine: StreetElements, theirs: StreetElements): number {
  return typeCost(mine.type, theirs.type) + directionCost(mine, theirs)
}

function typeCost(mine: string, theirs: string): number {
  if (mine === theirs) return 0
  return mine === '' ? COST.missing_type : theirs === '' ? COST.surplus_type : COST.wrong_type
}

function directionCost(mine: StreetElements, theirs: StreetElements): number {
  if (mine.pre === theirs.pre && mine.post === theirs.post) return 0
  if (mine.pre === theirs.post && mine.post === theirs.pre) return COST.misplaced_direction
  return oneDirection(mine.pre, theirs.pre) + oneDirection(mine.post, theirs.post)
}

function oneDirection(mine: string, theirs: string): number {
  if (mine === theirs) return 0
  return mine === '' ? COST.missing_direction : theirs === '' ? COST.surplus_direction : COST.contrary_direction
}
