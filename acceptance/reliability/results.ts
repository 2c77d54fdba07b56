import { execFileSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'

/** Where command runs store their measurements, the source of docs/operate/reliability.md. */
export const RESULTS_FOLDER = fileURLToPath(new URL('../../docs/operate/reliability/', import.meta.url))

const count = z.int().min(0)

/** One kind of injected fault or load. */
const row = z.strictObject({
  fault: z.string(),
  tries: count,
  /** Acknowledged writes that were missing afterward. */
  lost: count,
  /** Writes, files, and callbacks that were duplicated. */
  doubled: count,
  /** From the fault to the first normal response; null if nothing had to recover. */
  recovery_ms: z.strictObject({ median: count, longest: count }).nullable(),
  /** Other observations, as a sentence. */
  remark: z.string().optional(),
})

const result = z.strictObject({
  /** What was proven, used as a heading: "Kills and stops". */
  title: z.string(),
  /** One paragraph: what the script does and what it counts. */
  about: z.string(),
  command: z.string(),
  /** The date, in UTC. */
  date: z.iso.date(),
  commit: z.string(),
  cores: count,
  /** The machine's one-minute load average at the beginning and at the end. */
  load: z.strictObject({ before: z.number(), after: z.number() }),
  duration_s: count,
  rows: z.array(row),
  /** Other measurements, each with its unit: "Accepted, p99" and "212 ms". */
  figures: z.array(z.strictObject({ name: z.string(), value: z.string() })).optional(),
  /** Sentences: totals, and limits of the figures. */
  remarks: z.array(z.string()),
})

export type FaultRow = z.infer<typeof row>
export type Figure = NonNullable<Result['figures']>[number]
export type Result = z.infer<typeof result>

/** Starts the measurement of one script; `finish` stores its result, but only if `DEMARC_RECORD=1` is set. */
export function beginResult(name: string, about: Pick<Result, 'title' | 'about' | 'command'>) {
  const began = performance.now()
  const [before = 0] = os.loadavg()
  return {
    async finish(rows: FaultRow[], remarks: string[], figures: Figure[] = []): Promise<Result> {
      const [after = 0] = os.loadavg()
      const made = result.parse({
        ...about,
        date: new Date().toISOString().slice(0, 10),
        // other scripts may have written their results meanwhile
        commit: commitOf(':/', ':!/docs/operate/reliability*'),
        cores: os.availableParallelism(),
        load: { before: Number(before.toFixed(1)), after: Number(after.toFixed(1)) },
        duration_s: Math.round((performance.now() - began) / 1000),
        rows,
        ...(figures.length > 0 ? { figures } : {}),
        remarks,
      })
      if (process.env['DEMARC_RECORD'] === '1') {
        await mkdir(RESULTS_FOLDER, { recursive: true })
        await writeFile(`${RESULTS_FOLDER}${name}.json`, `${JSON.stringify(made, null, 2)}\n`)
      }
      return made
    },
  }
}

/** The stored results, by file name. */
export async function keptResults(): Promise<Result[]> {
  const names = globSync('*.json', { cwd: RESULTS_FOLDER }).toSorted()
  return Promise.all(names.map(async (name) => result.parse(JSON.parse(await readFile(RESULTS_FOLDER + name, 'utf8')))))
}

/** Recovery times in milliseconds, as a row shows them. */
export function recovery(times_ms: readonly number[]): FaultRow['recovery_ms'] {
  const sorted = times_ms.map(Math.round).toSorted((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)]
  const longest = sorted.at(-1)
  return median === undefined || longest === undefined ? null : { median, longest }
}

/** The commit of the measured program, and whether these paths had changes. */
export function commitOf(...paths: readonly string[]): string {
  if (!existsSync(new URL('../../.git', import.meta.url))) return 'unknown'
  const git = (...args: string[]) => execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', ...paths) !== ''
  const head = git('rev-parse', '--short', 'HEAD')
  return changed ? `${head} with changes` : head
}
