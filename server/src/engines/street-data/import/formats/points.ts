import { firstOf, joined, namedColumns, TABLE_EXTENSIONS, type Format, type Get, type Sink } from '../format.ts'
import { englishDirection, fold, frenchOrdinal, stateNamed, typeId } from '../../../addresses/index.ts'

/** OpenAddresses: one record per address; CSV headings are upper case, GeoJSON properties lower case. */
const openAddresses: Format = {
  container: 'table',
  extensions: ['.csv', '.geojson', '.json', '.jsonl'],
  columns: namedColumns('number', 'street', 'city', 'region', 'postcode'),
  required: [['number'], ['street']],
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
}

export const openAddressesCsv: Format = openAddresses
export const openAddressesGeojsonl: Format = openAddresses

/** The columns of a street name in the NENA and FGDC schemas, in order. */
export const NENA_STREET = ['st_premod', 'st_predir', 'st_pretyp', 'st_presep', 'st_name', 'st_postyp'].concat([
  'st_posdir',
  'st_posmod',
])
/** Columns of older NENA versions. */
export const OLDER_NENA_STREET = ['prd', 'stp', 'rd', 'sts', 'pod'] as const
const OLDER_NAD_STREET = ['premod', 'predir', 'pretyp', 'presep', 'postyp', 'posdir', 'posmod'].map(
  (part) => `stn_${part}`,
)
const NENA_NUMBER = ['addnum_pre', 'add_number', 'addnum_suf'] as const

export function nenaStreet(get: Get): string {
  return joined(...NENA_STREET.map(get))
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
  container: 'table',
  extensions: TABLE_EXTENSIONS,
  columns: namedColumns(
    [...NENA_STREET, ...OLDER_NAD_STREET, 'streetname', 'stnam_full', ...NENA_NUMBER, 'addno_full'],
    ['state', 'zip_code', 'post_city', 'post_comm', 'inc_muni', 'uninc_comm', 'lifecycle'],
  ),
  required: [
    ['st_name', 'streetname', 'stnam_full'],
    ['add_number', 'addno_full'],
  ],
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
  container: 'table',
  extensions: TABLE_EXTENSIONS,
  columns: namedColumns(
    [...NENA_STREET, ...OLDER_NENA_STREET, ...NENA_NUMBER, 'hno', 'hns', 'country', 'state', 'post_code', 'zip'],
    ['msagcomm', 'msagco', 'inc_muni', 'uninc_comm', 'post_comm', 'postcomm', 'esn', 'psap'],
  ),
  required: [
    ['st_name', 'rd'],
    ['add_number', 'hno'],
  ],
  kind: 'point',
  authority: 'authoritative',
  read(get, sink) {
    const post = firstOf(get, 'post_comm', 'postcomm')
    sink.row({
      street: nenaStreet(get) || joined(...OLDER_NENA_STREET.map(get)),
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

/** Empty for the schemas' placeholders for a missing name. */
function named(city: string): string {
  return /^(?:unincorporated|not stated|unknown|none|n\/a)$/i.test(city) ? '' : city
}

/**
 * Statistics Canada's National Address Register: one record per address, with an official and a postal street name, which are
 * both in use.
 */
export const narCsv: Format = {
  container: 'table',
  extensions: ['.csv'],
  columns: namedColumns(
    ['civic_no', 'civic_no_suffix', 'official_street_name', 'official_street_type', 'official_street_dir'],
    ['mail_street_name', 'mail_street_type', 'mail_street_dir', 'mail_prov_abvn', 'prov_code', 'mail_mun_name'],
    ['csd_eng_name', 'csd_fre_name', 'mail_postal_code'],
  ),
  required: [['civic_no'], ['official_street_name', 'mail_street_name']],
  // the archive also contains location files
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

/** The register has the type in a separate column; French types come before the name. */
function narStreet(get: Get, prefix: string, state: string): string {
  const [name, type, direction] = [get(`${prefix}_name`), get(`${prefix}_type`), get(`${prefix}_dir`)]
  if (name === '') return ''
  const plain = fold(type)
  const french = typeId(plain, 'CA', 'fr') !== undefined && (state === 'QC' || typeId(plain, 'CA') === undefined)
  const ordinal = frenchOrdinal(fold(name)) !== undefined
  return french && !ordinal ? joined(type, name, direction) : joined(name, type, direction)
}

/** `12 MAIN ST` on each line, split into number and street. City and state come from the options. */
export const addressLines: Format = {
  container: 'lines',
  extensions: ['.txt'],
  columns: {},
  required: [],
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
