import { namedColumns, parityOf, type Format, type Get, type Sink } from '../format.ts'

const FEATURE = { container: 'dbf', extensions: ['.dbf'], kind: 'range', authority: 'indicative' } as const

/** Placeholder of ADDRFEAT for an unknown ZIP code. */
const NO_ZIP = '99999'

/**
 * TIGER/Line ADDRFEAT: one record per street segment and name, with a range of numbers on each side. The file has no state or
 * city; they are looked up by ZIP code.
 */
export const tigerAddrfeat: Format = {
  ...FEATURE,
  columns: namedColumns([
    'fullname',
    'statefp',
    'lfromhn',
    'ltohn',
    'zipl',
    'parityl',
    'rfromhn',
    'rtohn',
    'zipr',
    'parityr',
  ]),
  required: [['fullname'], ['lfromhn', 'rfromhn']],
  read(get, sink) {
    const street = get('fullname')
    const left = side(get, sink, street, ['lfromhn', 'ltohn', 'zipl', 'parityl'])
    const right = side(get, sink, street, ['rfromhn', 'rtohn', 'zipr', 'parityr'])
    if (!left && !right) sink.skip(street === '' ? 'no street name' : 'no house number')
  },
}

/** TIGER/Line EDGES: all edges of the county map; those with a name and numbers are streets. */
export const tigerEdges: Format = {
  ...FEATURE,
  columns: namedColumns([
    'fullname',
    'statefp',
    'countyfp',
    'lfromadd',
    'ltoadd',
    'zipl',
    'parityl',
    'rfromadd',
    'rtoadd',
    'zipr',
    'parityr',
  ]),
  required: [['fullname'], ['lfromadd', 'rfromadd']],
  read(get, sink) {
    sink.county(get('statefp') + get('countyfp'))
    const street = get('fullname')
    const left = side(get, sink, street, ['lfromadd', 'ltoadd', 'zipl', 'parityl'])
    const right = side(get, sink, street, ['rfromadd', 'rtoadd', 'zipr', 'parityr'])
    if (!left && !right) sink.skip(street === '' ? 'no street name' : 'no house number')
  },
}

function side(get: Get, sink: Sink, street: string, columns: [string, string, string, string]): boolean {
  const [from, to, zip, parity] = columns.map(get)
  if (street === '' || !from || !to) return false
  const code = zip === NO_ZIP ? '' : (zip ?? '')
  sink.row({
    street,
    low: from,
    high: to,
    parity: parityOf(parity ?? '', from, to),
    country: 'US',
    state: get('statefp'),
    postal: code,
  })
  return true
}
