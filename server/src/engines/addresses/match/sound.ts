import { lettersIn } from './edits.ts'

/** English spellings of one sound, applied in this order to capital letters without spaces. */
const SOUNDS: readonly (readonly [RegExp, string, needle: string])[] = [
  [/^[KGP]N/, 'N', 'N'],
  [/^WR/, 'R', 'WR'],
  [/^PS/, 'S', 'PS'],
  [/WH/g, 'W', 'WH'],
  [/PH/g, 'F', 'PH'],
  [/IGH/g, 'I', 'IGH'],
  [/SCH/g, 'SH', 'SCH'],
  [/TCH/g, 'CH', 'TCH'],
  [/MB$/, 'M', 'MB'],
  [/QU?/g, 'KW', 'Q'],
  [/X/g, 'KS', 'X'],
  [/SH/g, '1', 'SH'],
  [/CH/g, '2', 'CH'],
  [/D?G(?=[EIY])/g, 'J', 'G'],
  [/C(?=[EIY])/g, 'S', 'C'],
  [/CK|C/g, 'K', 'C'],
  [/Z/g, 'S', 'Z'],
  // the syllables of MAPLE and CENTRE
  [/([^AEIOUY])([LR])E$/, '$1A$2', 'E'],
  [/([^AEIOUY])E$/, '$1', 'E'],
  [/([AEIOU])(?:GH|[HWY])/g, '$1', ''],
  [/(.)H/g, '$1', 'H'],
  // a vowel, except at the start of a name
  [/(?!^)Y/g, 'A', 'Y'],
  [/[AEIOU]+/g, 'A', ''],
  [/(.)\1+/g, '$1', ''],
]

/** Letters that no spelling adds or removes, as bits (`lettersIn`). Names that differ in one of them don't sound alike. */
export const INVARIANT_LETTERS: number = lettersIn('LMNRV')

/** Equal for names that sound alike (`PHILIPS`, `FILLIPS`; `MAPLE`, `MAPEL`). All vowels count as the same sound. */
export function soundOf(name: string): string {
  let sound = name.replaceAll(' ', '')
  // most names contain few of these letters, and includes() is faster than a regular expression
  for (const [spelling, phoneme, needle] of SOUNDS) if (sound.includes(needle)) sound = sound.replace(spelling, phoneme)
  return sound
}
