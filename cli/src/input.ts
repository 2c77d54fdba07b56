import { usage } from './failure.ts'

/** A command's input, read by name and type. Rejects values of the wrong type. */
export interface Input {
  /** The words after `demarc`: `numbers list`. */
  command: string
  /** A required argument. The parser rejects commands without theirs. */
  argument(name: string): string
  optionalArgument(name: string): string | undefined
  /** An argument that takes all remaining words. */
  argumentList(name: string): readonly string[]
  text(option: string): string | undefined
  texts(option: string): readonly string[]
  flag(option: string): boolean
  /** A whole number of at least `min`. */
  integer(option: string, min?: number): number | undefined
  /** A duration in seconds or as `90s`, `5m`, `2h`; returned as milliseconds. */
  duration_ms(option: string): number | undefined
}

const units_ms: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }

/** A command's input from the parser's result. */
export function inputOf(
  command: string,
  args: Readonly<Record<string, unknown>>,
  options: Readonly<Record<string, unknown>>,
): Input {
  const text = (option: string) => {
    const value = options[option]
    return typeof value === 'string' ? value : undefined
  }
  const list = (value: unknown): readonly string[] =>
    Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : []
  const optionalArgument = (name: string) => {
    const value = args[name]
    return typeof value === 'string' ? value : undefined
  }
  return {
    command,
    optionalArgument,
    argument(name) {
      const value = optionalArgument(name)
      if (value === undefined) throw usage(name, 'Required.', `For usage, run demarc ${command} --help.`)
      return value
    },
    argumentList: (name) => list(args[name]),
    text,
    texts: (option) => list(options[option]),
    flag: (option) => options[option] === true,
    integer(option, min = 0) {
      const value = text(option)
      if (value === undefined) return undefined
      const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
      if (!(number >= min)) throw usage(`--${option}`, `Must be a whole number of ${min} or more, not ${value}.`)
      return number
    },
    duration_ms(option) {
      const value = text(option)
      if (value === undefined) return undefined
      const [, count, unit = 's'] = /^(\d{1,9}(?:\.\d+)?)([smh])?$/.exec(value) ?? []
      const ms = Number(count) * (units_ms[unit] ?? Number.NaN)
      if (count === undefined || Number.isNaN(ms))
        throw usage(`--${option}`, `Must be a time such as 90, 90s, 5m or 2h, not ${value}.`)
      return ms
    },
  }
}
