import { isIPv4, isIPv6 } from 'node:net'

/** IP addresses as bigints, so that range arithmetic is exact. */

export type Family = 4 | 6

export interface Address {
  family: Family
  value: bigint
}

export const familyBits = { 4: 32, 6: 128 } as const satisfies Record<Family, number>

/** Null for anything that is not exactly one address: ports, zones, and leading zeros in IPv4 are refused. */
export function parseAddress(text: string): Address | null {
  if (isIPv4(text)) return { family: 4, value: fromIPv4(text) }
  // a zone index (fe80::1%eth0) has meaning on one host only
  if (isIPv6(text) && !text.includes('%')) return { family: 6, value: fromIPv6(text) }
  return null
}

/** The address as text: dotted decimal, or for IPv6 as in RFC 5952. */
export function formatAddress({ family, value }: Address): string {
  return family === 4 ? formatIPv4(value) : formatIPv6(value)
}

function fromIPv4(text: string): bigint {
  return text.split('.').reduce((sum, octet) => (sum << 8n) | BigInt(octet), 0n)
}

function fromIPv6(text: string): bigint {
  const [head = '', tail] = text.split('::', 2)
  const before = groupsOf(head)
  const after = groupsOf(tail ?? '')
  const gap = tail === undefined ? 0 : 8 - before.length - after.length
  return [...before, ...Array.from({ length: gap }, () => 0n), ...after].reduce(
    (sum, group) => (sum << 16n) | group,
    0n,
  )
}

/** Groups of 16 bits; a dotted ending (`::ffff:192.0.2.1`) is two groups. */
function groupsOf(part: string): bigint[] {
  if (part === '') return []
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)]
    const dotted = fromIPv4(group)
    return [dotted >> 16n, dotted & 0xffffn]
  })
}

function formatIPv4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join('.')
}

function formatIPv6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => (value >> BigInt(16 * (7 - i))) & 0xffffn)
  const written = groups.map((g) => g.toString(16))
  const { start, length } = longestZeros(groups)
  if (length < 2) return written.join(':')
  return `${written.slice(0, start).join(':')}::${written.slice(start + length).join(':')}`
}

/** The first of the longest runs of zero groups, which `::` replaces. */
function longestZeros(groups: readonly bigint[]): { start: number; length: number } {
  let best = { start: 0, length: 0 }
  let start = 0
  for (const [i, group] of groups.entries()) {
    if (group !== 0n) start = i + 1
    else if (i + 1 - start > best.length) best = { start, length: i + 1 - start }
  }
  return best
}
