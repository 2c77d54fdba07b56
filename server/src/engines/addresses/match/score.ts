import { readings, type StreetPlace } from '../normalise/street.ts'
import { nameLikeness, nameOf, oneChange, type Name } from './names.ts'
import { repairs } from './repairs.ts'

/** What differences besides the name cost, out of 1 for the very street that was typed. */
const COST = {
  wrong_type: 0.08,
  missing_type: 0.04,
  surplus_type: 0.06,
  contrary_direction: 0.12,
  missing_direction: 0.04,
  surplus_direction: 0.06,
  misplaced_direction: 0.02,
  /** An error in a word that is no part of the name. */
  repair: 0.1,
} as const

/** Below this two streets are not alike. */
export const ALIKE = 0.7
/** The best that an error in a word comes to: what is as good already needs no further look. */
const ONE_ERROR = 0.9

/** A street to compare with. */
export interface Candidate extends Parts {
  label: string
  base: string
}

interface Parts {
  type: string
  pre: string
  post: string
}

/** What a typed street is compared as; made once for a search. */
export interface Typed {
  /** All ways to read it. */
  readings: readonly (Parts & { name: Name })[]
  /** What it may have been before an error in a word that is no part of the name; by what is compared of the name. */
  repaired: ReadonlyMap<string, readonly Parts[]>
  label: Name
}

export function typed(text: string, place: StreetPlace): Typed {
  const all = readings(text, place)
  const repaired = new Map<string, Parts[]>()
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

/** Of a label and key as `Street` has them. */
export function candidate(label: string, key: string): Candidate {
  const [base = '', type = '', pre = '', post = ''] = key.split('|')
  return { label, base: spelled(base), type, pre, post }
}

/** How alike a typed street and one of the data are: 1 the same, below `ALIKE` not worth showing. Place and number do not count here. */
export function likeness(street: Typed, other: Candidate): number {
  let best = 0
  for (const reading of street.readings) {
    const name = nameLikeness(reading.name, other.base)
    if (name > best) best = Math.max(best, name - partsCost(reading, other))
  }
  if (best >= ONE_ERROR) return best
  for (const parts of street.repaired.get(other.base) ?? [])
    best = Math.max(best, 1 - COST.repair - partsCost(parts, other))
  // LA HT DR: what looks like a type word in the name is a name with an error in it
  return Math.max(best, oneChange(street.label, other.label))
}

/** ST and STE stand for SAINT and SAINTE in a name; an error in the long word is found only against the long word. */
function spelled(base: string): string {
  return base.includes('ST') ? base.replace(/\bST(E?)\b(?= )/g, 'SAINT$1') : base
}

function partsCost(mine: Parts, theirs: Parts): number {
  return typeCost(mine.type, theirs.type) + directionCost(mine, theirs)
}

function typeCost(mine: string, theirs: string): number {
  if (mine === theirs) return 0
  return mine === '' ? COST.missing_type : theirs === '' ? COST.surplus_type : COST.wrong_type
}

function directionCost(mine: Parts, theirs: Parts): number {
  if (mine.pre === theirs.pre && mine.post === theirs.post) return 0
  if (mine.pre === theirs.post && mine.post === theirs.pre) return COST.misplaced_direction
  return oneDirection(mine.pre, theirs.pre) + oneDirection(mine.post, theirs.post)
}

function oneDirection(mine: string, theirs: string): number {
  if (mine === theirs) return 0
  return mine === '' ? COST.missing_direction : theirs === '' ? COST.surplus_direction : COST.contrary_direction
}
