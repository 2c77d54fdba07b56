import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** The metrics of one process, exposed at `/metrics`. */
export interface Metrics {
  registry: Registry
  observeRequest: (request: { operation: string; method: string; status: number; duration_s: number }) => void
  gauge: (name: string, help: string, collect: () => Promise<number> | number) => void
  /** A gauge with labels: one value for each. */
  gauges: <Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
    collect: () => Promise<readonly { labels: Record<Label, string>; value: number }[]>,
  ) => void
  /**
   * Registers a counter. The returned function increments it with these labels. The `known` ones are 0 from the start, because an
   * alert on an increase would miss the first one.
   */
  counter: <Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
    known?: readonly Record<Label, string>[],
  ) => (values: Record<Label, string>, by?: number) => void
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'demarc_' })
  const requests = new Histogram({
    name: 'demarc_http_request_duration_seconds',
    help: 'Time to respond, by operation and status.',
    labelNames: ['operation', 'method', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  return {
    registry,
    observeRequest: ({ operation, method, status, duration_s }) =>
      requests.observe({ operation, method, status: String(status) }, duration_s),
    counter(name, help, labels, known = []) {
      const counter = new Counter({ name, help, labelNames: [...labels], registers: [registry] })
      for (const values of known) counter.inc(values, 0)
      return (values, by) => counter.inc(values, by)
    },
    gauges(name, help, labels, collect) {
      const gauge: Gauge = new Gauge({
        name,
        help,
        labelNames: [...labels],
        registers: [registry],
        async collect() {
          const values = await collect()
          gauge.reset()
          for (const each of values) gauge.set(each.labels, each.value)
        },
      })
    },
    gauge(name, help, collect) {
      const gauge: Gauge = new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          gauge.set(await collect())
        },
      })
    },
  }
}
