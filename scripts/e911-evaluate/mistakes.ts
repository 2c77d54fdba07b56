import type { Random } from './random.ts'
import {
  directionSpellings,
  otherOrdinal,
  streetOf,
  streetWords,
  suffixSpellings,
  type StreetWords,
} from './street-text.ts'

/** Errors in street names, and other ways to write them. Each function returns undefined if it does not apply. */

const ALPHABET = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

/** Returns the word with an error at a position. */
type Edit = (word: string, at: number, random: Random) => string

const EDITS = {
  dropped: (word, at) => word.slice(0, at) + word.slice(at + 1),
  swapped: (word, at) => word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2),
  doubled: (word, at) => word.slice(0, at) + (word[at] ?? '') + word.slice(at),
  replaced: (word, at, random) => word.slice(0, at) + (random.pick(ALPHABET) ?? '') + word.slice(at + 1),
} as const satisfies Record<string, Edit>

export type EditName = keyof typeof EDITS

/** Changes one letter in the longest word of the name. Ignores words with digits or fewer than three letters. */
export function withTypo(street: string, kind: EditName, random: Random): string | undefined {
  return changedName(street, (word) => {
    const last = word.length - (kind === 'swapped' ? 1 : 0)
    const found = EDITS[kind](word, random.below(last), random)
    return found === word ? undefined : found
  })
}

/** Spellings that sound alike; one that fits is applied. */
const SOUNDS: readonly (readonly [RegExp, string])[] = [
  [/PH/, 'F'],
  [/F(?=[AEIOU])/, 'PH'],
  [/CK/, 'K'],
  [/CK$/, 'C'],
  [/C(?=[AOULR])/, 'K'],
  [/K(?=[AOULR])/, 'C'],
  [/K$/, 'CK'],
  [/QU/, 'KW'],
  [/X$/, 'CKS'],
  [/C(?=[EIY])/, 'S'],
  [/S(?=[EIY])/, 'C'],
  [/Z/, 'S'],
  [/G(?=[EI])/, 'J'],
  [/J(?=[EI])/, 'G'],
  [/IE$/, 'Y'],
  [/Y$/, 'IE'],
  [/EY$/, 'Y'],
  [/Y$/, 'EY'],
  [/EE/, 'EA'],
  [/EA(?=[DKLMNPT])/, 'EE'],
  [/AI/, 'AY'],
  [/AY$/, 'AI'],
  [/OU/, 'OW'],
  [/OW/, 'OU'],
  [/OO/, 'U'],
  [/^KN/, 'N'],
  [/^WR/, 'R'],
  [/^WH/, 'W'],
  [/IGH/, 'Y'],
  [/MB$/, 'M'],
  [/([^AEIOU])E$/, '$1'],
  [/ER$/, 'OR'],
  [/OR$/, 'ER'],
  [/ON$/, 'EN'],
  [/EN$/, 'IN'],
  [/LE$/, 'EL'],
  [/EL(L?)$/, 'LE'],
  [/SCH/, 'SH'],
  [/TCH/, 'CH'],
  [/([BDFGLMNPRST])\1/, '$1'],
  [/([AEIOU])([LNST])(?=[AEIOU])/, '$1$2$2'],
  [/([^AEIOU])Y(?=[^AEIOU])/, '$1I'],
  [/([^AEIOU])I(?=[^AEIOU])/, '$1Y'],
]

/** The name as misheard. */
export function asItSounds(street: string, random: Random): string | undefined {
  return changedName(street, (word) => {
    const fitting = SOUNDS.filter(([sound]) => sound.test(word))
    const [sound, spelling] = random.pick(fitting) ?? [/^$/, '']
    const found = word.replace(sound, spelling)
    return found === word ? undefined : found
  })
}

/** Words of numbered roads, which differ by number. */
const isRoadWord = (word: string) => /^(HWY|HIGHWAY|RTE|ROUTE|STATE|COUNTY|ROAD|RD|LOOP|BYP|BUSINESS|BUS)$/i.test(word)

function changedName(street: string, change: (word: string) => string | undefined): string | undefined {
  const words = streetWords(street)
  const plain = words.name
    .filter((word) => /^\p{L}{3,}$/u.test(word) && !isRoadWord(word))
    .toSorted((a, b) => b.length - a.length)[0]
  const changed = plain === undefined ? undefined : change(plain.toUpperCase())
  if (changed === undefined) return undefined
  return streetOf({ ...words, name: words.name.map((word) => (word === plain ? changed : word)) })
}

/** The same street in another style: long or short suffix and direction, other case, periods, no accents, extra spaces. */
export function restyled(street: string, random: Random): string {
  const words = streetWords(street)
  const text = streetOf({
    pre: pointed(random.pick(directionSpellings(words.pre)) ?? '', random),
    name: words.name.map((word) => (random.next() < 0.5 ? (otherOrdinal(word) ?? word) : word)),
    suffix: pointed(random.pick(suffixSpellings(words.suffix)) ?? '', random),
    post: random.pick(directionSpellings(words.post)) ?? '',
  })
  const spaced = random.next() < 0.1 ? text.replaceAll(' ', '  ') : text
  const plain = random.next() < 0.5 ? spaced.normalize('NFD').replace(/\p{M}/gu, '') : spaced
  const style = random.below(3)
  return style === 0 ? plain.toLowerCase() : style === 1 ? plain.toUpperCase() : titled(plain)
}

const pointed = (word: string, random: Random) =>
  word.length > 1 && word.length < 5 && random.next() < 0.2 ? `${word}.` : word

const titled = (text: string) =>
  text.toLowerCase().replace(/(^|[ -])(\p{L})/gu, (_, before: string, letter: string) => before + letter.toUpperCase())

const OTHER_SUFFIXES = ['ST', 'AVE', 'RD', 'DR', 'LN', 'CT', 'BLVD', 'PL', 'WAY', 'CIR', 'TER', 'TRL']
const DIRECTIONS = ['N', 'S', 'E', 'W']

/** The words with one changed or omitted. */
export const changes = {
  otherSuffix: (words, random) =>
    words.suffix === ''
      ? undefined
      : { ...words, suffix: other(OTHER_SUFFIXES, suffixSpellings(words.suffix), random) },
  noSuffix: (words) => (words.suffix === '' ? undefined : { ...words, suffix: '' }),
  otherDirection: (words, random) => {
    const side = words.pre !== '' ? 'pre' : words.post !== '' ? 'post' : undefined
    return side && { ...words, [side]: other(DIRECTIONS, directionSpellings(words[side]), random) }
  },
  noDirection: (words) => (words.pre + words.post === '' ? undefined : { ...words, pre: '', post: '' }),
} as const satisfies Record<string, (words: StreetWords, random: Random) => StreetWords | undefined>

function other(from: readonly string[], own: readonly string[], random: Random): string {
  return random.pick(from.filter((one) => !own.includes(one))) ?? ''
}

/** A name that no street has, made of implausible syllables. */
export function inventedName(random: Random): string {
  const syllable = () =>
    (random.pick([...'BDFGKLMPQVXZ']) ?? '') +
    (random.pick(['AU', 'OI', 'UE', 'IA', 'EO']) ?? '') +
    (random.pick([...'XZKVQ']) ?? '')
  return syllable() + syllable().toLowerCase() + syllable().toLowerCase()
}

/** Units that people append to the street although there are fields for them. */
export const UNITS = ['Apt 4B', 'No. 5', 'Upstairs', 'apt4', '4B', '#12', 'Ste 200', 'Unit B', '2nd Floor']

/** Common short forms of names and roads. */
const FAMOUS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\b(?:DR )?MARTIN LUTHER KING(?: JR)?\b/i, ['MLK', 'M L King', 'Martin Luther King']],
  [/\bJOHN F(?:ITZGERALD)? KENNEDY\b/i, ['JFK', 'Kennedy']],
  [/\bFRANKLIN D(?:ELANO)? ROOSEVELT\b/i, ['FDR', 'Roosevelt']],
  [/\bCHRISTOPHER COLUMBUS\b/i, ['Columbus']],
  [/^(?:US|U S) (?:HWY|HIGHWAY|ROUTE|RTE)(?= \d)/i, ['Hwy', 'Highway', 'Route', 'US', 'US Route']],
  [/^(?:STATE|ST|MT|NC) (?:HWY|HIGHWAY|ROUTE|RTE|RD|ROAD)(?= \d)/i, ['Hwy', 'Highway', 'Route', 'State Route', 'SR']],
  [/^(?:COUNTY|CO) (?:HWY|HIGHWAY|RD|ROAD)(?= \w)/i, ['CR', 'County Rd', 'Co Rd', 'County Road']],
  [/^CALLE (?=\p{L})/iu, ['']],
]

/** The street by its common name. */
export function asCalled(street: string, random: Random): string | undefined {
  const known = FAMOUS.find(([name]) => name.test(street))
  const called = known && street.replace(known[0], random.pick(known[1]) ?? '').trim()
  return called === street ? undefined : called
}

/** The number of a numbered road; different roads may share it. */
export const roadNumber = (street: string): string | undefined => /(?:^|\s)(\d+\w?)(?:\s|$)/.exec(street)?.[1]

/** Letters dropped, added, changed, or swapped between two texts, at most `limit` + 1. */
export function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let [before, row]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let d = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) d = Math.min(d, (before[j - 2] ?? 0) + 1)
      next.push(d)
    }
    ;[before, row] = [row, next]
  }
  return Math.min(row[b.length] ?? 0, limit + 1)
}
