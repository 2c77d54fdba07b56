import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { townKey } from './street-text.ts'

/** Locations of towns and postal codes, from the data files that ship with the service, read independently of the service. */

export interface Zip {
  code: string
  state: string
  county: string
  towns: string[]
  lat: number
  lon: number
}

interface Position {
  lat: number
  lon: number
}

export interface Town extends Position {
  name: string
}

const FOLDER = path.resolve(import.meta.dirname, '../../server/src/engines/addresses/postal/data')

export class Gazetteer {
  readonly #zips = new Map<string, Zip>()
  readonly #byCounty = new Map<string, Zip[]>()
  readonly #byTown = new Map<string, Zip[]>()
  readonly #canadian = new Map<string, Town[]>()
  readonly #areas: (Position & { code: string })[]

  constructor() {
    for (const [code = '', state = '', county = '', town = '', lat, lon] of rowsOf('us-zips.tsv.gz')) {
      const known = this.#zips.get(code)
      if (known) known.towns.push(town)
      const zip = known ?? { code, state, county, towns: [town], lat: Number(lat), lon: Number(lon) }
      if (!known) {
        this.#zips.set(code, zip)
        listed(this.#byCounty, state + county).push(zip)
      }
      listed(this.#byTown, state + townKey(town)).push(zip)
    }
    for (const [country, state = '', name = '', lat, lon] of rowsOf('places.tsv.gz'))
      if (country === 'CA') listed(this.#canadian, state).push({ name, lat: Number(lat), lon: Number(lon) })
    this.#areas = [...rowsOf('ca-areas.tsv.gz')].map(([code = '', lat, lon]) => ({
      code,
      lat: Number(lat),
      lon: Number(lon),
    }))
  }

  zip(code: string): Zip | undefined {
    return this.#zips.get(code)
  }

  /** All ZIP codes of a ZIP code's county. */
  countyOf({ state, county }: Zip): readonly Zip[] {
    return county === '' ? [] : (this.#byCounty.get(state + county) ?? [])
  }

  zipsOf(state: string, town: string): readonly Zip[] {
    return this.#byTown.get(state + townKey(town)) ?? []
  }

  canadianTowns(state: string, name?: string): readonly Town[] {
    const all = this.#canadian.get(state) ?? []
    return name === undefined ? all : all.filter((town) => townKey(town.name) === townKey(name))
  }

  /** Places within a range of distances. */
  within<P extends Position>(center: Position, of: readonly P[], least_km: number, most_km: number): P[] {
    return of.filter((one) => {
      const km = kilometers(center, one)
      return km >= least_km && km <= most_km
    })
  }

  /** A postal code in the area nearest to a Canadian town. */
  canadianCode(town: Position): string | undefined {
    const [nearest] = this.#areas.toSorted((a, b) => kilometers(a, town) - kilometers(b, town))
    return nearest && `${nearest.code} 1A1`
  }
}

function* rowsOf(file: string): Generator<string[]> {
  for (const line of gunzipSync(readFileSync(path.join(FOLDER, file)))
    .toString('utf8')
    .split('\n'))
    if (line !== '') yield line.split('\t')
}

export function listed<V>(map: Map<string, V[]>, key: string): V[] {
  const known = map.get(key)
  if (known) return known
  const made: V[] = []
  map.set(key, made)
  return made
}

/** Accurate enough below a hundred kilometers. */
function kilometers(a: Position, b: Position): number {
  const east = (a.lon - b.lon) * Math.cos((a.lat * Math.PI) / 180)
  return Math.hypot(a.lat - b.lat, east) * 111.2
}
