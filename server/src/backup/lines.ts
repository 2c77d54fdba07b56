import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { z } from 'zod'

/** Lists of a backup: one JSON value per line. */

export const line = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value)}\n`)

export async function* readLines<S extends z.ZodType>(source: Readable, shape: S): AsyncGenerator<z.output<S>> {
  // readline does not report an error of its input
  let failure: Error | undefined
  source.once('error', (error) => {
    failure = error
    lines.close()
  })
  const lines = createInterface({ input: source, crlfDelay: Infinity })
  for await (const text of lines) yield shape.parse(JSON.parse(text))
  if (failure !== undefined) throw failure
}
