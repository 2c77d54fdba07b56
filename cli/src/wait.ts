import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from './context.ts'
import { timedOut } from './failure.ts'

export interface WaitOptions<T> {
  /** What is waited for: `Export 12`. */
  subject: string
  /** Asks for the present state. */
  poll: () => Promise<T>
  isDone: (state: T) => boolean
  /** Called with every state, also the last. */
  show?: (state: T) => void
  /** Undefined: for as long as it takes. */
  timeout_ms: number | undefined
  /** The command that goes on waiting, for the message after the time limit. */
  again: string
}

const first_pause_ms = 200
const longest_pause_ms = 5000

/** Polls, less and less often, until the state is final. Exit status 5 when the time is over; Ctrl-C ends it. */
export async function waitFor<T>({ signal }: Context, options: WaitOptions<T>): Promise<T> {
  const deadline = performance.now() + (options.timeout_ms ?? Number.POSITIVE_INFINITY)
  for (let pause_ms = first_pause_ms; ; pause_ms = Math.min(longest_pause_ms, pause_ms * 1.5)) {
    const state = await options.poll()
    options.show?.(state)
    if (options.isDone(state)) return state
    const left_ms = deadline - performance.now()
    if (left_ms <= 0)
      throw timedOut(
        `${options.subject} is not finished within the time limit; it goes on at the service.`,
        options.again,
      )
    await sleep(Math.min(pause_ms, left_ms), undefined, { signal })
  }
}
