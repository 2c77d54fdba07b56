import {
  firstOf,
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
 * Master Street Address Guide (NENA-STA-015). Blank or zero low and high mean a street without numbers. A guide has 911
 * communities and usually no postal codes.
 */
function msag(get: Get, sink: Sink): void {
  const [low, high] = [numberOrBlank(get('low')), numberOrBlank(get('high'))]
  sink.row({
    street: joined(get('pre'), get('street'), get('type'), get('post')),
    low,
    high: high || low,
    parity: parityOf(get('parity'), low, high || low),
    state: get('state'),
    postal: get('zip'),
    city: get('community'),
    esn: get('esn'),
    psap: get('psap'),
  })
}

function numberOrBlank(text: string): string {
  return /^0*$/.test(text) ? '' : text
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
    const left = centerLine(get, sink, street, 'l')
    const right = centerLine(get, sink, street, 'r')
    if (!left && !right) sink.skip(street === '' ? 'no street name' : 'no house number')
  },
}

function centerLine(get: Get, sink: Sink, street: string, side: 'l' | 'r'): boolean {
  const low = numberOrBlank(firstOf(get, `fromaddr_${side}`, `${side}_f_add`))
  const high = numberOrBlank(firstOf(get, `toaddr_${side}`, `${side}_t_add`))
  const parity = firstOf(get, `parity_${side}`)
  if (street === '' || low === '' || high === '' || /^z/i.test(parity)) return false
  if (/^n/i.test(get(`valid_${side}`))) {
    sink.skip('marked as not in use')
    return true
  }
  const post = firstOf(get, `postcomm_${side}`, `postco_${side}`)
  sink.row({
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
  return true
}
