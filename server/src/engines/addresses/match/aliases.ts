/** Different names of the same street: what people call it. */

/** Likeness of two names that share a handle of that kind. */
const LIKENESS = { initials: 0.92, route: 0.92, other_route: 0.85, spanish: 0.93, last_word: 0.75 } as const

/** Likeness of names in the data by the handle they have. */
export type Handles = ReadonlyMap<string, number>

const TITLES = new Set('DRIVE DOCTOR REVEREND GENERAL PRESIDENT GOVERNOR SENATOR CAPTAIN COLONEL MAJOR'.split(' '))
const GENERATIONS = new Set(['JUNIOR', 'SENIOR', 'II', 'III'])
const INITIALS = /^[A-Z]{2,4}$/
const ROUTE =
  /^(OLD )?(US HIGHWAY|STATE HIGHWAY|HIGHWAY|ROUTE|COUNTY ROAD|CSAH|FM|RANCH ROAD|INTERSTATE|TOWNSHIP ROAD|REGIONAL ROAD) (\S+)((?: .*)?)$/
const GENERIC_ROUTES = new Set(['HIGHWAY', 'ROUTE'])
/** Types before a Spanish name, which people omit or put at the end in English. */
const SPANISH = /^(?:CALLE|AVENUE|CAMINO|PASEO|CARRETERA) (?=[A-Z]{2})/
/** Too many names end in a shorter word. */
const LAST_WORD_MIN = 4

/** Handles of a name in the data; most names have none. */
export function handlesOf(base: string): string[] {
  const found: string[] = []
  const words = personOf(base)
  if (words.length > 1) {
    found.push(...initialsOf(words).map((text) => `initials ${text}`), `last ${words.at(-1) ?? ''}`)
  } else if (INITIALS.test(base)) found.push(`full ${base}`)
  const spanish = SPANISH.test(base) ? base.replace(SPANISH, '') : ''
  if (spanish !== '') found.push(`spanish ${spanish}`)
  const route = routeOf(base)
  if (route) found.push(`route ${route.tail}`, ...(route.generic ? [`generic ${route.tail}`] : []))
  return found
}

/** Handles to search a given name by. */
export function handlesSought(base: string): Handles {
  const found = new Map<string, number>()
  // M L KING: the initials are read as the type ML
  const words = personOf(base.replace(/^MILL (?=[A-Z])/, 'ML '))
  const last = words[0] ?? ''
  if (words.length === 1 && last.length >= LAST_WORD_MIN) found.set(`last ${last}`, LIKENESS.last_word)
  if (words.length > 1) for (const text of initialsOf(words)) found.set(`full ${text}`, LIKENESS.initials)
  if (INITIALS.test(words[0] ?? '')) found.set(`initials ${words.join(' ')}`, LIKENESS.initials)
  found.set(`spanish ${base}`, LIKENESS.spanish)
  const route = routeOf(base)
  if (route) {
    found.set(`route ${route.tail}`, route.generic ? LIKENESS.route : LIKENESS.other_route)
    found.set(`generic ${route.tail}`, LIKENESS.route)
  }
  return found
}

/** The words of a name without titles and generational suffixes. */
function personOf(base: string): string[] {
  const words = base.split(' ')
  while (words.length > 1 && TITLES.has(words[0] ?? '')) words.shift()
  while (words.length > 1 && GENERATIONS.has(words.at(-1) ?? '')) words.pop()
  return words
}

/** `MLK` and `ML KING` of MARTIN LUTHER KING. */
function initialsOf(words: readonly string[]): string[] {
  if (words.some((word) => !/^[A-Z]/.test(word))) return []
  const initials = words.map((word) => word[0] ?? '').join('')
  return [initials, `${initials.slice(0, -1)} ${words.at(-1) ?? ''}`].filter((text) => text.length > 2)
}

/** A numbered road by its number and what follows; OLD makes it a different road. */
function routeOf(base: string): { tail: string; generic: boolean } | undefined {
  if (!base.includes(' ')) return undefined
  const found = ROUTE.exec(base)
  if (!found) return undefined
  const [, old = '', kind = '', number = '', rest = ''] = found
  return { tail: `${old}${number}${rest}`, generic: GENERIC_ROUTES.has(kind) }
}
