import type { e911Datasets, ResponseBody } from '@demarc/client'
import { countyName, preparePostalData, statesOfUs, type PostalData } from '../addresses/index.ts'
import type { Executor } from '../../platform/db.ts'
import { ownTurn } from '../../platform/turns.ts'
import { bestCoverage, type BestCoverage } from './coverage-store.ts'

/** Coverage of each US county by the active data, measured by the ZIP codes that the postal data assigns to it. */

type CountyCoverage = ResponseBody<typeof e911Datasets.listE911Counties>['data'][number]

/** Counties of all states or of one, least covered first, ties by the number of ZIP codes. */
export async function coverageByCounty(db: Executor, state: string | undefined): Promise<CountyCoverage[]> {
  const places = Map.groupBy(await bestCoverage(db, state), (place) => place.state)
  const states = state === undefined ? [...statesOfUs.keys()] : statesOfUs.has(state) ? [state] : []
  const found: CountyCoverage[] = []
  const postal = await preparePostalData()
  for (const one of states) {
    const entries = postal.inState('US', one)
    // a turn for each, because all states together take more than 100 ms, which would delay other requests
    await ownTurn(entries.length, 0)
    found.push(...countiesOf(one, places.get(one) ?? [], entries, postal))
  }
  return found.toSorted(worstFirst)
}

interface County {
  /** Coverage of each ZIP code; null without data. */
  levels: Map<string, Level | null>
  streets: number
}

type Entry = { zip: string | null }
type Level = BestCoverage['coverage']
const levels: readonly (Level | null)[] = [null, 'thin', 'partial', 'covered']

/** A city in data without codes passes its coverage on to each of its ZIP codes with houses. */
function countiesOf(
  state: string,
  places: readonly BestCoverage[],
  entries: readonly Entry[],
  data: PostalData,
): CountyCoverage[] {
  const counties = new Map<string, County>()
  const countyOf = (code: string): County => {
    const zip = data.zip(code)
    const id = zip?.state === state ? zip.county : ''
    const county = counties.get(id) ?? { levels: new Map(), streets: 0 }
    counties.set(id, county)
    return county
  }
  const raise = (code: string, level: Level | null): void => {
    const its = countyOf(code).levels
    its.set(code, better(level, its.get(code) ?? null))
  }
  for (const code of codesWithHouses(state, entries, data)) raise(code, null)
  for (const { postal, city_key, streets, coverage } of places) {
    const codes = postal === '' ? codesWithHouses(state, data.named('US', state, city_key), data) : [postal]
    for (const code of codes) raise(code, coverage)
    mostFrequent(codes.length === 0 ? [countyOf('')] : codes.map(countyOf)).streets += streets
  }
  return [...counties].map(([code, county]) => countedCounty(state, code, county))
}

function codesWithHouses(state: string, entries: readonly Entry[], data: PostalData): string[] {
  return entries.flatMap(({ zip: code }) => {
    const zip = code === null ? undefined : data.zip(code)
    return zip?.state === state && zip.has_area ? [zip.code] : []
  })
}

const better = (a: Level | null, b: Level | null): Level | null => (levels.indexOf(a) > levels.indexOf(b) ? a : b)

/** The streets of a city in several counties count toward the one with most of its codes. */
function mostFrequent(counties: readonly County[]): County {
  const [first, ...rest] = counties
  if (first === undefined) throw new Error('a place is in one county at least')
  const count = (county: County) => counties.filter((one) => one === county).length
  return rest.reduce((most, county) => (count(county) > count(most) ? county : most), first)
}

function countedCounty(state: string, code: string, { levels: of, streets }: County): CountyCoverage {
  const count = (level: Level | null) => [...of.values()].filter((one) => one === level).length
  return {
    country: 'US',
    state,
    fips: code === '' ? null : `${statesOfUs.get(state) ?? ''}${code}`,
    name: code === '' ? null : (countyName(state, code) ?? null),
    zip_codes: of.size,
    covered: count('covered'),
    partial: count('partial'),
    thin: count('thin'),
    without_data: count(null),
    streets,
  }
}

/** ZIP codes of unknown counties come last, because there is no county file to load for them. */
function worstFirst(a: CountyCoverage, b: CountyCoverage): number {
  return (
    Number(a.fips === null) - Number(b.fips === null) ||
    coveredShare(a) - coveredShare(b) ||
    b.zip_codes - a.zip_codes ||
    (a.fips ?? a.state).localeCompare(b.fips ?? b.state, 'en')
  )
}

const coveredShare = ({ covered, zip_codes }: CountyCoverage): number => (zip_codes === 0 ? 0 : covered / zip_codes)
