import { countText } from '@demarc/client/rules'
import type { Body } from '../api.ts'
import type { Meaning } from '../ui/status.tsx'

export type CdrExport = Body<'getCdrExport'>['data']

const states = {
  processing: ['moving', 'In progress'],
  completed: ['done', 'Ready'],
  failed: ['refused', 'Failed'],
} as const satisfies Record<CdrExport['attributes']['status'], readonly [Meaning, string]>

/** The displayed state of an export; once its file is deleted it is Expired. */
export function stateOf({ attributes: { status, download_url } }: CdrExport): readonly [Meaning, string] {
  return status === 'completed' && download_url === null ? ['quiet', 'Expired'] : states[status]
}

export const formatLabels = {
  csv: 'CSV, gzip',
  'csv.zst': 'CSV, Zstandard',
  ndjson: 'NDJSON, gzip',
  parquet: 'Parquet',
} as const satisfies Record<CdrExport['attributes']['format'], string>

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** Time left, such as `6 days 23 hours`; null once it has passed. */
export function timeLeft(until: string, now_ms: number): string | null {
  let left_ms = Date.parse(until) - now_ms
  if (left_ms <= 0) return null
  const parts = units.flatMap(([unit, ms]) => {
    const count = Math.floor(left_ms / ms)
    left_ms -= count * ms
    return count === 0 ? [] : [countText(count, unit)]
  })
  return parts.length === 0 ? 'less than a minute' : parts.slice(0, 2).join(' ')
}

const countries = new Intl.DisplayNames('en-US', { type: 'region', fallback: 'none' })

/** A country's name by its two-letter code; undefined if unknown. */
export const countryName = (code: string): string | undefined =>
  /^[A-Z]{2}$/.test(code) ? countries.of(code) : undefined
