import { type Country, isDoubtfulSuffix, suffixesMeant } from '../../addresses/index.ts'

/** Spellings of suffixes that a dataset has of its own: `MISSION BL`, `KERN TE`. */

/** A street without a suffix whose last word may be one. */
export interface Suffixless {
  country: Country
  /** The name without that word, as compared. */
  base: string
  word: string
}

/** What the data has of streets with suffixes. */
export interface Suffixed {
  /** Names among those of the streets without one: MISSION, where there is a MISSION CT too. */
  bases: ReadonlySet<string>
  /** Streets of each suffix. */
  types: ReadonlyMap<string, number>
}

/** A word of the dataset that was taken for a suffix. */
export interface LearntSuffix {
  country: Country
  written: string
  taken_for: string
  streets: number
}

/** One street may be a coincidence, unless its name has other suffixes too. */
const STREETS_MIN = 2
/** Words that are no known spelling, or also end names, need more. */
const DOUBTFUL_STREETS_MIN = 4

/**
 * The words that stand where suffixes stand: at the end of several names, some of which the data also has with a suffix. Of
 * the suffixes that an ambiguous word may abbreviate, those are left out that the data writes in the usual way more often.
 */
export function learnSuffixes(streets: readonly Suffixless[], { bases, types }: Suffixed): LearntSuffix[] {
  const words = new Map<string, { country: Country; written: string; names: Set<string>; others: number }>()
  for (const { country, base, word } of streets) {
    const id = `${country}|${word}`
    const seen = words.get(id) ?? { country, written: word, names: new Set<string>(), others: 0 }
    words.set(id, seen)
    if (seen.names.has(base)) continue
    seen.names.add(base)
    if (bases.has(base)) seen.others++
  }
  return [...words.values()].flatMap(({ country, written, names, others }): LearntSuffix[] => {
    const meant = suffixesMeant(written, country)
    const unused = meant.filter((type) => (types.get(type) ?? 0) < names.size)
    const [taken_for, ...more] = meant.length > 1 ? unused : meant
    if (taken_for === undefined || more.length > 0) return []
    const doubtful = meant.length > 1 || isDoubtfulSuffix(written)
    const shown = doubtful ? names.size >= DOUBTFUL_STREETS_MIN && others > 0 : names.size >= STREETS_MIN || others > 0
    return shown ? [{ country, written, taken_for, streets: names.size }] : []
  })
}
