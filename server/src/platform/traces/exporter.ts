import { randomUUID } from 'node:crypto'
import {
  ROOT_CONTEXT,
  SpanKind as OtelKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span as OtelSpan,
  type SpanContext,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace'
import server from '../../../package.json' with { type: 'json' }
import type { Log } from '../postgres/log.ts'
import { boundedQueue } from './queue.ts'
import type { TraceSettings } from './settings.ts'
import { setTracer, type Attributes, type Origin, type SpanKind, type StartedSpan } from './index.ts'

/** The tracer that sends spans with the SDK of OpenTelemetry. Only main.ts loads this file, and only if traces are configured. */

/** How long a process that stops waits for the receiver. */
export const flush_ms = 1_000

/** Sends spans from now on. `stop` sends what is left, for `flush_ms` at most. */
export function startTraces(
  { url, headers, timeout_ms, service_name, resource, sampler, batch }: TraceSettings,
  process_name: string,
  log: Log,
): { stop(): Promise<void> } {
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: timeout_ms })
  const processor = boundedQueue(batch.queue, exporter, log, (counted) => {
    const { delay_ms: scheduledDelayMillis, timeout_ms: exportTimeoutMillis, size: maxExportBatchSize } = batch
    const limits = { scheduledDelayMillis, exportTimeoutMillis, maxExportBatchSize, maxQueueSize: batch.queue }
    return new BatchSpanProcessor({ exporter: counted, ...limits })
  })
  const provider = new TracerProvider({
    sampler: samplerOf(sampler),
    spanProcessors: [processor],
    resource: resourceFromAttributes({
      'service.name': service_name,
      'service.version': server.version,
      'service.instance.id': randomUUID(),
      'demarc.process': process_name,
      ...resource,
    }),
  })
  const tracer = provider.getTracer('demarc', server.version)
  setTracer({
    start(name, kind, attributes, origin) {
      const links = 'linked' in origin ? remoteSpans(origin.linked).map((context) => ({ context })) : []
      return new ExportedSpan(tracer.startSpan(name, { kind: kinds[kind], attributes, links }, contextOf(origin)))
    },
  })
  return {
    async stop() {
      setTracer(undefined)
      const flushed = provider
        .shutdown()
        .catch((error: unknown) => log.warn({ err: error }, 'could not send all spans'))
      await Promise.race([flushed, new Promise((resolve) => setTimeout(resolve, flush_ms).unref())])
    },
  }
}

const kinds: Readonly<Record<SpanKind, OtelKind>> = {
  internal: OtelKind.INTERNAL,
  server: OtelKind.SERVER,
  client: OtelKind.CLIENT,
  consumer: OtelKind.CONSUMER,
}

class ExportedSpan implements StartedSpan {
  readonly span: OtelSpan
  readonly trace_id: string
  readonly traceparent: string
  readonly sampled: boolean
  ended = false

  constructor(span: OtelSpan) {
    const { traceId, spanId, traceFlags } = span.spanContext()
    this.span = span
    this.trace_id = traceId
    this.sampled = (traceFlags & TraceFlags.SAMPLED) !== 0
    this.traceparent = `00-${traceId}-${spanId}-${this.sampled ? '01' : '00'}`
  }

  set(attributes: Attributes): void {
    this.span.setAttributes(attributes)
  }

  fail(type: string): void {
    this.span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type)
  }

  end(): void {
    this.ended = true
    this.span.end()
  }
}

function contextOf(origin: Origin): Context {
  if ('parent' in origin)
    return origin.parent instanceof ExportedSpan ? trace.setSpan(ROOT_CONTEXT, origin.parent.span) : ROOT_CONTEXT
  const [remote] = 'continues' in origin ? remoteSpans(origin.continues) : []
  return remote === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote)
}

/** The span that a `traceparent` names; none if it is invalid. Later versions may append fields. */
function remoteSpans(traceparent: string | null): SpanContext[] {
  const match = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(
    traceparent ?? '',
  )
  if (match === null) return []
  const [, version, traceId = '', spanId = '', flags = '', more] = match
  if (version === '00' && more !== undefined) return []
  return [{ traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true }]
}

/** The sampler that OTEL_TRACES_SAMPLER names. */
function samplerOf({ name, ratio }: TraceSettings['sampler']): Sampler {
  const by_parent = /^parentbased_(.+)$/.exec(name)?.[1]
  const sampler = rootSampler(by_parent ?? name, ratio)
  return by_parent === undefined ? sampler : new ParentBasedSampler({ root: byLink(sampler) })
}

function rootSampler(name: string, ratio: number): Sampler {
  if (name === 'traceidratio') return new TraceIdRatioBasedSampler(ratio)
  return name === 'always_off' ? new AlwaysOffSampler() : new AlwaysOnSampler()
}

/** A job has its own trace, but is sampled like the span that enqueued it: otherwise few chains would be complete. */
const byLink = (otherwise: Sampler): Sampler => ({
  shouldSample(...args) {
    const linked = args[5][0]?.context
    if (linked === undefined) return otherwise.shouldSample(...args)
    const sampled = (linked.traceFlags & TraceFlags.SAMPLED) !== 0
    return { decision: sampled ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD }
  },
  toString: () => `ByLink{${otherwise.toString()}}`,
})
