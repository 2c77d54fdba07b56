import { spawnSync } from 'node:child_process'
import * as z from 'zod'

/** What a drill tried with one component, and what happened: a row of the table in docs/operate/scaling.md. */
export const drillResult = z.strictObject({
  /** "PostgreSQL". Results of the same component are listed together. */
  component: z.string(),
  /** As the component reports it: "15.18". */
  version: z.string(),
  /** "each process killed (SIGKILL) and replaced in turn, under load". */
  tried: z.string(),
  /** What happened, as a sentence: "Nothing was lost or doubled." */
  result: z.string(),
  /** False if something happened that must not. */
  ok: z.boolean(),
  /** Measurements, each with its unit: "Longest gap" and "1.2 s". */
  figures: z.array(z.strictObject({ name: z.string(), value: z.string() })),
})

export type DrillResult = z.infer<typeof drillResult>

export interface DrillOptions {
  /** The form that `npm run test:full` runs: at most 40 seconds. */
  short: boolean
  /** Prints a line about the progress. */
  log(line: string): void
}

/** Real servers, run and broken next to a service: `npm run drill -- NAME`. */
export interface Drill {
  name: string
  /** One sentence for the list. */
  summary: string
  /** The commands or files that it needs, each with the Debian package that has it. */
  programs: Readonly<Record<string, string>>
  /** It only measures, which needs a quiet machine: no test runs it. */
  measures?: true
  /** Leaves no process behind. Throws if it could not try something. An error that it finds is a result that is not ok. */
  run(options: DrillOptions): Promise<DrillResult[]>
}

/** The Debian packages that this machine lacks for a drill. */
export function missingPackages({ programs }: Drill): string[] {
  const isThere = (program: string) => spawnSync('sh', ['-c', 'command -v -- "$0"', program]).status === 0
  return Object.entries(programs).flatMap(([program, name]) => (isThere(program) ? [] : [name]))
}
