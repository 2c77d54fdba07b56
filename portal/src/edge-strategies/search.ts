import { oneOfIn, textIn } from '../search.ts'

/** How the addresses are written: as a list, or for the firewall of that name. */
export const formats = ['addresses', 'nftables', 'iptables', 'json'] as const
export type Format = (typeof formats)[number]

/** What of the page of edge strategies is in its URL. */
export interface EdgeStrategiesSearch {
  id?: string
  format?: Format
}

export const edgeStrategiesSearch = (raw: Record<string, unknown>): EdgeStrategiesSearch => {
  const [id, format] = [textIn(raw, 'id'), oneOfIn(raw, 'format', formats)]
  return { ...(id && { id }), ...(format && { format }) }
}
