/** Letters that Unicode decomposition does not change, and typographic apostrophes, hyphens and slashes. */
const LETTERS: Record<string, string> = {
  Æ: 'AE',
  Œ: 'OE',
  Ø: 'O',
  Ł: 'L',
  Đ: 'D',
  Ð: 'D',
  Þ: 'TH',
  '’': "'",
  '‘': "'",
  ʻ: "'",
  ʼ: "'",
  '`': "'",
  '´': "'",
  '–': '-',
  '—': '-',
  '‑': '-',
  '⁄': '/',
}
const SPECIAL = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g')
const VULGAR_FRACTION = /[¼½¾⅐-⅞]/g
// oxlint-disable-next-line no-control-regex -- plain ASCII needs none of the work below
const PLAIN = /^[\x20-\x7e]*$/
/** Matches most texts; a validation splits dozens. */
const BARE = /^[A-Za-z0-9 ]*$/

/** Upper case, without accents, with ASCII punctuation and single spaces: `« Rue de l’Église »` → `RUE DE L'EGLISE`. */
export function fold(text: string): string {
  if (PLAIN.test(text)) return text.toUpperCase().replace(/\s+/g, ' ').trim()
  return text
    .replace(VULGAR_FRACTION, (fraction) => ` ${fraction}`)
    .replace(/[´`]/g, "'")
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(SPECIAL, (character) => LETTERS[character] ?? '')
    .replace(/[\s«»“”"]+/g, ' ')
    .trim()
}

/**
 * The words of a street or city. An apostrophe is part of its word, a fraction or decimal is one word, and other punctuation
 * separates words.
 */
export function words(text: string): string[] {
  if (BARE.test(text)) return text.toUpperCase().split(' ').filter(isWord)
  return fold(text)
    .replace(/\b([A-Z])\.(?=\s?[A-Z]\b)/g, (_, letter: string) => letter)
    .replace(/(\d)\/(\d)/g, '$1\ue000$2')
    .replace(/(\d)\.(\d)/g, '$1\ue001$2')
    .replace(/&/g, ' AND ')
    .replace(/#/g, ' # ')
    .replace(/[^A-Z0-9'#\ue000\ue001]+/g, ' ')
    .replaceAll('\ue000', '/')
    .replaceAll('\ue001', '.')
    .split(' ')
    .filter(isWord)
}

const isWord = (word: string): boolean => word !== '' && word !== "'"
