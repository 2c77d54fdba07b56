import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from './context.ts'
import { timedOut } from './failure.ts'

export interface WaitOptions<T> {
  /** The subject of the wait: `Export 12`. */
  subject: string
  /** Reads the current state. */
  poll: () => Promise<T>
  isDone: (state: T) => boolean
  /** Called with every state, including the last. */
  show?: (state: T) => void
  /** Undefined: no limit. */
  timeout_ms: number | undefined
  /** The command to continue waiting, for the message at the time limit. */
  again: string
}

const first_pause_ms = 200
const longest_pause_ms = 5000

/** Polls with growing pauses until the state is final. Exits with status 5 at the time limit; Ctrl-C aborts. */
export async function waitFor<T>({ signal }: Context, options: WaitOptions<T>): Promise<T> {
  const deadline = performance.now() + (options.timeout_ms ?? Number.POSITIVE_INFINITY)
  for (let pause_ms = first_pause_ms; ; pause_ms = Math.min(longest_pause_ms, pause_ms * 1.5)) {
    const state = await options.poll()
    options.show?.(state)
    if (options.isDone(state)) return state
    const left_ms = deadline - performance.now()
    if (left_ms <= 0)
      throw timedOut(
        `${options.subject} is not finished within the time limit. The service continues with it.`,
        options.again,
      )
    await sleep(Math.min(pause_ms, left_ms), undefined, { signal })
  }
}
