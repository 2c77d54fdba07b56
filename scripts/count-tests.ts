import path from 'node:path'
import type { TestEvent } from 'node:test/reporters'

export interface RunCounts {
  /** Tests that ran. The runner's own count includes a file without tests as one that passed. */
  ran: number
  /** Files that ran to their end, relative to the repository or as Node was told to run them. */
  files: { file: string; seconds: number }[]
}

/** The suite around each file of a process that runs several. */
const RUNNER = path.join(import.meta.dirname, 'run-files.ts')

/** A reporter for `node --test` that writes `RunCounts` as JSON. */
export default async function* countTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const counts: RunCounts = { ran: 0, files: [] }
  for await (const { type, data } of events) {
    if (type === 'test:summary' && data.file !== undefined)
      counts.files.push({ file: data.file, seconds: data.duration_ms / 1000 })
    if (type !== 'test:pass' && type !== 'test:fail') continue
    if (data.file === RUNNER) counts.files.push({ file: data.name, seconds: data.details.duration_ms / 1000 })
    const is_file = data.nesting === 0 && path.resolve(data.name) === data.file
    const is_test = data.details.type !== 'suite' && !is_file
    if (is_test && data.skip === undefined) counts.ran += 1
  }
  yield JSON.stringify(counts)
}
