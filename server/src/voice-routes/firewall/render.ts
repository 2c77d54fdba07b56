import type { CidrSets } from './cidr.ts'

/** The edge strategy that a text is for. Used only in names and comments. */
export interface Edge {
  id: string
  name: string
}

/**
 * A script for `nft -f`. Loading it again replaces the addresses atomically. The chain has no hook; administrators jump to it
 * from their own rules.
 */
export function nftablesText(edge: Edge, sets: CidrSets): string {
  const name = `demarc_edge_${edge.id}`
  const families = [
    { set: `${name}_ipv4`, type: 'ipv4_addr', match: 'ip saddr', blocks: sets.ipv4 },
    { set: `${name}_ipv6`, type: 'ipv6_addr', match: 'ip6 saddr', blocks: sets.ipv6 },
  ]
  return lines([
    `# Addresses of the edge strategy ${edge.id}, ${comment(edge.name)}`,
    '# Load:  nft -f FILE',
    `# Use:   nft insert rule inet filter input jump ${name}`,
    'add table inet filter',
    ...families.flatMap(({ set, type, blocks }) => [
      `add set inet filter ${set} { type ${type}; flags interval; }`,
      `flush set inet filter ${set}`,
      ...(blocks.length === 0 ? [] : [`add element inet filter ${set} { ${blocks.join(', ')} }`]),
    ]),
    `add chain inet filter ${name}`,
    `flush chain inet filter ${name}`,
    ...families.map(({ set, match }) => `add rule inet filter ${name} ${match} @${set} accept`),
  ])
}

/**
 * One file for both iptables-restore and ip6tables-restore: each skips lines marked for the other (`-4`, `-6`; see
 * iptables(8)). Declaring the chain flushes it, so the file can be loaded again.
 */
export function iptablesText(edge: Edge, sets: CidrSets): string {
  const chain = `DEMARC-EDGE-${edge.id}`
  return lines([
    `# Addresses of the edge strategy ${edge.id}, ${comment(edge.name)}`,
    '# Load:  iptables-restore --noflush FILE && ip6tables-restore --noflush FILE',
    `# Use:   iptables -I INPUT -j ${chain} && ip6tables -I INPUT -j ${chain}`,
    '*filter',
    `:${chain} - [0:0]`,
    ...sets.ipv4.map((block) => `-A ${chain} -4 -s ${block} -j ACCEPT`),
    ...sets.ipv6.map((block) => `-A ${chain} -6 -s ${block} -j ACCEPT`),
    'COMMIT',
  ])
}

const lines = (all: readonly string[]) => `${all.join('\n')}\n`

/** Replaces control characters: a line break in a name would turn the rest of it into a rule. */
const comment = (text: string) => text.replace(/\p{C}|\p{Zl}|\p{Zp}/gu, ' ')
