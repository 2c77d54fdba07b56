import type { Layout } from './records.ts'

/** `low=FROM_NUM,high=TO_NUM` → our column names and the file's. */
export function pairsOption(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new Error(`"${pair}" is not of the form ours=theirs.`)
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
    }),
  )
}

/** `street=3-50,low=59-66` → positions counted from 1. */
export function layoutOption(text: string): Layout {
  return Object.fromEntries(
    Object.entries(pairsOption(text)).map(([name, positions]) => {
      const [first, last] = positions.split('-').map(Number)
      if (!first || !last || last < first) throw new Error(`"${positions}" is not of the form first-last.`)
      return [name, [first, last] as const]
    }),
  )
}
