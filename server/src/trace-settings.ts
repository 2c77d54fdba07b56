import type { TraceSettings } from './platform/traces/settings.ts'
import type { Settings } from './settings.ts'

/** The receiver of traces and what it gets; null if none is configured. */
export function traceSettingsOf(s: Settings): TraceSettings | null {
  if (s.OTEL_EXPORTER_OTLP_ENDPOINT === undefined || s.OTEL_SDK_DISABLED === 'true') return null
  const queue = s.OTEL_BSP_MAX_QUEUE_SIZE
  const { 'service.name': name, ...resource } = s.OTEL_RESOURCE_ATTRIBUTES
  return {
    url: `${s.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, '')}/v1/traces`,
    headers: s.OTEL_EXPORTER_OTLP_HEADERS,
    timeout_ms: s.OTEL_EXPORTER_OTLP_TIMEOUT,
    service_name: s.OTEL_SERVICE_NAME ?? name ?? 'demarc',
    resource,
    sampler: { name: s.OTEL_TRACES_SAMPLER, ratio: s.OTEL_TRACES_SAMPLER_ARG },
    batch: {
      delay_ms: s.OTEL_BSP_SCHEDULE_DELAY,
      timeout_ms: s.OTEL_BSP_EXPORT_TIMEOUT,
      queue,
      size: Math.min(s.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, queue),
    },
  }
}
