import { load } from '../load.ts'
import { curve, inTurns, loadRange, median, significant, type Side } from '../report.ts'
import type { Load, Measure } from '../results.ts'
import type { Service } from '../service.ts'

/** Measures sides at each of several sizes and reports one curve for each measure. */
export async function grow(options: {
  name: string
  title: string
  /** What grows. */
  x: string
  sizes: readonly number[]
  rounds: number
  measures: readonly Measure[]
  /** Makes what there is as large as this, from what it was before. */
  fill: (size: number, before: number) => Promise<void>
  sides: readonly Side[] | ((size: number) => readonly Side[])
}): Promise<void> {
  const { name, title, x, sizes, rounds, measures } = options
  const measured: { x: number; medians: number[][] }[] = []
  const loads: Load[] = []
  let names: string[] = []
  for (const [i, size] of sizes.entries()) {
    await options.fill(size, sizes[i - 1] ?? 0)
    const sides = typeof options.sides === 'function' ? options.sides(size) : options.sides
    names = sides.map((side) => side.name)
    const turns = await inTurns(sides, rounds)
    loads.push(turns.load)
    measured.push({ x: size, medians: turns.sides.map(({ values }) => values.map(median)) })
  }
  for (const [m, y] of measures.entries())
    curve({
      name: measures.length > 1 ? `${name}-${y.name.toLowerCase().replaceAll(' ', '-')}` : name,
      title,
      rounds,
      load: loadRange(loads.flatMap(({ lowest, highest }) => [lowest, highest])),
      x,
      y,
      lines: names.map((line, s) => ({
        name: line,
        points: measured.map((at) => ({ x: at.x, y: significant(at.medians[s]?.[m] ?? Number.NaN) })),
      })),
    })
}

export const time_ms: Measure = { name: 'time', unit: 'ms', digits: 2 }
/** Of responses, by `requests`. */
export const fastest_ms: Measure = { name: 'time of the fastest tenth', unit: 'ms', digits: 2 }

/**
 * A side that requests a path over one connection for a moment, and measures the time within which the fastest tenth of the
 * responses came: what else the machine does would hide how the cost grows.
 */
export function requests(service: Service, authorization: string, name: string, path: string): Side {
  const port = Number(new URL(service.base_url).port)
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
