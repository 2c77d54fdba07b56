import { BlockList, isIP } from 'node:net'

/** Why an address is refused. Refusal messages include this, but not the address. */
export type AddressKind =
  | 'private'
  | 'loopback'
  | 'link-local'
  | 'shared'
  | 'multicast'
  | 'unspecified'
  | 'documentation'
  | 'benchmarking'
  | 'translated'
  | 'reserved'

export type AddressAssessment =
  /** `listed`: allowed by the operator's list, on any port. Otherwise the address is public. */
  { open: true; listed: boolean } | { open: false; kind: AddressKind }

export interface AddressPolicy {
  /** Assesses one IPv4 or IPv6 address in any notation. Refuses text that is not an address. */
  assess(address: string): AddressAssessment
  /** True if the operator's list is not empty. */
  has_listed: boolean
}

/**
 * IANA's special-purpose registries (IPv4 and IPv6, RFC 6890), and formats that embed one address in another: NAT64 (RFC 6052,
 * 8215), 6to4 (RFC 3056), Teredo (RFC 4380), IPv4-mapped and -compatible (RFC 4291), SIIT (RFC 2765).
 */
const REFUSED: readonly (readonly [kind: AddressKind, cidrs: readonly string[]])[] = [
  ['unspecified', ['0.0.0.0/8', '::/128']],
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10']],
  ['link-local', ['169.254.0.0/16', 'fe80::/10']],
  ['shared', ['100.64.0.0/10']],
  ['multicast', ['224.0.0.0/4', 'ff00::/8']],
  ['documentation', ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20']],
  ['benchmarking', ['198.18.0.0/15', '2001:2::/48']],
  [
    'translated',
    [
      '192.88.99.0/24',
      '::/96',
      '::ffff:0:0/96',
      '::ffff:0:0:0/96',
      '64:ff9b::/96',
      '64:ff9b:1::/48',
      '2001::/32',
      '2002::/16',
    ],
  ],
  [
    'reserved',
    [
      '192.0.0.0/24',
      '192.31.196.0/24',
      '192.52.193.0/24',
      '192.175.48.0/24',
      '240.0.0.0/4',
      // Azure's host agent: a public address reachable only from inside its virtual machines.
      '168.63.129.16/32',
      '100::/64',
      '2001::/23',
      '2620:4f:8000::/48',
      '5f00::/16',
    ],
  ],
]

/** No server has such an address. 0.0.0.0 connects to loopback, so even a range like 0.0.0.0/0 must not allow it. */
const NEVER_OPEN: readonly AddressKind[] = ['unspecified', 'multicast']

/** Only 2000::/3 is global unicast today, so ranges that IANA has not allocated yet are refused too. */
const GLOBAL_IPV6 = rangeSet(['2000::/3'])

const REFUSED_SETS = REFUSED.map(([kind, cidrs]) => ({ kind, set: rangeSet(cidrs) }))

/** Creates the policy. Throws one error that names every invalid range; `cidrError` checks one. */
export function createAddressPolicy(allow_cidrs: readonly string[]): AddressPolicy {
  const errors = allow_cidrs.map(cidrError).filter((error) => error !== null)
  if (errors.length > 0) throw new Error(errors.join(' '))
  const listed = rangeSet(allow_cidrs)
  return {
    has_listed: allow_cidrs.length > 0,
    assess(address) {
      const family = isIP(address)
      // A zone id ("fe80::1%eth0") names an interface of this machine.
      if (family === 0 || address.includes('%')) return { open: false, kind: 'reserved' }
      const kind = REFUSED_SETS.find(({ set }) => set.has(address))?.kind
      // An IPv4-mapped address reaches the same host as the IPv4 address in it, so the same rules apply.
      const mapped_kind = REFUSED_SETS.find(({ set }) => set.hasMapped(address))?.kind
      for (const never of [kind, mapped_kind]) {
        if (never !== undefined && NEVER_OPEN.includes(never)) return { open: false, kind: never }
      }
      if (listed.has(address) || listed.hasMapped(address)) return { open: true, listed: true }
      if (kind !== undefined) return { open: false, kind: mapped_kind ?? kind }
      if (family === 6 && !GLOBAL_IPV6.has(address)) return { open: false, kind: 'reserved' }
      return { open: true, listed: false }
    },
  }
}

/**
 * The error in one entry of the operator's list, as a sentence; null if the entry is valid. An address without a prefix length
 * is a range of one.
 */
export function cidrError(text: string): string | null {
  const [address, length, ...rest] = text.split('/')
  const family = isIP(address ?? '')
  if (address === undefined || family === 0 || address.includes('%') || rest.length > 0) {
    return `"${text}" is not an address range such as 10.0.0.0/8 or fd00::/8.`
  }
  if (family === 6 && MAPPED.check(address, 'ipv6')) return `"${text}" is an IPv4-mapped range; write it as IPv4.`
  const bits = family === 4 ? 32 : 128
  const is_valid = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits)
  return is_valid ? null : `"${text}" needs a prefix length of 0 to ${bits} after the slash.`
}

export interface RangeSet {
  /** Compares IPv4 addresses with IPv4 ranges, and IPv6 addresses with IPv6 ranges. */
  has(address: string): boolean
  /** Compares an IPv4-mapped IPv6 address with the IPv4 ranges, because it reaches the same host. */
  hasMapped(address: string): boolean
}

/** One list per family: a single BlockList compares across families, so ::ffff:0:0/96 would match every IPv4 address. */
export function rangeSet(cidrs: readonly string[]): RangeSet {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const cidr of cidrs) {
    const [address = '', length] = cidr.split('/')
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    lists[family].addSubnet(address, Number(length ?? (family === 'ipv4' ? 32 : 128)), family)
  }
  return {
    has: (address) => (isIP(address) === 4 ? lists.ipv4.check(address, 'ipv4') : lists.ipv6.check(address, 'ipv6')),
    hasMapped: (address) => isIP(address) === 6 && lists.ipv4.check(address, 'ipv6'),
  }
}

const MAPPED = new BlockList()
MAPPED.addSubnet('::ffff:0:0', 96, 'ipv6')
