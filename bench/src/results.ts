import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { commitOf } from '../../acceptance/reliability/results.ts'

/** What a benchmark measured, as it is kept: numbers of each round, so that medians and ratios can be derived again. */

const count = z.int().min(0)
const load = z.strictObject({ lowest: z.number(), highest: z.number() })

/** One quantity that was measured of every side, or along a curve. */
const measure = z.strictObject({
  name: z.string(),
  unit: z.string(),
  digits: count,
})

/**
 * Sides that were measured in turns. Ratios are Demarc's divided by the other's, round by round. Demarc's is the first, unless
 * sides say beside which each of them stands.
 */
const comparison = z.strictObject({
  kind: z.literal('comparison'),
  name: z.string(),
  title: z.string(),
  rounds: count,
  /** One minute's average over the rounds. */
  load,
  measures: z.array(measure.extend({ ratio: z.boolean() })),
  /** `values` has one list for each measure, with one number for each round; `beside` is the name of Demarc's own side. */
  sides: z.array(
    z.strictObject({ name: z.string(), beside: z.string().optional(), values: z.array(z.array(z.number())) }),
  ),
  /** Sides that could not be measured, and why. */
  skipped: z.array(z.strictObject({ name: z.string(), reason: z.string() })),
})

/** Cost as something grows: for each line the medians at each size. */
const curve = z.strictObject({
  kind: z.literal('curve'),
  name: z.string(),
  title: z.string(),
  rounds: count,
  load,
  x: z.string(),
  y: measure,
  lines: z.array(
    z.strictObject({ name: z.string(), points: z.array(z.strictObject({ x: z.number(), y: z.number() })) }),
  ),
})

/** What is shown as it was measured. */
const table = z.strictObject({
  kind: z.literal('table'),
  name: z.string(),
  title: z.string(),
  load,
  head: z.array(z.string()),
  rows: z.array(z.array(z.string())),
})

const section = z.discriminatedUnion('kind', [comparison, curve, table])

const result = z.strictObject({
  bench: z.string(),
  form: z.enum(['short', 'long']),
  command: z.string(),
  /** The day, UTC. */
  date: z.iso.date(),
  commit: z.string(),
  machine: z.strictObject({ cores: count, memory_gb: count, node: z.string() }),
  duration_s: count,
  sections: z.array(section),
})

export type Measure = z.infer<typeof measure>
export type Comparison = z.infer<typeof comparison>
export type Curve = z.infer<typeof curve>
export type Table = z.infer<typeof table>
export type Section = z.infer<typeof section>
export type Result = z.infer<typeof result>
export type Form = Result['form']
export type Load = z.infer<typeof load>

const folder = fileURLToPath(new URL('../results/', import.meta.url))

/** The results that are kept, one for each benchmark: that of the long form where there is one. */
export function keptResults(): Result[] {
  const names = globSync('*.json', { cwd: folder }).toSorted()
  const all = names.map((name) => result.parse(JSON.parse(readFileSync(folder + name, 'utf8'))))
  return all.filter(({ bench, form }) => form === 'long' || !all.some((o) => o.bench === bench && o.form === 'long'))
}

/** Keeps a result in place of the last one of its benchmark in this form. */
export function keepResult(made: Result): void {
  mkdirSync(folder, { recursive: true })
  const name = made.form === 'long' ? `${made.bench}-long` : made.bench
  writeFileSync(`${folder}${name}.json`, `${JSON.stringify(made, null, 1)}\n`)
}

/** Parses a result of the machine that it is made on. */
export function makeResult(
  made: Pick<Result, 'bench' | 'form' | 'command' | 'sections'> & { began_ms: number },
): Result {
  const { began_ms, ...rest } = made
  return result.parse({
    ...rest,
    date: new Date().toISOString().slice(0, 10),
    // the results of other benchmarks may have been written since
    commit: commitOf(':/api', ':/server', ':/portal'),
    machine: {
      cores: os.availableParallelism(),
      memory_gb: Math.round(os.totalmem() / 1e9),
      node: process.versions.node,
    },
    duration_s: Math.round((performance.now() - began_ms) / 1000),
  })
}
