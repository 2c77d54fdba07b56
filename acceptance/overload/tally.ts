import type { Timed } from '../support/timed-http.ts'

/** Counts of responses. */

export interface Latency {
  p50: number
  p99: number
  max: number
}

export interface Summary {
  seconds: number
  sent: number
  accepted: number
  /** By status. */
  refused: Record<string, number>
  /** Refusals without Retry-After. */
  without_retry_after: number
  /** Neither accepted nor refused, with one example each. */
  failed: Record<string, number>
  accepted_ms: Latency
  refused_ms: Latency
  /** Accepted requests, by kind. */
  by_name: Record<string, Latency & { accepted: number }>
  exports: string[]
}

export class Tally {
  readonly #accepted = new Map<string, number[]>()
  readonly #refused_ms: number[] = []
  readonly #refused: Record<string, number> = {}
  readonly #failed: Record<string, number> = {}
  readonly #exports: string[] = []
  #without_retry_after = 0

  /** `late_ms`: time since the request was due. */
  add(name: string, { status, headers, body }: Timed, late_ms: number): void {
    if (status !== null && status >= 200 && status < 300) {
      const known = this.#accepted.get(name) ?? []
      this.#accepted.set(name, known)
      known.push(late_ms)
      if (name === 'new export') this.#exports.push((JSON.parse(body) as { data: { id: string } }).data.id)
    } else if (status === 429 || status === 503) {
      this.#refused[status] = (this.#refused[status] ?? 0) + 1
      this.#refused_ms.push(late_ms)
      if (!/^\d+$/.test(headers['retry-after'] ?? '')) this.#without_retry_after += 1
    } else {
      const what = `${name}: ${status ?? 'no response'} ${body.replaceAll(/[0-9a-f-]{36}/g, '…').slice(0, 160)}`
      this.#failed[what] = (this.#failed[what] ?? 0) + 1
    }
  }

  summary(seconds: number): Summary {
    const accepted = [...this.#accepted.values()].flat()
    const failed = Object.values(this.#failed).reduce((a, b) => a + b, 0)
    const by_name = [...this.#accepted].map(([name, ms]) => [name, { accepted: ms.length, ...latency(ms) }] as const)
    return {
      seconds,
      sent: accepted.length + this.#refused_ms.length + failed,
      accepted: accepted.length,
      refused: this.#refused,
      without_retry_after: this.#without_retry_after,
      failed: this.#failed,
      accepted_ms: latency(accepted),
      refused_ms: latency(this.#refused_ms),
      by_name: Object.fromEntries(by_name),
      exports: this.#exports,
    }
  }
}

function latency(times_ms: readonly number[]): Latency {
  const sorted = times_ms.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}
