import { fold, words } from './text.ts'

const SAME: Record<string, string> = {
  SAINT: 'ST',
  SAINTE: 'STE',
  MOUNT: 'MT',
  MOUNTAIN: 'MTN',
  FORT: 'FT',
  POINT: 'PT',
  PORT: 'PRT',
  HEIGHTS: 'HTS',
  HTS: 'HTS',
  SPRINGS: 'SPGS',
  SPRING: 'SPG',
  BEACH: 'BCH',
  JUNCTION: 'JCT',
  TOWNSHIP: 'TWP',
  VILLAGE: 'VLG',
  LAKE: 'LK',
  ISLAND: 'IS',
  VALLEY: 'VLY',
  COUNTY: 'CO',
  CITY: 'CY',
  NORTH: 'N',
  SOUTH: 'S',
  EAST: 'E',
  WEST: 'W',
  AND: '',
  ET: '',
}
const PREFIX =
  /^(?:(?:CITY|TOWN|TOWNSHIP|VILLAGE|MUNICIPALITY|DISTRICT|BOROUGH|HAMLET) OF|(?:VILLE|VILLAGE|MUNICIPALITE|CANTON) (?:DE|DU|D)) /

/**
 * Equal for all spellings of a city: `St. Louis`, `SAINT LOUIS` → `STLOUIS`; `Montréal` → `MONTREAL`;
 * `City of Winnipeg` → `WINNIPEG`. Ignores spaces.
 */
export function cityKey(city: string): string {
  const plain = words(city).join(' ').replaceAll("'", '').replace(PREFIX, '')
  const short = plain.split(' ').map((word) => SAME[word] ?? word)
  return short.join('')
}

/** As written in responses: upper case, without accents and periods, with hyphens and apostrophes. */
export function cityLabel(city: string): string {
  return fold(city)
    .replace(/[^A-Z0-9'&/() -]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
