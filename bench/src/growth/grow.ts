import pg from 'pg'
import { load } from '../load.ts'
import { formatNumber, inTurns, median, table, withUnit, type Measure, type Side } from '../report.ts'
import type { Service } from '../service.ts'

export const time_ms: Measure = { name: 'time', unit: 'ms', digits: 2 }
/** For sides made by `requests`. */
export const fastest_ms: Measure = { name: 'time of the fastest tenth', unit: 'ms', digits: 2 }

/** Measures the sides at each size, and reports medians and the ratio of the largest size to the smallest. */
export async function grow(options: {
  name: string
  title: string
  /** Heading of the sizes. */
  x: string
  sizes: readonly number[]
  measure: Measure
  /** Adds data until it has this size. */
  fill: (size: number, before: number) => Promise<void>
  sides: (size: number) => readonly Side[]
}): Promise<void> {
  const { name, title, x, sizes, measure, fill, sides } = options
  const rounds = 5
  const loads: number[] = []
  const medians: number[][] = []
  for (const [i, size] of sizes.entries()) {
    await fill(size, sizes[i - 1] ?? 0)
    const turns = await inTurns(sides(size), rounds)
    loads.push(...turns.loads)
    medians.push(turns.values.map(([values = []]) => median(values)))
  }
  const rows = medians.map((values, i) => [
    formatNumber(sizes[i] ?? 0),
    ...values.map((value) => formatNumber(value, measure.digits)),
  ])
  const ratios = (medians.at(-1) ?? []).map((value, s) => `${(value / (medians[0]?.[s] ?? Number.NaN)).toFixed(2)} ×`)
  table({
    name,
    title: `${title}: ${withUnit(measure)}, medians of ${rounds} rounds`,
    head: [x, ...sides(sizes[0] ?? 0).map((side) => side.name)],
    rows: [...rows, ['largest ÷ smallest', ...ratios]],
    loads,
  })
}

/** A side that requests a path over one connection. It measures the fastest tenth because other work hides how cost grows. */
export function requests({ port }: Service, authorization: string, name: string, path: string): Side {
  const request = () => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`
  return {
    name,
    async run() {
      const { errors, p10_ms } = await load({ port, request, connections: 1, duration_s: 0.2 })
      if (errors > 0) throw new Error(`${path}: ${errors} responses were not 200`)
      return [p10_ms]
    },
  }
}

/** A side that runs something and measures it: once, or the second fastest of `times`. */
export const timed = (name: string, run: () => Promise<unknown>, times = 1): Side => ({
  name,
  async run() {
    const measured: number[] = []
    for (let i = 0; i < times; i++) {
      const began = performance.now()
      await run()
      measured.push(performance.now() - began)
    }
    return [measured.toSorted((a, b) => a - b)[times > 1 ? 1 : 0] ?? Number.NaN]
  },
})

/**
 * Inserts rows `from` to `to - 1`, which `sql` takes as $1 and $2, and analyzes the tables. By SQL, because a million rows over HTTP
 * would take longer than all measurements; foreign keys and triggers are off.
 */
export async function insertRows(
  { database_url }: Service,
  { sql, tables, from, to }: { sql: string; tables: string; from: number; to: number },
): Promise<void> {
  const client = new pg.Client({ connectionString: database_url })
  await client.connect()
  try {
    await client.query("set session_replication_role = replica; set maintenance_work_mem = '256MB'")
    for (let at = from; at < to; at += 500_000) await client.query(sql, [at, Math.min(to, at + 500_000)])
    await client.query(`vacuum analyze ${tables}`)
  } finally {
    await client.end()
  }
}

/** Ids of a hundred new accounts that own the filler rows. */
export async function addAccounts({ operator }: Service): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < 100; i++) ids.push((await operator.createAccount({ body: { name: `Bench ${i}` } })).body.data.id)
  return ids
}
