/** English spellings of one sound, applied in this order to capital letters without spaces. */
const SOUNDS: readonly (readonly [RegExp, string])[] = [
  [/^[KGP]N/, 'N'],
  [/^WR/, 'R'],
  [/^PS/, 'S'],
  [/WH/g, 'W'],
  [/PH/g, 'F'],
  [/IGH/g, 'I'],
  [/SCH/g, 'SH'],
  [/TCH/g, 'CH'],
  [/MB$/, 'M'],
  [/QU?/g, 'KW'],
  [/X/g, 'KS'],
  [/SH/g, '1'],
  [/CH/g, '2'],
  [/D?G(?=[EIY])/g, 'J'],
  [/C(?=[EIY])/g, 'S'],
  [/CK|C/g, 'K'],
  [/Z/g, 'S'],
  // the syllables of MAPLE and CENTRE
  [/([^AEIOUY])([LR])E$/, '$1A$2'],
  [/([^AEIOUY])E$/, '$1'],
  [/([AEIOU])(?:GH|[HWY])/g, '$1'],
  [/(.)H/g, '$1'],
  // of a name in letters, Y is a vowel but at its start
  [/(?!^)Y/g, 'A'],
  [/[AEIOU]+/g, 'A'],
  [/(.)\1+/g, '$1'],
]

/** Equal for names that sound alike (`PHILIPS`, `FILLIPS`; `MAPLE`, `MAPEL`). All vowels sound the same. */
export function soundOf(name: string): string {
  let sound = name.replaceAll(' ', '')
  for (const [spelling, phoneme] of SOUNDS) sound = sound.replace(spelling, phoneme)
  return sound
}
