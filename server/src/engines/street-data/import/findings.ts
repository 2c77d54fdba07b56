import type { DatasetReport } from '../tables.ts'

/** Examples kept for each finding. */
const EXAMPLES_MAX = 3

type Finding = DatasetReport['dropped'][number]

/** Counts what was left out of a file, or contradicts the postal data, with examples from the file. */
export class Findings {
  readonly #example: () => string
  readonly #found = new Map<string, Finding>()

  /** `example` returns the current record as text. */
  constructor(example: () => string) {
    this.#example = example
  }

  count(part: Finding['part'], reason: string): void {
    const id = `${part} ${reason}`
    let found = this.#found.get(id)
    if (!found) this.#found.set(id, (found = { part, reason, count: 0, examples: [] }))
    found.count++
    if (found.examples.length >= EXAMPLES_MAX) return
    const example = this.#example()
    if (!found.examples.includes(example)) found.examples.push(example)
  }

  /** Most frequent first. */
  get all(): Finding[] {
    return [...this.#found.values()].toSorted((a, b) => b.count - a.count)
  }
}
