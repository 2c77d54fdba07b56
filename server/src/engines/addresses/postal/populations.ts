import { cityKey } from '../normalize/city.ts'
import type { Country } from '../normalize/types.ts'
import { postalRows } from './data.ts'

let loaded: Map<string, number> | undefined

/**
 * The inhabitants of a place by its `cityKey`; undefined for one of fewer than 500, and for a name that is not in the
 * gazetteer. Of several places of one name in a state, those of the smallest. Loaded at the first call, because only
 * imports need it.
 */
export function population(country: Country, state: string, city_key: string): number | undefined {
  loaded ??= load()
  return loaded.get(`${country}|${state}|${city_key}`)
}

function load(): Map<string, number> {
  const inhabitants = new Map<string, number>()
  for (const [country = '', state = '', name = '', count = ''] of postalRows('populations.tsv.gz')) {
    const id = `${country}|${state}|${cityKey(name)}`
    inhabitants.set(id, Math.min(Number(count), inhabitants.get(id) ?? Number.POSITIVE_INFINITY))
  }
  return inhabitants
}
