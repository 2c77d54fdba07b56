import { unescape } from 'node:querystring'

/** What the variables OTEL_* mean, without the libraries that use them. */

export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export interface TraceSettings {
  /** Of the receiver, with the path. */
  url: string
  headers: Readonly<Record<string, string>>
  /** For one export. */
  timeout_ms: number
  service_name: string
  resource: Readonly<Record<string, string>>
  sampler: { name: (typeof samplerNames)[number]; ratio: number }
  batch: { delay_ms: number; timeout_ms: number; queue: number; size: number }
}

/** Reads `name=value` pairs separated by commas, with percent-encoded values. Null if the text has another form. */
export function parsePairs(text: string): Record<string, string> | null {
  const pairs: [string, string][] = []
  for (const each of text.split(',').filter((pair) => pair.trim() !== '')) {
    const [, name, value] = /^\s*([^\s=;"]+)\s*=\s*((?:%[\dA-Fa-f]{2}|[^%;])*)$/.exec(each) ?? []
    if (name === undefined || value === undefined) return null
    pairs.push([name, unescape(value.trim())])
  }
  return Object.fromEntries(pairs)
}
