import { familyBits, formatAddress, type Family } from './address.ts'
import type { AddressRange } from './parse.ts'

/** CIDR blocks that cover exactly the given addresses: sorted, disjoint, and as few as possible. */
export interface CidrSets {
  ipv4: string[]
  ipv6: string[]
}

/** Converts ranges to exact CIDR sets. */
export function cidrSets(ranges: readonly AddressRange[]): CidrSets {
  const blocks = (family: Family) => mergeRanges(ranges.filter((r) => r.family === family)).flatMap(cidrsOf)
  return { ipv4: blocks(4), ipv6: blocks(6) }
}

/** Ranges of one family, sorted, with overlapping and adjacent ones merged. */
function mergeRanges(ranges: readonly AddressRange[]): AddressRange[] {
  const merged: AddressRange[] = []
  for (const range of ranges.toSorted((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0))) {
    const before = merged.at(-1)
    if (before === undefined || range.first > before.last + 1n) merged.push({ ...range })
    else if (range.last > before.last) before.last = range.last
  }
  return merged
}

/** From the left, always the largest block that starts here and ends within the range. */
function cidrsOf({ family, first, last }: AddressRange): string[] {
  const bits = familyBits[family]
  const blocks: string[] = []
  for (let at = first; at <= last;) {
    let size = 0
    while (size < bits && (at & (1n << BigInt(size))) === 0n && at + (1n << BigInt(size + 1)) - 1n <= last) size += 1
    blocks.push(`${formatAddress({ family, value: at })}/${bits - size}`)
    at += 1n << BigInt(size)
  }
  return blocks
}
