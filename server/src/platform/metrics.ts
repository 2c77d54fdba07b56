import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** The metrics of one process, exposed at `/metrics`. */
export interface Metrics {
  registry: Registry
  observeRequest: (request: { operation: string; method: string; status: number; duration_s: number }) => void
  gauge: (name: string, help: string, collect: () => Promise<number> | number) => void
  /** Registers a counter. The returned function increments it with these labels. */
  counter: <Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
  ) => (values: Record<Label, string>) => void
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
    counter(name, help, labels) {
      const counter = new Counter({ name, help, labelNames: [...labels], registers: [registry] })
      return (values) => counter.inc(values)
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
