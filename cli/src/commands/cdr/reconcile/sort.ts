import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Sorts more lines than fit into memory: writes sorted runs to files and merges them. */

/** Lines come in batches, because awaiting each line would take longer than comparing it. */
export type Batches = AsyncGenerator<string[], void, undefined>

export interface SortOptions {
  /** For the runs; the caller deletes it. */
  folder: string
  name: string
  /** Lines in memory at once. */
  run_lines?: number
  /** Runs read at once; more runs are merged in several passes. */
  runs_max?: number
}

const default_run_lines = 50_000
const default_runs_max = 256
const batch_lines = 2_000

/** The lines in ascending order of their code units. */
export async function sorted(lines: AsyncIterable<string>, options: SortOptions): Promise<Batches> {
  const { folder, name, run_lines = default_run_lines, runs_max = default_runs_max } = options
  let runs: string[] = []
  let count = 0
  let waiting: string[] = []
  const store = async (batches: AsyncIterable<string[]>) => {
    const file = path.join(folder, `${name}-${count++}`)
    await pipeline(Readable.from(textOf(batches)), createWriteStream(file))
    return file
  }
  for await (const line of lines) {
    waiting.push(line)
    if (waiting.length < run_lines) continue
    runs.push(await store(batchesOf(waiting.toSorted())))
    waiting = []
    if (runs.length < runs_max) continue
    const merged = await store(merge(runs.map(linesOf)))
    for (const run of runs) await rm(run)
    runs = [merged]
  }
  return merge([...runs.map(linesOf), batchesOf(waiting.toSorted())])
}

// oxlint-disable-next-line require-await -- of the same kind as those that read files
async function* batchesOf(lines: readonly string[]): Batches {
  for (let from = 0; from < lines.length; from += batch_lines) yield lines.slice(from, from + batch_lines)
}

async function* textOf(batches: AsyncIterable<string[]>): AsyncGenerator<string> {
  for await (const batch of batches) yield `${batch.join('\n')}\n`
}

/** The lines of a file that this module wrote. */
async function* linesOf(file: string): Batches {
  let rest = ''
  for await (const piece of createReadStream(file, { encoding: 'utf8' })) {
    const lines = (rest + String(piece)).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) yield lines
  }
}

/** A sorted source, and how far it was read. */
interface Source {
  batches: Batches
  lines: readonly string[]
  at: number
}

/** Merges sorted sources into one. */
async function* merge(all: readonly Batches[]): Batches {
  const heap: Source[] = []
  for (const batches of all) {
    const first = await batches.next()
    if (!first.done) insert(heap, { batches, lines: first.value, at: 0 })
  }
  let batch: string[] = []
  for (let least = heap[0]; least !== undefined; least = heap[0]) {
    batch.push(lineAt(least))
    least.at++
    if (least.at === least.lines.length) {
      const next = await least.batches.next()
      if (next.done) removeFirst(heap)
      else Object.assign(least, { lines: next.value, at: 0 })
    }
    sink(heap)
    if (batch.length < batch_lines) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

const lineAt = ({ lines, at }: Source): string => lines[at] ?? ''

/** A binary heap: the source whose next line is the least comes first. */
function insert(heap: Source[], source: Source): void {
  let at = heap.push(source) - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!swapUnlessOrdered(heap, parent, at)) return
    at = parent
  }
}

function removeFirst(heap: Source[]): void {
  const last = heap.pop()
  if (last && heap.length > 0) heap[0] = last
}

function sink(heap: Source[]): void {
  for (let at = 0; ;) {
    const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]]
    if (!left) return
    const least = right && lineAt(right) < lineAt(left) ? 2 * at + 2 : 2 * at + 1
    if (!swapUnlessOrdered(heap, at, least)) return
    at = least
  }
}

function swapUnlessOrdered(heap: Source[], parent: number, child: number): boolean {
  const [above, below] = [heap[parent], heap[child]]
  if (!above || !below || lineAt(above) <= lineAt(below)) return false
  heap[parent] = below
  heap[child] = above
  return true
}
