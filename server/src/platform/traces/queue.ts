import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace'
import { ExportResultCode } from '@opentelemetry/core'
import type { Log } from '../postgres/log.ts'
import { countDropped, type DropReason } from './index.ts'

/** How often the log mentions dropped spans at most. */
const report_ms = 60_000

/**
 * A processor that `create` makes for an exporter, with at most `size` ended spans in memory, those being sent included. Further
 * spans are dropped, and counted, like those that the receiver does not accept.
 */
export function boundedQueue(
  size: number,
  exporter: SpanExporter,
  log: Log,
  create: (counted: SpanExporter) => SpanProcessor,
): SpanProcessor {
  let waiting = 0
  let reported_at = -Infinity
  const drop = (reason: DropReason, spans: number, error?: Error) => {
    countDropped(reason, spans)
    const now = performance.now()
    if (now - reported_at < report_ms) return
    reported_at = now
    log.warn({ reason, spans, err: error }, 'spans of traces were dropped; /metrics counts them')
  }
  const processor = create({
    export(spans, resolve) {
      exporter.export(spans, (result) => {
        waiting -= spans.length
        if (result.code !== ExportResultCode.SUCCESS) drop('not_exported', spans.length, result.error)
        resolve(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  })
  return {
    onStart: (span, context) => processor.onStart(span, context),
    onEnd(span: ReadableSpan) {
      if (waiting >= size) return drop('queue_full', 1)
      waiting += 1
      processor.onEnd(span)
    },
    forceFlush: () => processor.forceFlush(),
    shutdown: () => processor.shutdown(),
  }
}
