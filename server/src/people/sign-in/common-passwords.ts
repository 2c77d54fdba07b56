import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'

/**
 * The 10,000 most common passwords, and further common ones that are long enough to be chosen here, in lower case. NOTICE has
 * the source. Read at first use, which keeps it out of start-up.
 */
const file = path.join(import.meta.dirname, 'data/common-passwords.txt.gz')
let loaded: ReadonlySet<string> | null = null
const common = () => (loaded ??= new Set(gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')))

/** Whether a password is common, or at least half of it is a common one: with digits around it, look-alikes in it, or repeated. */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase()
  const plain = text.replaceAll(/[^\p{L}\p{N}]/gu, '')
  const core = text.replace(/^[^\p{L}]+|[\p{N}\p{P}\p{S}\p{Z}]+$/gu, '')
  const forms = [text, plain, repeatedUnit(plain), core, withLetters(core)]
  return forms.some((form) => common().has(form) && (form.length * 2 >= text.length || form === repeatedUnit(plain)))
}

/** `abcabc` is `abc` twice. */
const repeatedUnit = (text: string) => /^(.+?)\1*$/u.exec(text)?.[1] ?? text

const similarLetters: Readonly<Record<string, string>> = {
  '@': 'a',
  '0': 'o',
  '1': 'l',
  '3': 'e',
  $: 's',
  '5': 's',
  '7': 't',
}
const withLetters = (text: string) => text.replaceAll(/[@01357$]/g, (sign) => similarLetters[sign] ?? sign)
