import { postalRows } from './data.ts'

let loaded: Map<string, string> | undefined

/**
 * The name of a county of the United States by its state and the three digits of its FIPS code (`NC`, `143`); undefined for
 * one that the postal data does not have. Loaded at the first call, because only the operator's coverage needs it.
 */
export function countyName(state: string, code: string): string | undefined {
  loaded ??= new Map(
    [...postalRows('us-counties.tsv.gz')].map(([its = '', county = '', name = '']) => [its + county, name]),
  )
  return loaded.get(state + code)
}
