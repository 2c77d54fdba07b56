/** How often the delay of the event loop is measured, and of how many measurements the least counts. */
const TICK_MS = 50
const TICKS = 10

/**
 * The delay that every turn of the event loop has had lately: what is ready waits so long for this process. A single long one does not
 * count, as what it delayed is served right after it.
 */
export class LoopDelay {
  readonly #delays: number[] = Array.from({ length: TICKS }, () => 0)
  readonly #timer: NodeJS.Timeout
  #at = 0
  #last = performance.now()

  constructor() {
    this.#timer = setInterval(() => this.#measure(), TICK_MS).unref()
  }

  standing_ms(): number {
    return Math.min(...this.#delays)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #measure(): void {
    const now = performance.now()
    this.#delays[this.#at] = Math.max(0, now - this.#last - TICK_MS)
    this.#at = (this.#at + 1) % TICKS
    this.#last = now
  }
}
