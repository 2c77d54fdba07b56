import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as fontkit from 'fontkit'

/**
 * The letter's typefaces: DejaVu Sans, which has Latin with all its accents, Greek and Cyrillic, may be shipped with
 * anything (Bitstream Vera licence), and is embedded in every letter. Read once, when the first letter is made.
 */
export interface Fonts {
  readonly regular: fontkit.Font
  readonly bold: fontkit.Font
}

let loaded: Fonts | null = null

export function fonts(): Fonts {
  loaded ??= {
    regular: load(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')),
    bold: load(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf')),
  }
  return loaded
}

const load = (url: string) => fontkit.create(readFileSync(fileURLToPath(url)))

/**
 * Scripts that the letter sets as they are written. Those that run from right to left, or join their signs by rules,
 * would come out wrong, and no losing carrier of the US or Canada keeps its records in them.
 */
const printableScripts =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Canadian_Aboriginal}\p{Script=Common}\p{Script=Inherited}]$/u
const invisible = /^[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]$/u

/** The characters of a text that the letter cannot print, each once; empty when all of it prints. */
export function unprintable(text: string): string[] {
  const { regular } = fonts()
  const prints = (c: string) =>
    printableScripts.test(c) && !invisible.test(c) && regular.hasGlyphForCodePoint(c.codePointAt(0) ?? 0)
  return [...new Set(text)].filter((c) => !prints(c))
}
