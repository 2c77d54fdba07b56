import { endsOf, namedColumns, parityOf, type Format, type Get, type Sink } from '../format.ts'

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
    if (get('fullname') === '') return sink.skip('no street name')
    side(get, sink, ['lfromhn', 'ltohn', 'zipl', 'parityl'])
    return side(get, sink, ['rfromhn', 'rtohn', 'zipr', 'parityr'])
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
    if (get('fullname') === '') return sink.skip('no street name')
    side(get, sink, ['lfromadd', 'ltoadd', 'zipl', 'parityl'])
    return side(get, sink, ['rfromadd', 'rtoadd', 'zipr', 'parityr'])
  },
}

function side(get: Get, sink: Sink, columns: [string, string, string, string]): void {
  const [from = '', to = '', zip = '', parity = ''] = columns.map(get)
  const ends = endsOf(from, to)
  if (ends === 'no numbers') return undefined
  if (ends !== 'range') return sink.skip(ends)
  return sink.row({
    street: get('fullname'),
    low: from,
    high: to,
    parity: parityOf(parity, from, to),
    country: 'US',
    state: get('statefp'),
    postal: zip === NO_ZIP ? '' : zip,
  })
}
