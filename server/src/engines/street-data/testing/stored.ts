import type pg from 'pg'

interface Stored {
  country: string
  state: string
  postal: string
  city: string
  label: string
  ranges: number[][] | null
  points: number[] | null
  others: string[] | null
  esn: string
}

/** For tests: every street with its numbers, one line each. */
export async function stored(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<Stored>(
    'select country, state, postal, city, label, ranges, points, others, esn from e911_street order by postal, city, label',
  )
  return rows.map(({ country, state, postal, city, label, ranges, points, others, esn }) => {
    const numbers = [...(ranges ?? points ?? []), ...(others ?? [])]
    return [country, state, postal, city, label, JSON.stringify(numbers.length === 0 ? null : numbers), esn].join('|')
  })
}

/** For tests: a header line and rows. */
export const CSV = (header: string, ...rows: string[]) => [header, ...rows, ''].join('\n')
