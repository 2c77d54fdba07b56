import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { commitOf } from '../reliability/results.ts'
import { drillResult, type DrillResult } from './drill.ts'

/** Where `npm run drill -- NAME --write` stores results, the source of the table in docs/operate/scaling.md. */
const folder = fileURLToPath(new URL('../../docs/operate/scaling/', import.meta.url))

const recorded = z.strictObject({
  drill: z.string(),
  /** In UTC. */
  date: z.iso.date(),
  commit: z.string(),
  cores: z.int(),
  form: z.enum(['long', 'short']),
  duration_s: z.int().min(0),
  results: z.array(drillResult),
})

export type Recorded = z.infer<typeof recorded>

/** What a run found, with where and when. Call it when the run has ended. */
export function recordOf(drill: string, results: DrillResult[], run: { short: boolean; began: number }): Recorded {
  return recorded.parse({
    drill,
    date: new Date().toISOString().slice(0, 10),
    commit: commitOf(':/', ':!/docs/operate'),
    cores: os.availableParallelism(),
    form: run.short ? 'short' : 'long',
    duration_s: Math.round((performance.now() - run.began) / 1000),
    results,
  })
}

/** Replaces the stored results of a drill. */
export function store(record: Recorded): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}${record.drill}.json`, `${JSON.stringify(record, null, 2)}\n`)
}

/** The stored results of every drill, by name. */
export function storedResults(): Recorded[] {
  const names = globSync('*.json', { cwd: folder }).toSorted()
  return names.map((name) => recorded.parse(JSON.parse(readFileSync(folder + name, 'utf8'))))
}
