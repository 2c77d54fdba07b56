import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Spans of traces. Without a tracer, nothing is recorded and no library is loaded; exporter.ts has the tracer that sends spans.
 * Attributes have ids and names from the code only: no telephone number, name, address, secret, or query string.
 */

export type Attributes = Readonly<Record<string, string | number | boolean>>

export interface Span {
  set(attributes: Attributes): void
  /** Marks the span as failed. `type` is the error's code or class: its message may contain what a span must not. */
  fail(type: string): void
}

export interface StartedSpan extends Span {
  trace_id: string
  /** As the header `traceparent` has it (W3C Trace Context). */
  traceparent: string
  /** False for a span that sampling left out. */
  sampled: boolean
  /** True after `end`. Timers and caches that a request started run on in its context. */
  ended: boolean
  end(): void
}

export type SpanKind = 'internal' | 'server' | 'client' | 'consumer'

/** What a new span belongs to: another span of this process, or a `traceparent` that it continues or only links to. */
export type Origin = { parent: StartedSpan } | { continues: string | null } | { linked: string | null }

export interface Tracer {
  start(name: string, kind: SpanKind, attributes: Attributes, origin: Origin): StartedSpan
}

let tracer: Tracer | undefined
const current = new AsyncLocalStorage<StartedSpan>()

/** Sets the tracer of this process; undefined ends tracing. */
export function setTracer(value: Tracer | undefined): void {
  tracer = value
}

/** The span that the running code belongs to; undefined without a tracer, and outside a request or job. */
export function currentSpan(): StartedSpan | undefined {
  if (tracer === undefined) return undefined
  const span = current.getStore()
  return span?.ended ? undefined : span
}

/** The current span's `traceparent`, for a header or a row; null without one. */
export const currentTraceparent = (): string | null => currentSpan()?.traceparent ?? null

/** Runs `work` in a span of the current trace; without one, or if it is not sampled, only runs it. */
export function inSpan<T>(
  name: string,
  attributes: Attributes,
  work: (span: Span) => Promise<T>,
  kind: SpanKind = 'internal',
): Promise<T> {
  const parent = currentSpan()
  if (tracer === undefined || !parent?.sampled) return work(ignored)
  return during(tracer.start(name, kind, attributes, { parent }), work)
}

/** Runs a job in its own trace that links to the span that enqueued it, because the job may run much later. */
export function inJobSpan<T>(kind: string, linked: string | null, work: (span: Span) => Promise<T>): Promise<T> {
  if (tracer === undefined) return work(ignored)
  return during(tracer.start(`job ${kind}`, 'consumer', { 'demarc.job.kind': kind }, { linked }), work)
}

/** Starts the span of a request, which continues the client's trace. The caller ends it. Undefined without a tracer. */
export const startRequestSpan = (name: string, attributes: Attributes, traceparent: string | null) =>
  tracer?.start(name, 'server', attributes, { continues: traceparent })

/** Runs `work` as part of a span. */
export const withSpan = <T>(span: StartedSpan | undefined, work: () => T): T =>
  span === undefined ? work() : current.run(span, work)

const ignored: Span = { set: () => undefined, fail: () => undefined }

async function during<T>(span: StartedSpan, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await current.run(span, () => work(span))
  } catch (error) {
    span.fail(errorType(error))
    throw error
  } finally {
    span.end()
  }
}

/** The error's code (`23505`, `ECONNREFUSED`), or else its class. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/** Why spans were dropped: the queue was full, or the receiver did not accept them. */
export const dropReasons = ['queue_full', 'not_exported'] as const
export type DropReason = (typeof dropReasons)[number]

let observeDropped: (reason: DropReason, spans: number) => void = () => undefined

/** Calls `observer` with the number of spans that are dropped from now on. */
export function onSpansDropped(observer: typeof observeDropped): void {
  observeDropped = observer
}

export const countDropped = (reason: DropReason, spans: number): void => observeDropped(reason, spans)
