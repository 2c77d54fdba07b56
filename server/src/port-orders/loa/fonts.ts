import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as fontkit from 'fontkit'

/**
 * The fonts of the LOA, as font files: DejaVu Sans, which has Latin with all its accents, Greek and Cyrillic, and whose
 * licence (Bitstream Vera) allows embedding. Loaded once, for the first LOA.
 */
export interface Fonts {
  readonly regular: Buffer
  readonly bold: Buffer
  /** The regular font, parsed: for its glyphs. */
  readonly parsed: fontkit.Font
}

let loaded: Fonts | null = null

export function fonts(): Fonts {
  loaded ??= load()
  return loaded
}

function load(): Fonts {
  const regular = readFont(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'))
  const parsed = fontkit.create(regular)
  if ('fonts' in parsed) throw new Error('a font collection instead of a font')
  return { regular, bold: readFont(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf')), parsed }
}

const readFont = (url: string) => readFileSync(fileURLToPath(url))

/**
 * Scripts that PDFKit sets correctly. Right-to-left and complex scripts would come out wrong, and no losing carrier of the
 * US or Canada has records in them.
 */
const printableScripts =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Canadian_Aboriginal}\p{Script=Common}\p{Script=Inherited}]$/u
const invisible = /^[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]$/u

/** The characters of a text that the LOA cannot print, each once; empty when all can be printed. */
export function unprintable(text: string): string[] {
  const { parsed } = fonts()
  const prints = (c: string) =>
    printableScripts.test(c) && !invisible.test(c) && parsed.hasGlyphForCodePoint(c.codePointAt(0) ?? 0)
  return [...new Set(text)].filter((c) => !prints(c))
}
