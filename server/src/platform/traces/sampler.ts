import { TraceFlags } from '@opentelemetry/api'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace'
import type { TraceSettings } from './settings.ts'

/** The sampler that OTEL_TRACES_SAMPLER names. */
export function samplerOf({ name, ratio }: TraceSettings['sampler']): Sampler {
  const by_parent = /^parentbased_(.+)$/.exec(name)?.[1]
  const sampler = rootSampler(by_parent ?? name, ratio)
  return by_parent === undefined ? sampler : new ParentBasedSampler({ root: byLink(sampler) })
}

function rootSampler(name: string, ratio: number): Sampler {
  if (name === 'traceidratio') return new TraceIdRatioBasedSampler(ratio)
  return name === 'always_off' ? new AlwaysOffSampler() : new AlwaysOnSampler()
}

/** A job has a trace of its own, but is sampled like the span that enqueued it: otherwise few chains would be complete. */
const byLink = (otherwise: Sampler): Sampler => ({
  shouldSample(...args) {
    const linked = args[5][0]?.context
    if (linked === undefined) return otherwise.shouldSample(...args)
    const sampled = (linked.traceFlags & TraceFlags.SAMPLED) !== 0
    return { decision: sampled ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD }
  },
  toString: () => `ByLink{${otherwise.toString()}}`,
})
