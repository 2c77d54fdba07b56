import { countryOfState } from '../../addresses/index.ts'
import { FORMATS, type FormatName } from './formats/index.ts'
import type { Format, Layout } from './format.ts'

/** Import options that depend on each other. */
export interface CheckedOptions {
  columns?: Record<string, string> | undefined
  layout?: Layout | undefined
  state?: string | undefined
  country?: string | undefined
}

/** Validation errors of import options, by option. */
export function optionErrors(
  name: FormatName,
  { columns, layout, state, country }: CheckedOptions,
): Record<string, string[]> {
  const format: Format = FORMATS[name]
  const errors: Record<string, string[]> = {}
  const known = Object.keys(format.columns)
  const unknown = (names: object) => Object.keys(names).filter((each) => !known.includes(each))
  const message = (names: string[]) => `Unknown name: ${names.join(', ')}. Known names: ${known.join(', ')}.`
  if (columns && (format.container === 'fixed' || format.container === 'lines'))
    errors['columns'] = [`Files of the format ${name} have no column names.`]
  else if (columns && unknown(columns).length > 0) errors['columns'] = [message(unknown(columns))]
  if (layout && format.container !== 'fixed') errors['layout'] = ['Only for the format msag-fixed.']
  else if (layout && unknown(layout).length > 0) errors['layout'] = [message(unknown(layout))]
  const state_country = state === undefined ? undefined : countryOfState(state)
  if (state !== undefined && state_country === undefined) errors['state'] = [`${state} is not a state or province.`]
  if (state_country !== undefined && country !== undefined && state_country !== country)
    errors['state'] = [`${state} is not in ${country}.`]
  return errors
}

/** `low=FROM_NUM,high=TO_NUM` → our column names with those of the file. */
export function pairsOption(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair): [string, string] => {
    const at = pair.indexOf('=')
    const [ours, theirs] = [pair.slice(0, at).trim().toLowerCase(), pair.slice(at + 1).trim()]
    if (at < 1 || theirs === '') throw new Error(`"${pair}" must have the form ours=theirs.`)
    return [ours, theirs]
  })
  const twice = pairs.find(([ours], i) => pairs.findIndex(([other]) => other === ours) !== i)
  if (twice) throw new Error(`${twice[0]} is given more than once.`)
  return Object.fromEntries(pairs)
}

/** `street=3-50,low=59-66` → positions counted from 1. */
export function layoutOption(text: string): Layout {
  return Object.fromEntries(
    Object.entries(pairsOption(text)).map(([name, positions]) => {
      const [first, last] = positions.split('-').map(Number)
      if (!first || !last || last < first) throw new Error(`"${positions}" must have the form first-last.`)
      return [name, [first, last] as const]
    }),
  )
}
