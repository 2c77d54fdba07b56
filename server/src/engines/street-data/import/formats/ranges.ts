import {
  endsOf,
  firstOf,
  isZeroOrBlank,
  joined,
  namedColumns,
  parityOf,
  TABLE_EXTENSIONS,
  type Format,
  type Get,
  type Sink,
} from '../format.ts'
import { NENA_STREET, nenaStreet, OLDER_NENA_STREET } from './points.ts'

/** Our column names of an MSAG → the headings of common spreadsheet exports. */
const MSAG_COLUMNS = {
  pre: 'dir',
  street: 'street',
  type: 'suffix',
  post: 'post_dir',
  low: 'low',
  high: 'high',
  parity: 'o/e',
  community: 'community',
  state: 'state',
  zip: 'zip',
  esn: 'esn',
  psap: 'psap',
}

/**
 * Master Street Address Guide (NENA-STA-015). Blank or zero low and high mean a street without numbers, and a blank or zero high
 * alone a single number. A guide has 911 communities and usually no postal codes.
 */
function msag(get: Get, sink: Sink): void {
  const numbered = endsOf(get('low'), get('high')) !== 'no numbers'
  const low = numbered ? get('low') : ''
  const high = isZeroOrBlank(get('high')) ? low : get('high')
  if (numbered && low === '') return sink.skip('only one end of a range')
  return sink.row({
    street: joined(get('pre'), get('street'), get('type'), get('post')),
    low,
    high,
    parity: parityOf(get('parity'), low, high),
    state: get('state'),
    postal: get('zip'),
    city: get('community'),
    esn: get('esn'),
    psap: get('psap'),
  })
}

export const msagCsv: Format = {
  container: 'table',
  extensions: TABLE_EXTENSIONS,
  kind: 'range',
  authority: 'authoritative',
  columns: MSAG_COLUMNS,
  required: [['street'], ['low']],
  read: msag,
}

/** The published layout of the AT&T (BellSouth) tape; other guides need `layout`. */
export const msagFixed: Format = {
  container: 'fixed',
  extensions: ['.txt', '.dat'],
  columns: namedColumns(Object.keys(MSAG_COLUMNS)),
  required: [],
  kind: 'range',
  authority: 'authoritative',
  layout: {
    pre: [1, 2],
    street: [3, 50],
    low: [59, 66],
    high: [91, 98],
    community: [115, 146],
    state: [147, 148],
  },
  read: msag,
}

const SIDE_COLUMNS = [
  'fromaddr_?',
  '?_f_add',
  'toaddr_?',
  '?_t_add',
  'parity_?',
  'valid_?',
  'adnumpre_?',
  'country_?',
].concat([
  'state_?',
  'postcode_?',
  'zip_?',
  'msagcomm_?',
  'msagco_?',
  'incmuni_?',
  'postcomm_?',
  'postco_?',
  'esn_?',
  'psap_?',
])

/** NENA road center lines (NENA-STA-006), with the column names of the current and older versions. */
export const nenaRclCsv: Format = {
  container: 'table',
  extensions: TABLE_EXTENSIONS,
  kind: 'range',
  authority: 'authoritative',
  columns: namedColumns(
    [...NENA_STREET, ...OLDER_NENA_STREET],
    ['l', 'r'].flatMap((side) => SIDE_COLUMNS.map((name) => name.replace('?', side))),
  ),
  required: [
    ['st_name', 'rd'],
    ['fromaddr_l', 'l_f_add', 'fromaddr_r', 'r_f_add'],
  ],
  read(get, sink) {
    const street = nenaStreet(get) || joined(...OLDER_NENA_STREET.map(get))
    if (street === '') return sink.skip('no street name')
    centerLine(get, sink, street, 'l')
    return centerLine(get, sink, street, 'r')
  },
}

function centerLine(get: Get, sink: Sink, street: string, side: 'l' | 'r'): void {
  const low = firstOf(get, `fromaddr_${side}`, `${side}_f_add`)
  const high = firstOf(get, `toaddr_${side}`, `${side}_t_add`)
  const parity = firstOf(get, `parity_${side}`)
  const ends = endsOf(low, high)
  if (ends === 'no numbers') return undefined
  if (ends !== 'range') return sink.skip(ends)
  if (/^z/i.test(parity)) return sink.skip('parity Z with a range')
  if (/^n/i.test(get(`valid_${side}`))) return sink.skip('marked as not in use')
  const post = firstOf(get, `postcomm_${side}`, `postco_${side}`)
  return sink.row({
    street,
    low: get(`adnumpre_${side}`) + low,
    high: get(`adnumpre_${side}`) + high,
    parity: parityOf(parity, low, high),
    country: get(`country_${side}`),
    state: get(`state_${side}`),
    postal: firstOf(get, `postcode_${side}`, `zip_${side}`),
    city: firstOf(get, `msagcomm_${side}`, `msagco_${side}`, `incmuni_${side}`) || post,
    also: [post],
    esn: get(`esn_${side}`),
    psap: get(`psap_${side}`),
  })
}
