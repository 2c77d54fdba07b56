import { randomUUID } from 'node:crypto'
import type { RequestListener, ServerResponse } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { mediaTypes } from '@demarc/client'
import { problemResponse } from '../problem.ts'
import { tooManyRequests } from '../unavailable.ts'

/** Paths never refused: monitoring, which must keep working under load, and documentation, which waits for nothing. */
const exempt = /^\/(health\/|metrics$|openapi\.json|docs)/

/**
 * Refuses requests while `isOverloaded`, before any work is done for them. Refusing costs a tenth of serving, and accepted
 * requests stay fast.
 */
export function shedding(
  listener: RequestListener,
  isOverloaded: () => boolean,
  onRefused: () => void,
): RequestListener {
  return (request, response) => {
    if (!isOverloaded() || exempt.test(request.url ?? '')) return listener(request, response)
    onRefused()
    refuse(response)
  }
}

function refuse(response: ServerResponse): void {
  const refusal = tooManyRequests()
  const { status, body } = problemResponse(refusal)
  response.writeHead(status, {
    'content-type': mediaTypes.json,
    'x-request-id': randomUUID(),
    ...refusal.options.headers,
  })
  response.end(JSON.stringify(body))
}

/** How often the event loop is measured, and how many consecutive measurements must show a delay at least. */
const TICK_MS = 50
const TICKS = 5

/** The delay that every recent turn of the event loop had. A single long turn does not count: the requests it delayed are served right after it. */
export class LoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution: TICK_MS })
  /** The least delay in the measurements before those of the histogram. */
  #before_ms = 0

  constructor() {
    this.#histogram.enable()
  }

  standing_ms(): number {
    // the histogram holds the times between measurements; without any, its minimum is larger than all
    const least_ms = Math.max(0, this.#histogram.min / 1e6 - TICK_MS)
    const standing_ms = Math.min(this.#before_ms, least_ms)
    if (this.#histogram.count >= TICKS) {
      this.#before_ms = least_ms
      this.#histogram.reset()
    }
    return standing_ms
  }

  close(): void {
    this.#histogram.disable()
  }
}
