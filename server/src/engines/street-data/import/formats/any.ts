import {
  endsOf,
  joined,
  namedColumns,
  parityOf,
  TABLE_EXTENSIONS,
  type Format,
  type Get,
  type Sink,
} from '../format.ts'

/** Tables of any schema; the `columns` option maps their names. */

const STREET = ['pre', 'street', 'type', 'post'] as const
const PLACE = ['city', 'state', 'zip', 'country', 'esn', 'psap'] as const

const place = (get: Get) => ({
  country: get('country'),
  state: get('state'),
  esn: get('esn'),
  psap: get('psap'),
})

/** One address per row. */
export const anyPoints: Format = {
  container: 'table',
  extensions: TABLE_EXTENSIONS,
  kind: 'point',
  authority: 'indicative',
  columns: namedColumns('number_prefix', 'number', 'number_suffix', ...STREET, ...PLACE),
  required: [['number'], ['street']],
  read(get, sink) {
    const suffix = get('number_suffix')
    sink.row({
      ...place(get),
      street: joined(...STREET.map(get)),
      low: `${get('number_prefix')}${get('number')}${/^\d/.test(suffix) ? ` ${suffix}` : suffix}`,
      postal: get('zip'),
      city: get('city'),
    })
  },
}

const SIDE = ['from', 'to', 'parity', 'city', 'zip'] as const

/** One street segment per row, with a range on each side, or a single range. */
export const anyRanges: Format = {
  container: 'table',
  extensions: TABLE_EXTENSIONS,
  kind: 'range',
  authority: 'indicative',
  columns: namedColumns(
    [...STREET, 'low', 'high', 'parity'],
    ['left', 'right'].flatMap((side) => SIDE.map((name) => `${side}_${name}`)),
    ...PLACE,
  ),
  required: [['street'], ['low', 'left_from', 'right_from']],
  read(get, sink) {
    const street = joined(...STREET.map(get))
    if (street === '') return sink.skip('no street name')
    range(get, sink, street, ['low', 'high', 'parity', 'city', 'zip'])
    range(get, sink, street, ['left_from', 'left_to', 'left_parity', 'left_city', 'left_zip'])
    return range(get, sink, street, ['right_from', 'right_to', 'right_parity', 'right_city', 'right_zip'])
  },
}

function range(get: Get, sink: Sink, street: string, columns: [string, string, string, string, string]): void {
  const [low = '', high = '', parity = '', city = '', zip = ''] = columns.map(get)
  const ends = endsOf(low, high)
  if (ends === 'no numbers') return undefined
  if (ends !== 'range') return sink.skip(ends)
  return sink.row({
    ...place(get),
    street,
    low,
    high,
    parity: parityOf(parity, low, high),
    city: city || get('city'),
    postal: zip || get('zip'),
  })
}
