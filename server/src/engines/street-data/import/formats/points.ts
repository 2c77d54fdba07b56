import { firstOf, joined, type Format, type Get, type Sink } from '../format.ts'
import { englishDirection, fold, frenchOrdinal, stateNamed, typeId } from '../../../addresses/index.ts'

/** OpenAddresses: one record per address; CSV in capitals, GeoJSON lines in small letters. */
const openAddresses = {
  extensions: ['.csv', '.geojson', '.json', '.jsonl'],
  kind: 'point',
  authority: 'indicative',
  read(get: Get, sink: Sink) {
    sink.row({
      street: get('street'),
      low: get('number'),
      state: get('region'),
      postal: get('postcode'),
      city: get('city'),
    })
  },
} as const

export const openAddressesCsv: Format = { ...openAddresses, container: 'csv' }
export const openAddressesGeojsonl: Format = { ...openAddresses, container: 'json' }

/** The columns of a street's name in the NENA and FGDC schemas, in their order. */
function nenaStreet(get: Get): string {
  return joined(
    get('st_premod'),
    get('st_predir'),
    get('st_pretyp'),
    get('st_presep'),
    get('st_name'),
    get('st_postyp'),
    get('st_posdir'),
    get('st_posmod'),
  )
}

/** Column names of the first releases. */
function olderNadStreet(get: Get): string {
  const parts = ['premod', 'predir', 'pretyp', 'presep'].map((part) => get(`stn_${part}`))
  const after = ['postyp', 'posdir', 'posmod'].map((part) => get(`stn_${part}`))
  return joined(...parts, get('streetname'), ...after)
}

function nenaNumber(get: Get): string {
  const suffix = get('addnum_suf')
  return `${get('addnum_pre')}${get('add_number')}${/^\d/.test(suffix) ? ` ${suffix}` : suffix}`
}

/** National Address Database (US DOT), one record per address. */
export const nadCsv: Format = {
  container: 'csv',
  extensions: ['.csv', '.txt'],
  kind: 'point',
  authority: 'indicative',
  read(get, sink) {
    const [post, municipal] = [firstOf(get, 'post_city', 'post_comm'), named(get('inc_muni'))]
    if (/^retired$/i.test(get('lifecycle'))) return sink.skip('marked as not in use')
    return sink.row({
      street: nenaStreet(get) || olderNadStreet(get) || get('stnam_full'),
      low: nenaNumber(get) || get('addno_full'),
      country: 'US',
      state: get('state'),
      postal: get('zip_code'),
      city: named(post) || municipal || named(get('uninc_comm')),
      also: [municipal, named(get('uninc_comm'))],
    })
  },
}

/** NENA site and structure address points (NENA-STA-006). */
export const nenaSsapCsv: Format = {
  container: 'csv',
  extensions: ['.csv', '.txt'],
  kind: 'point',
  authority: 'authoritative',
  read(get, sink) {
    const post = firstOf(get, 'post_comm', 'postcomm')
    sink.row({
      street: nenaStreet(get) || joined(get('prd'), get('stp'), get('rd'), get('sts'), get('pod')),
      low: nenaNumber(get) || joined(get('hno'), get('hns')),
      country: get('country'),
      state: get('state'),
      postal: firstOf(get, 'post_code', 'zip'),
      city: firstOf(get, 'msagcomm', 'msagco', 'inc_muni') || named(get('uninc_comm')) || post,
      also: [post],
      esn: get('esn'),
      psap: get('psap'),
    })
  },
}

/** Empty for the values that the schemas use for a missing name. */
function named(city: string): string {
  return /^(?:unincorporated|not stated|unknown|none|n\/a)$/i.test(city) ? '' : city
}

/**
 * Statistics Canada's National Address Register: one record per address, with an official and a postal name of the street,
 * both of which are in use.
 */
export const narCsv: Format = {
  container: 'csv',
  extensions: ['.csv'],
  // the archive also has files of locations
  files: /^address/i,
  kind: 'point',
  authority: 'indicative',
  read(get, sink) {
    const state = get('mail_prov_abvn') || (stateNamed(get('prov_code'), 'CA') ?? '')
    const [mail, english, french] = [get('mail_mun_name'), get('csd_eng_name'), get('csd_fre_name')]
    const suffix = get('civic_no_suffix')
    const row = {
      low: `${get('civic_no')}${suffix.includes('/') ? ` ${suffix}` : suffix}`,
      country: 'CA',
      state,
      postal: get('mail_postal_code'),
      city: mail || english || french,
      also: [english, french],
    }
    const official = narStreet(get, 'official_street', state)
    const postal = narStreet(get, 'mail_street', state)
    sink.row({ ...row, street: official || postal })
    if (postal !== '' && official !== '' && postal !== official) sink.row({ ...row, street: postal })
  },
}

/** The register has the type in its own column; French types come before the name. */
function narStreet(get: Get, prefix: string, state: string): string {
  const [name, type, direction] = [get(`${prefix}_name`), get(`${prefix}_type`), get(`${prefix}_dir`)]
  if (name === '') return ''
  const plain = fold(type)
  const french = typeId(plain, 'CA', 'fr') !== undefined && (state === 'QC' || typeId(plain, 'CA') === undefined)
  const ordinal = frenchOrdinal(fold(name)) !== undefined
  return french && !ordinal ? joined(type, name, direction) : joined(name, type, direction)
}

/** `12 MAIN ST` on each line; the end of the number is parsed from the words. City and state come from the options. */
export const addressLines: Format = {
  container: 'lines',
  extensions: ['.txt'],
  kind: 'point',
  authority: 'indicative',
  read(get, sink) {
    const [number = '', second = '', third = '', ...rest] = fold(get('line')).split(' ')
    if (!/^\d/.test(number) || second === '') return sink.skip('not a record')
    const fraction = /^\d+\/\d+$/.test(second)
    // in 105 B HOBBS CRES the letter belongs to the number, in 105 B ST and 105 N HOBBS ST to the street
    const letter = /^[A-Z]$/.test(second) && englishDirection(second) === undefined
    const suffix = fraction || (letter && rest.length > 0 && typeId(third, 'CA') === undefined)
    return suffix
      ? sink.row({ street: joined(third, ...rest), low: joined(number, second) })
      : sink.row({ street: joined(second, third, ...rest), low: number })
  },
}
