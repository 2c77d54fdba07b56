import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

/** WCAG 2.2: 4.5:1 for text, 3:1 for the edges of controls (1.4.3, 1.4.11). */
const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')
const colors = new Map(
  [...css.matchAll(/--([\w-]+): (?:light-dark\((#\w{6}), (#\w{6})\)|(#\w{6}));/g)].map(
    ([, name = '', light, dark, both = '']) => [name, { light: light ?? both, dark: dark ?? both }],
  ),
)

const meanings = ['needs-you', 'moving', 'done', 'refused', 'quiet']
const pairs: [text: string, backgrounds: string[], least: number][] = [
  ['text', ['page', 'surface', 'sunken', 'hover', 'accent-soft'], 4.5],
  ['text-soft', ['page', 'surface', 'sunken', 'hover', 'accent-soft'], 4.5],
  ['accent-text', ['page', 'surface', 'sunken', 'hover', 'accent-soft'], 4.5],
  ['on-accent', ['accent', 'accent-hover'], 4.5],
  ['refused-text', ['page', 'surface'], 4.5],
  ['line-strong', ['page', 'surface'], 3],
  ['focus', ['page', 'surface', 'sunken'], 3],
  ...meanings.map((each): [string, string[], number] => [`${each}-text`, [`${each}-back`], 4.5]),
]

for (const theme of ['light', 'dark'] as const)
  test(`every text has enough contrast in the ${theme} theme`, () => {
    const short = pairs.flatMap(([text, backgrounds, least]) =>
      backgrounds
        .map((background) => ({ text, background, ratio: contrast(color(text, theme), color(background, theme)) }))
        .filter(({ ratio }) => ratio < least),
    )
    assert.deepEqual(short, [])
  })

function color(name: string, theme: 'light' | 'dark'): string {
  return colors.get(name)?.[theme] ?? assert.fail(`--${name} is no color with six digits`)
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
