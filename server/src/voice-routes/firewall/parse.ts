import { familyBits, formatAddress, parseAddress, type Family } from './address.ts'

/** Addresses from `first` to `last`, inclusive. */
export interface AddressRange {
  family: Family
  first: bigint
  last: bigint
}

export interface ParsedRules {
  /** In the order written; ranges may overlap. */
  ranges: AddressRange[]
  /** Every invalid entry, with the reason. */
  errors: { text: string; reason: string }[]
}

/**
 * Parses an edge strategy's `firewall_rules`: CIDR blocks, ranges, and single IPv4 and IPv6 addresses, separated by commas,
 * semicolons, spaces, or line breaks. Anything else is an error, because a misread address opens a customer's firewall to the
 * wrong hosts.
 */
export function parseFirewallRules(text: string): ParsedRules {
  const parsed: ParsedRules = { ranges: [], errors: [] }
  for (const entry of entriesOf(text)) {
    const read = readEntry(entry)
    if (typeof read === 'string') parsed.errors.push({ text: entry, reason: read })
    else parsed.ranges.push(read)
  }
  return parsed
}

/**
 * Ranges may have spaces around the dash, and may use the dashes that word processors insert. A dash never joins two lines: at
 * the start of a line it is a list bullet.
 */
function entriesOf(text: string): string[] {
  return text
    .replace(/[^\S\r\n]*[-\u2010-\u2015][^\S\r\n]*/g, '-')
    .split(/[\s,;]+/)
    .filter((entry) => entry !== '')
}

function readEntry(entry: string): AddressRange | string {
  if (entry.includes('/')) return readBlock(entry)
  if (entry.includes('-')) return readRange(entry)
  const address = parseAddress(entry)
  if (!address) return 'is not an IP address, a CIDR block or a range.'
  return { family: address.family, first: address.value, last: address.value }
}

function readBlock(entry: string): AddressRange | string {
  const [written = '', length = '', ...rest] = entry.split('/')
  const address = parseAddress(written)
  if (!address || rest.length > 0) return 'is not a CIDR block.'
  const { family, value } = address
  const bits = familyBits[family]
  if (!/^(0|[1-9]\d{0,2})$/.test(length) || Number(length) > bits)
    return `is not a CIDR block: the prefix of IPv${family} is a whole number from 0 to ${bits}.`
  const host_mask = (1n << BigInt(bits - Number(length))) - 1n
  const first = value & ~host_mask
  if (first !== value)
    return `does not start at the block's first address. Write ${formatAddress({ family, value: first })}/${length} for the block, or ${written} for a single address.`
  return { family, first, last: first | host_mask }
}

function readRange(entry: string): AddressRange | string {
  const [from = '', to = '', ...rest] = entry.split('-')
  const [first, last] = [parseAddress(from), parseAddress(to)]
  if (!first || !last || rest.length > 0) return 'is not a range: write the whole first and the whole last address.'
  if (first.family !== last.family) return 'is not a range: one end is IPv4, the other IPv6.'
  if (first.value > last.value) return 'is not a range: its end is before its beginning.'
  return { family: first.family, first: first.value, last: last.value }
}
