import { firstOf, joined, parityOf, type Format, type Get, type Sink } from '../format.ts'

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
 * Master Street Address Guide (NENA-STA-015). A blank or zero low and high mean a street without numbers. The guide has
 * 911 communities and usually no postal codes.
 */
function msag(get: Get, sink: Sink): void {
  const [low, high] = [numberOrBlank(get('low')), numberOrBlank(get('high'))]
  sink.row({
    street: joined(get('pre'), get('street'), get('type'), get('post')),
    low,
    high: high || low,
    parity: parityOf(get('parity')),
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
  container: 'csv',
  extensions: ['.csv', '.txt'],
  kind: 'range',
  authority: 'authoritative',
  columns: MSAG_COLUMNS,
  read: msag,
}

/** The published layout of the AT&T (BellSouth) tape; other guides need `layout`. */
export const msagFixed: Format = {
  container: 'fixed',
  extensions: ['.txt', '.dat'],
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

/** NENA road centre lines (NENA-STA-006), with the column names of the current and the older version. */
export const nenaRclCsv: Format = {
  container: 'csv',
  extensions: ['.csv', '.txt'],
  kind: 'range',
  authority: 'authoritative',
  read(get, sink) {
    const street =
      joined(
        get('st_premod'),
        get('st_predir'),
        get('st_pretyp'),
        get('st_presep'),
        get('st_name'),
        get('st_postyp'),
        get('st_posdir'),
        get('st_posmod'),
      ) || joined(get('prd'), get('stp'), get('rd'), get('sts'), get('pod'))
    const left = centreLine(get, sink, street, 'l')
    const right = centreLine(get, sink, street, 'r')
    if (!left && !right) sink.skip(street === '' ? 'no street name' : 'no house number')
  },
}

function centreLine(get: Get, sink: Sink, street: string, side: 'l' | 'r'): boolean {
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
    parity: parityOf(parity),
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
