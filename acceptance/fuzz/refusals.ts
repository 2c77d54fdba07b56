import { setTimeout as sleep } from 'node:timers/promises'
import { childOf } from '../support/processes.ts'
import type { ServiceProcess } from '../support/service.ts'
import { differences, KeptState, type State } from './kept-state.ts'
import type { Attempt } from './requests.ts'

/** Sends the request and returns the response's status. */
export type Send = (attempt: Attempt) => Promise<number>

/** Only a hang takes this long. */
const quiet_timeout_ms = 60_000
const poll_ms = 100
/** Few enough that the worker is not stopped for long: a service whose worker stalls for a minute is not ready. */
const batch_requests = 500
/** A request that was refused may succeed after others did: it is removed, and the rest are sent again. */
const rounds_max = 20

/** Sends refused requests again on their own, and compares everything that the service stores before and after. */
export class Refusals {
  readonly #state: KeptState
  readonly #worker: number
  readonly #send: Send

  private constructor(state: KeptState, worker: number, send: Send) {
    this.#state = state
    this.#worker = worker
    this.#send = send
  }

  static async open({ data_dir, pid }: ServiceProcess, send: Send): Promise<Refusals> {
    return new Refusals(await KeptState.open(data_dir), workerOf(pid), send)
  }

  close(): Promise<void> {
    return this.#state.close()
  }

  /** Changes that these refused requests made, as sentences. Throws if some of them keep being accepted. */
  async changes(attempts: readonly Attempt[]): Promise<{ refused: number; changed: string[] }> {
    const found = { refused: 0, changed: [] as string[] }
    for (let at = 0; at < attempts.length; at += batch_requests) {
      const { refused, changed } = await this.#changesOf(attempts.slice(at, at + batch_requests))
      found.refused += refused
      found.changed.push(...changed)
    }
    return found
  }

  async #changesOf(attempts: readonly Attempt[]): Promise<{ refused: number; changed: string[] }> {
    return this.#quietly(async () => {
      let left = attempts
      for (let round = 0; round < rounds_max; round++) {
        const before = await this.#state.read()
        const statuses = await sendAll(left, this.#send)
        const accepted = new Set(left.filter((_, i) => (statuses[i] ?? 0) < 400))
        if ([...accepted].every(({ method }) => method === 'GET')) {
          const changed = await this.#unlike(before)
          const culprit = changed.length === 0 ? [] : [await this.#culprit(left)]
          return { refused: left.length, changed: [...changed, ...culprit] }
        }
        left = left.filter((attempt) => !accepted.has(attempt))
      }
      throw new Error(`After ${rounds_max} rounds some of the requests that had been refused are still accepted.`)
    })
  }

  /** Changes that `work` makes, except the worker's, as sentences. */
  async changesBy(work: () => Promise<unknown>): Promise<string[]> {
    return this.#quietly(async () => {
      const before = await this.#state.read()
      await work()
      return differences(before, await this.#state.read())
    })
  }

  /** A refused upload's bytes are deleted soon after its response. */
  async #unlike(before: State): Promise<string[]> {
    const deadline = performance.now() + quiet_timeout_ms / 10
    for (;;) {
      const found = differences(before, await this.#state.read())
      if (found.length === 0 || performance.now() > deadline) return found
      await sleep(poll_ms)
    }
  }

  /** Finds the responsible requests by bisection. */
  async #culprit(attempts: readonly Attempt[]): Promise<string> {
    if (attempts.length === 1) return `by ${attempts.map(({ method, url }) => `${method} ${url}`).join()}`
    const middle = Math.ceil(attempts.length / 2)
    for (const half of [attempts.slice(0, middle), attempts.slice(middle)]) {
      const before = await this.#state.read()
      await sendAll(half, this.#send)
      if ((await this.#unlike(before)).length > 0) return this.#culprit(half)
    }
    return `by one of ${attempts.length}, and not a second time`
  }

  /** Jobs change rows and files too, so the worker is stopped meanwhile, outside of any transaction. */
  async #quietly<T>(work: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + quiet_timeout_ms
    for (;;) {
      process.kill(this.#worker, 'SIGSTOP')
      if ((await this.#state.busy()) === 0) break
      process.kill(this.#worker, 'SIGCONT')
      if (performance.now() > deadline) throw new Error('The worker does not come to rest.')
      await sleep(poll_ms)
    }
    try {
      return await work()
    } finally {
      process.kill(this.#worker, 'SIGCONT')
    }
  }
}

const at_once = 8

async function sendAll(attempts: readonly Attempt[], send: Send): Promise<number[]> {
  const statuses: number[] = []
  const left = attempts.entries()
  const sender = async () => {
    for (const [i, attempt] of left) statuses[i] = await send(attempt)
  }
  await Promise.all(Array.from({ length: at_once }, sender))
  return statuses
}

/** The service's child process that runs its jobs; it runs the same program. */
function workerOf(pid: number): number {
  const found = childOf(pid, 'main.ts')
  if (found === null) throw new Error('The service has no worker.')
  return found
}
