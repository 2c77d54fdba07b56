import { type Country, isDoubtfulSuffix, suffixesMeant } from '../../addresses/index.ts'

/** A dataset's own spellings of suffixes: `MISSION BL`, `KERN TE`. */

/** A street without a suffix whose last word may be one. */
export interface Suffixless {
  country: Country
  /** The compared name without that word. */
  base: string
  word: string
}

export interface Suffixed {
  /** Names that also occur without a suffix: MISSION, if there is a MISSION CT too. */
  bases: ReadonlySet<string>
  /** Number of streets by suffix. */
  types: ReadonlyMap<string, number>
}

/** A word of the dataset that was read as a suffix. */
export interface LearnedSuffix {
  country: Country
  written: string
  taken_for: string
  streets: number
}

/** A single street may be a coincidence, unless its name also has other suffixes. */
const STREETS_MIN = 2
/** Minimum for words that aren't a known spelling, or that also end names. */
const DOUBTFUL_STREETS_MIN = 4

/**
 * Finds words used as suffixes: at the end of several names, some of which the data also has with a suffix. If a word is
 * ambiguous, ignores suffixes that the data more often writes in the usual way.
 */
export function learnSuffixes(streets: readonly Suffixless[], { bases, types }: Suffixed): LearnedSuffix[] {
  const words = new Map<string, { country: Country; written: string; names: Set<string>; others: number }>()
  for (const { country, base, word } of streets) {
    const id = `${country}|${word}`
    const seen = words.get(id) ?? { country, written: word, names: new Set<string>(), others: 0 }
    words.set(id, seen)
    if (seen.names.has(base)) continue
    seen.names.add(base)
    if (bases.has(base)) seen.others++
  }
  return [...words.values()].flatMap(({ country, written, names, others }): LearnedSuffix[] => {
    const meant = suffixesMeant(written, country)
    const unused = meant.filter((type) => (types.get(type) ?? 0) < names.size)
    const [taken_for, ...more] = meant.length > 1 ? unused : meant
    if (taken_for === undefined || more.length > 0) return []
    const doubtful = meant.length > 1 || isDoubtfulSuffix(written)
    const shown = doubtful ? names.size >= DOUBTFUL_STREETS_MIN && others > 0 : names.size >= STREETS_MIN || others > 0
    return shown ? [{ country, written, taken_for, streets: names.size }] : []
  })
}
