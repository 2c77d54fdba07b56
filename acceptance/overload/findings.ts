import type { Figure } from '../reliability/results.ts'
import type { Overload } from './overload.ts'
import { growth } from './sampler.ts'
import type { Latency, Summary } from './tally.ts'

/** Errors found during an overload, and the figures to report. */

const accepted_ms_max = 5_000
const refused_ms_max = 2_000
const recovery_ms_max = 5_000
/** Memory allocated late: caches that fill, and buffers of PostgreSQL's sessions. */
const growth_mib_max = 128
/** Sessions and connections come and go. */
const growth_descriptors_max = 500

/** One sentence per error that no machine explains. */
export function violationsOf({ load, sampler }: Overload): string[] {
  return [
    ...refusalViolations(load),
    ...(load.accepted === 0 ? ['nothing was accepted'] : []),
    ...[...sampler.samples].flatMap(([name, samples]) => {
      const memory = growth(samples, ({ rss_mib }) => rss_mib)
      const descriptors = growth(samples, (each) => each.descriptors)
      return [
        ...(memory.to - memory.from > growth_mib_max ? [`${name} grew by ${memory.to - memory.from} MiB`] : []),
        ...(descriptors.to - descriptors.from > growth_descriptors_max
          ? [`${name} has ${descriptors.to} descriptors, and had ${descriptors.from}`]
          : []),
      ]
    }),
  ]
}

/** One sentence per figure that is too slow for a machine without other load. */
export function slownessOf({ load, recovery_ms }: Overload): string[] {
  const late = (what: string, ms: number, max: number) => (ms > max ? [`${what} took ${Math.round(ms)} ms`] : [])
  return [
    ...late('an accepted request (p99)', load.accepted_ms.p99, accepted_ms_max),
    ...late('a refusal (p99)', load.refused_ms.p99, refused_ms_max),
    ...late('until all was as before', recovery_ms, recovery_ms_max),
  ]
}

/** Every request is accepted or refused, and every refusal has Retry-After. */
export function refusalViolations({ failed, without_retry_after }: Summary): string[] {
  return [
    ...Object.entries(failed).map(([what, times]) => `${times} × ${what}`),
    ...(without_retry_after > 0 ? [`${without_retry_after} refusals have no Retry-After`] : []),
  ]
}

export function figuresOf(found: Overload): Figure[] {
  const { load, calibration, sampler } = found
  return [
    { name: 'Sustained by a closed loop of 16 clients', value: `${Math.round(found.sustained)} requests/s` },
    { name: 'Its latency', value: latency(calibration.accepted_ms) },
    {
      name: 'Sent',
      value: `${Math.round(load.sent / load.seconds)} requests/s, ${load.sent.toLocaleString('en-US')} in all`,
    },
    { name: 'Accepted', value: shareOf(load.accepted, load) },
    ...Object.entries(load.refused).map(([status, times]) => ({
      name: `Refused, ${status}`,
      value: shareOf(times, load),
    })),
    { name: 'Latency, accepted', value: latency(load.accepted_ms) },
    ...Object.entries(load.by_name).map(([name, each]) => ({ name: `– ${name}`, value: latency(each) })),
    { name: 'Time to a refusal', value: latency(load.refused_ms) },
    ...[...sampler.samples].map(([name, samples]) => {
      const memory = growth(samples, ({ rss_mib }) => Math.round(rss_mib))
      const descriptors = growth(samples, (each) => each.descriptors)
      return {
        name: `${name}: own memory and descriptors, second quarter and last`,
        value: `${memory.from} → ${memory.to} MiB, ${descriptors.from} → ${descriptors.to}`,
      }
    }),
    { name: 'Longest event loop delay', value: `${found.loop_delay_ms} ms` },
    { name: 'Until an ordinary response of every kind', value: seconds(found.recovery_ms) },
    { name: `Until all of ${found.exports} accepted exports were completed`, value: seconds(found.exports_ms) },
  ]
}

export const shareOf = (count: number, { sent }: Summary) =>
  `${count.toLocaleString('en-US')} (${((100 * count) / Math.max(1, sent)).toFixed(1)} %)`
export const latency = ({ p50, p99, max }: Latency) => `p50 ${p50} ms, p99 ${p99} ms, longest ${max} ms`
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
