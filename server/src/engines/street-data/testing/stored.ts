import type pg from 'pg'

interface Stored {
  country: string
  state: string
  postal: string
  city: string
  label: string
  ranges: number[][] | null
  points: number[] | null
  esn: string
}

/** For tests: every street with its numbers, one line each. */
export async function stored(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<Stored>(
    'select country, state, postal, city, label, ranges, points, esn from e911_street order by postal, city, label',
  )
  return rows.map(({ country, state, postal, city, label, ranges, points, esn }) =>
    [country, state, postal, city, label, JSON.stringify(ranges ?? points), esn].join('|'),
  )
}

/** For tests: a header line and rows. */
export const CSV = (header: string, ...rows: string[]) => [header, ...rows, ''].join('\n')
