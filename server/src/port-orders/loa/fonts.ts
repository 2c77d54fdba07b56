import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as fontkit from 'fontkit'

/**
 * The fonts of the LOA: DejaVu Sans, which has Latin with all its accents, Greek and Cyrillic, and whose license (Bitstream
 * Vera) allows embedding. Loaded and parsed once, for the first LOA: to read their tables again takes longer than all that is
 * drawn with them.
 */
export interface Fonts {
  readonly regular: fontkit.Font
  readonly bold: fontkit.Font
}

let loaded: Fonts | null = null

export function fonts(): Fonts {
  loaded ??= load()
  return loaded
}

const load = (): Fonts => ({
  regular: readFont(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')),
  bold: readFont(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf')),
})

function readFont(url: string): fontkit.Font {
  const font = fontkit.create(readFileSync(fileURLToPath(url)))
  if ('fonts' in font) throw new Error('a font collection instead of a font')
  return font
}

/**
 * Scripts that PDFKit sets correctly. Right-to-left and complex scripts would come out wrong, and no losing carrier of the
 * US or Canada has records in them.
 */
const printableScripts =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Canadian_Aboriginal}\p{Script=Common}\p{Script=Inherited}]$/u
const invisible = /^[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]$/u

/** The characters of a text that the LOA cannot print, each once; empty when all can be printed. */
export function unprintable(text: string): string[] {
  const { regular } = fonts()
  const prints = (c: string) =>
    printableScripts.test(c) && !invisible.test(c) && regular.hasGlyphForCodePoint(c.codePointAt(0) ?? 0)
  return [...new Set(text)].filter((c) => !prints(c))
}
