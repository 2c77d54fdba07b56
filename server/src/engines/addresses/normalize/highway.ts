import { typeId, type Country } from './types.ts'
import { englishDirection, frenchDirection } from './words-in-names.ts'

export interface Highway {
  pre: string
  /** As written in responses: `US HWY 301`. */
  name: string
  /** The compared form, equal for all names of a road. */
  base: string
  post: string
}

interface Numbered {
  /** Number of words. */
  length: number
  base: string
  label: string
}

/** Not an ordinal: 5TH is a name. */
const NUMBER = /^\d{1,4}(?!ST$|ND$|RD$|TH$)(?:[A-Z]{0,2}|\.\d)$/
/** After the number, in grids with county roads between numbered ones. */
const FRACTION = /^\d\/\d$/
/** Lettered roads: Wisconsin's county highways, Missouri's supplementary routes. */
const LETTERS = /^[A-Z]{1,2}$/
const GLUED = /^(CR|SR|SH|FM|RM|US|IH|I|HWY|RTE|RT|CTH|STH)(\d{1,4}[A-Z]?)$/
const MODIFIERS: Record<string, string> = {
  BUS: 'BUS',
  BUSINESS: 'BUS',
  ALT: 'ALT',
  ALTERNATE: 'ALT',
  BYP: 'BYP',
  BYPASS: 'BYP',
  SPUR: 'SPUR',
  LOOP: 'LOOP',
  TRUCK: 'TRUCK',
  SCENIC: 'SCENIC',
  EXT: 'EXT',
}

/** First words, optionally followed by a road word, then a number. */
const KINDS: Record<string, { base: string; label: string; lettered?: true; needs_road_word?: true }> = {
  US: { base: 'US HIGHWAY', label: 'US' },
  STATE: { base: 'STATE HIGHWAY', label: 'STATE', lettered: true, needs_road_word: true },
  ST: { base: 'STATE HIGHWAY', label: 'STATE', needs_road_word: true },
  PROVINCIAL: { base: 'STATE HIGHWAY', label: 'PROVINCIAL', needs_road_word: true },
  COUNTY: { base: 'COUNTY ROAD', label: 'COUNTY', lettered: true, needs_road_word: true },
  CNTY: { base: 'COUNTY ROAD', label: 'COUNTY', lettered: true, needs_road_word: true },
  CO: { base: 'COUNTY ROAD', label: 'COUNTY', lettered: true, needs_road_word: true },
  TOWNSHIP: { base: 'TOWNSHIP ROAD', label: 'TOWNSHIP', needs_road_word: true },
  TWP: { base: 'TOWNSHIP ROAD', label: 'TOWNSHIP', needs_road_word: true },
  PRIVATE: { base: 'PRIVATE ROAD', label: 'PRIVATE', needs_road_word: true },
  PVT: { base: 'PRIVATE ROAD', label: 'PRIVATE', needs_road_word: true },
  REGIONAL: { base: 'REGIONAL ROAD', label: 'REGIONAL', needs_road_word: true },
  RANGE: { base: 'RANGE ROAD', label: 'RANGE', needs_road_word: true },
  RGE: { base: 'RANGE ROAD', label: 'RANGE', needs_road_word: true },
  RANCH: { base: 'RANCH ROAD', label: 'RANCH', needs_road_word: true },
  INTERSTATE: { base: 'INTERSTATE', label: 'INTERSTATE' },
  IH: { base: 'INTERSTATE', label: 'INTERSTATE' },
  I: { base: 'INTERSTATE', label: 'INTERSTATE' },
  FM: { base: 'FM', label: 'FM' },
  HWY: { base: 'HIGHWAY', label: 'HWY', lettered: true },
  HIGHWAY: { base: 'HIGHWAY', label: 'HWY', lettered: true },
  RTE: { base: 'ROUTE', label: 'RTE', lettered: true },
  RT: { base: 'ROUTE', label: 'RTE', lettered: true },
  ROUTE: { base: 'ROUTE', label: 'RTE', lettered: true },
}
/** Written without the road word. */
const COMPLETE = new Set(['FM', 'INTERSTATE', 'CSAH'])
/** Abbreviations that include the road word. */
const SHORT_KINDS: Record<string, { base: string; label: string; lettered?: true }> = {
  SR: { base: 'STATE HIGHWAY', label: 'STATE RTE' },
  SH: { base: 'STATE HIGHWAY', label: 'STATE HWY' },
  STH: { base: 'STATE HIGHWAY', label: 'STATE HWY' },
  CR: { base: 'COUNTY ROAD', label: 'COUNTY RD', lettered: true },
  CTH: { base: 'COUNTY ROAD', label: 'COUNTY HWY', lettered: true },
  CSAH: { base: 'CSAH', label: 'CSAH' },
  RM: { base: 'RANCH ROAD', label: 'RANCH RD' },
}
const LONG_KINDS: [string[], { base: string; label: string }][] = [
  [['FARM', 'TO', 'MARKET'], { base: 'FM', label: 'FM' }],
  [['RANCH', 'TO', 'MARKET'], { base: 'RANCH ROAD', label: 'RANCH RD' }],
  [['U', 'S'], { base: 'US HIGHWAY', label: 'US' }],
  [['UNITED', 'STATES'], { base: 'US HIGHWAY', label: 'US' }],
  [['C', 'R'], { base: 'COUNTY ROAD', label: 'COUNTY RD' }],
  [['F', 'M'], { base: 'FM', label: 'FM' }],
  [['I', 'H'], { base: 'INTERSTATE', label: 'INTERSTATE' }],
  [['COUNTY', 'STATE', 'AID'], { base: 'CSAH', label: 'CSAH' }],
]

/**
 * Parses a numbered road (USPS Publication 28, appendix F): `CR 42`, `Co Rd 42` and `County Road 42` are one road.
 * Undefined for anything else, including `OLD US 17 RD`, which is a separate road.
 */
export function readHighway(words: readonly string[], place: { country: Country; state: string }): Highway | undefined {
  const pre = words.length > 2 ? (englishDirection(words[0]) ?? '') : ''
  let rest = pre === '' ? words : words.slice(1)
  const old = rest[0] === 'OLD' && rest.length > 2
  if (old) rest = rest.slice(1)
  rest = unglue(rest)
  const road = numbered(rest, place)
  if (road === undefined) return undefined
  rest = rest.slice(road.length)
  const modifiers: string[] = []
  for (let word = MODIFIERS[rest[0] ?? '']; word !== undefined; word = MODIFIERS[rest[0] ?? '']) {
    modifiers.push(word)
    rest = rest.slice(1)
  }
  const last = rest.length === 1 ? rest[0] : undefined
  const post = englishDirection(last) ?? (place.country === 'CA' ? frenchDirection(last) : undefined) ?? ''
  if (rest.length > (post === '' ? 0 : 1)) return undefined
  const withModifiers = (text: string) => [old ? 'OLD' : '', text, ...modifiers].filter(Boolean).join(' ')
  return { pre, name: withModifiers(road.label), base: withModifiers(road.base), post }
}

/** Words in names of numbered roads, without the numbers. */
export function highwayWords(): string[] {
  const long = LONG_KINDS.flatMap(([words]) => words)
  return ['OLD', 'TRUNK', 'RR', ...Object.keys(KINDS), ...Object.keys(SHORT_KINDS), ...Object.keys(MODIFIERS), ...long]
}

/** `CR42` → `CR 42`; `7 HWY`, as in registers with the type in its own column → `HWY 7`. */
function unglue(words: readonly string[]): readonly string[] {
  const [first = '', second = ''] = words
  // most words have no digit
  if (!/\d/.test(first)) return words
  const kind = typeId(second, 'US')
  if (/^\d{1,4}[A-Z]?$/.test(first) && (kind === 'HWY' || kind === 'RTE')) return [kind, first, ...words.slice(2)]
  const parts = GLUED.exec(first)
  return parts?.[1] === undefined || parts[2] === undefined ? words : [parts[1], parts[2], ...words.slice(1)]
}

function numbered(words: readonly string[], place: { country: Country; state: string }): Numbered | undefined {
  const first = words[0] ?? ''
  for (const [start, kind] of LONG_KINDS) {
    if (start[0] !== first || !start.every((word, i) => words[i] === word)) continue
    const found = withRoadWord(words, start.length, kind)
    if (found) return found
  }
  if (first === 'RR') return ranchOrRange(words, place)
  const short = SHORT_KINDS[first]
  if (short) return withNumber(words, 1, short)
  const kind = KINDS[first]
  if (kind) return withRoadWord(words, 1, kind)
  // NC 45, NC HWY 45: only within the state; elsewhere the letters are ambiguous
  const own = first === place.state || (first === 'NYS' && place.state === 'NY')
  if (own && place.country === 'US') return withRoadWord(words, 1, { base: 'STATE HIGHWAY', label: first })
  return undefined
}

function withRoadWord(
  words: readonly string[],
  at: number,
  kind: { base: string; label: string; lettered?: true; needs_road_word?: true },
): Numbered | undefined {
  // Wisconsin's COUNTY TRUNK HWY
  const trunk = words[at] === 'TRUNK' && roadWord(words[at + 1] ?? '') === 'HWY'
  const road = roadWord(words[trunk ? at + 1 : at] ?? '')
  if (road === undefined)
    return kind.needs_road_word ? undefined : withNumber(words, at, { ...kind, label: kind.label })
  if (kind.base === 'HIGHWAY' || kind.base === 'ROUTE') return undefined
  const isComplete = COMPLETE.has(kind.label) || kind.label.endsWith(' RD')
  return withNumber(words, trunk ? at + 2 : at + 1, {
    ...kind,
    label: isComplete ? kind.label : `${kind.label} ${road}`,
  })
}

function withNumber(
  words: readonly string[],
  at: number,
  kind: { base: string; label: string; lettered?: true },
): Numbered | undefined {
  const word = words[at] ?? ''
  // HWY NORTH is the highway called N
  const letters = kind.lettered && !isType(word) ? (englishDirection(word) ?? word) : ''
  const number = NUMBER.test(word) ? word : LETTERS.test(letters) ? letters : undefined
  if (number === undefined) return undefined
  const label = kind.label === 'US' ? 'US HWY' : kind.label
  const fraction = words[at + 1] ?? ''
  const number_text = FRACTION.test(fraction) ? `${number} ${fraction}` : number
  return {
    length: at + number_text.split(' ').length,
    base: `${kind.base} ${number_text}`,
    label: `${label} ${number_text}`,
  }
}

function isType(word: string): boolean {
  return typeId(word, 'US') !== undefined || typeId(word, 'CA') !== undefined
}

function roadWord(word: string): string | undefined {
  if (word === 'TRUNK') return word
  const type = word === 'RT' ? 'RTE' : typeId(word, 'US')
  return type === 'HWY' || type === 'RTE' || type === 'RD' ? type : undefined
}

/** RR is a mail-only rural route, refused elsewhere, but a ranch road in Texas and a range road in Alberta. */
function ranchOrRange(words: readonly string[], place: { country: Country; state: string }): Numbered | undefined {
  if (place.country === 'US' && place.state === 'TX')
    return withNumber(words, 1, { base: 'RANCH ROAD', label: 'RANCH RD' })
  if (place.country === 'CA' && place.state === 'AB')
    return withNumber(words, 1, { base: 'RANGE ROAD', label: 'RANGE RD' })
  return undefined
}
