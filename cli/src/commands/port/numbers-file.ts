import type { Context } from '../../context.ts'
import { usage } from '../../failure.ts'
import type { Input } from '../../input.ts'
import { readText } from '../../io.ts'
import type { Option } from '../../verb.ts'

/** Numbers to port, from the command line and from a file. */

export const numbersOption = {
  name: 'number',
  value: 'number',
  many: true,
  summary: 'Number to port, such as +12065550100',
} as const satisfies Option

export const numbersFileOption = {
  name: 'numbers-file',
  value: 'file',
  summary: 'File with one number per line, or a CSV with numbers in the first column; - is standard input',
} as const satisfies Option

/** The numbers from both options in the API's format. Invalid ones are passed on, so that the service explains why. */
export async function numbersOf(context: Context, input: Input): Promise<string[]> {
  const file = input.text(numbersFileOption.name)
  const texts = [...input.texts(numbersOption.name), ...(file === undefined ? [] : await numbersIn(context, file))]
  return texts.map((text) => {
    const digits = text.replace(/^tel:/, '').replace(/[\s().-]/g, '')
    if (/^[2-9]\d{9}$/.test(digits)) return `+1${digits}`
    return /^1\d{10}$/.test(digits) ? `+${digits}` : digits
  })
}

async function numbersIn(context: Context, file: string): Promise<string[]> {
  const lines = (await readText(context.io, file)).replace(/^\uFEFF/, '').split(/\r?\n/)
  const cells = lines
    .map((line) => (line.split(/[,;\t]/)[0] ?? '').replaceAll('"', '').trim())
    .filter((cell) => cell !== '')
  // a header line or a comment has no digits
  const numbers = cells.filter((cell) => /\d/.test(cell) && !cell.startsWith('#'))
  if (numbers.length === 0) throw usage(`--${numbersFileOption.name}`, `${file} has no numbers.`)
  return numbers
}
