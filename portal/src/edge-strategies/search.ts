import { oneOfIn, textIn } from '../search.ts'

/** Formats: a plain list, or rules for the named firewall. */
export const formats = ['addresses', 'nftables', 'iptables', 'json'] as const
export type Format = (typeof formats)[number]

/** URL parameters of the edge-strategies page. */
export interface EdgeStrategiesSearch {
  id?: string
  format?: Format
}

export const edgeStrategiesSearch = (raw: Record<string, unknown>): EdgeStrategiesSearch => {
  const [id, format] = [textIn(raw, 'id'), oneOfIn(raw, 'format', formats)]
  return { ...(id && { id }), ...(format && { format }) }
}
