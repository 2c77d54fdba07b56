import { familyBits, formatAddress, parseAddress, type Family } from './address.ts'

/** Addresses from `first` to `last`, both included. */
export interface AddressRange {
  family: Family
  first: bigint
  last: bigint
}

export interface ParsedRules {
  /** In the order written; they may overlap. */
  ranges: AddressRange[]
  /** Every piece that is not understood, with the reason. */
  faults: { piece: string; reason: string }[]
}

/**
 * Reads an edge strategy's `firewall_rules`: CIDR blocks, ranges and single addresses of IPv4 and IPv6, separated by commas,
 * semicolons, spaces or line ends. Nothing is guessed: what is not exactly one of these is a fault, because a misread
 * address opens a customer's firewall to strangers.
 */
export function parseFirewallRules(text: string): ParsedRules {
  const parsed: ParsedRules = { ranges: [], faults: [] }
  for (const piece of piecesOf(text)) {
    const read = readPiece(piece)
    if (typeof read === 'string') parsed.faults.push({ piece, reason: read })
    else parsed.ranges.push(read)
  }
  return parsed
}

/**
 * Ranges may be written with spaces around the dash, and with the dashes that word processors make of it. A dash never
 * reaches over a line end: there it begins an entry of a list.
 */
function piecesOf(text: string): string[] {
  return text
    .replace(/[^\S\r\n]*[-\u2010-\u2015][^\S\r\n]*/g, '-')
    .split(/[\s,;]+/)
    .filter((piece) => piece !== '')
}

function readPiece(piece: string): AddressRange | string {
  if (piece.includes('/')) return readBlock(piece)
  if (piece.includes('-')) return readRange(piece)
  const address = parseAddress(piece)
  if (!address) return 'is not an IP address, a CIDR block or a range.'
  return { family: address.family, first: address.value, last: address.value }
}

function readBlock(piece: string): AddressRange | string {
  const [written = '', length = '', ...rest] = piece.split('/')
  const address = parseAddress(written)
  if (!address || rest.length > 0) return 'is not a CIDR block.'
  const { family, value } = address
  const bits = familyBits[family]
  if (!/^(0|[1-9]\d{0,2})$/.test(length) || Number(length) > bits)
    return `is not a CIDR block: the prefix of IPv${family} is a whole number from 0 to ${bits}.`
  const inside = (1n << BigInt(bits - Number(length))) - 1n
  const first = value & ~inside
  if (first !== value)
    return `does not begin where its block begins. Write ${formatAddress({ family, value: first })}/${length} for the block, or ${written} for the one address.`
  return { family, first, last: first | inside }
}

function readRange(piece: string): AddressRange | string {
  const [from = '', to = '', ...rest] = piece.split('-')
  const [first, last] = [parseAddress(from), parseAddress(to)]
  if (!first || !last || rest.length > 0) return 'is not a range: write the whole first and the whole last address.'
  if (first.family !== last.family) return 'is not a range: one end is IPv4, the other IPv6.'
  if (first.value > last.value) return 'is not a range: its end is before its beginning.'
  return { family: first.family, first: first.value, last: last.value }
}
