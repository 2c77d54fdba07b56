import { readdirSync, readFileSync } from 'node:fs'
import { childrenOf, descendantsOf } from '../support/processes.ts'

/** Periodic samples of the memory and descriptors of a service's processes. */

export interface Sample {
  at_s: number
  rss_mib: number
  descriptors: number
}

/** By process. The database includes the postmaster and all its children, with shared memory counted once. */
export class Sampler {
  readonly samples = new Map<string, Sample[]>()
  readonly #main: number
  readonly #began = performance.now()
  readonly #timer: NodeJS.Timeout

  constructor(main: number, every_ms: number) {
    this.#main = main
    this.#timer = setInterval(() => this.#take(), every_ms)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #take(): void {
    this.#add('API', [this.#main])
    for (const { pid, name } of childrenOf(this.#main))
      this.#add(name, name === 'postgres' ? descendantsOf(pid).map((each) => each.pid) : [pid])
  }

  #add(name: string, pids: readonly number[]): void {
    const known = this.samples.get(name) ?? []
    this.samples.set(name, known)
    const at_s = (performance.now() - this.#began) / 1000
    const of = (read: (pid: number) => number) => pids.reduce((sum, pid) => sum + unlessGone(() => read(pid)), 0)
    known.push({ at_s, rss_mib: of(ownMemory), descriptors: of((pid) => readdirSync(`/proc/${pid}/fd`).length) })
  }
}

/** Growth after the first minutes: the median of the last quarter compared with the second. */
export function growth(samples: readonly Sample[], of: (sample: Sample) => number): { from: number; to: number } {
  const quarter = Math.floor(samples.length / 4)
  const median = (part: readonly Sample[]) => part.map(of).toSorted((a, b) => a - b)[Math.floor(part.length / 2)] ?? 0
  return { from: median(samples.slice(quarter, 2 * quarter)), to: median(samples.slice(samples.length - quarter)) }
}

/** Excludes memory shared with other processes, such as PostgreSQL's buffers. */
function ownMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kib = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
  return (kib('VmRSS') - kib('RssShmem')) / 1024
}

function unlessGone(read: () => number): number {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return 0
    throw error
  }
}
