import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatAddress, parseAddress, type Family } from './address.ts'
import { cidrSets, iptablesText, nftablesText, parseFirewallRules, type AddressRange } from './index.ts'

const edge = { id: '7', name: 'US West' }
const setsOf = (text: string) => {
  const { ranges, errors } = parseFirewallRules(text)
  assert.deepEqual(errors, [])
  return cidrSets(ranges)
}

test('blocks, ranges, and addresses are parsed with any separator', () => {
  const grid: [string, string[], string[]][] = [
    ['192.0.2.32/28, 192.0.2.32-192.0.2.47', ['192.0.2.32/28'], []],
    ['192.0.2.1', ['192.0.2.1/32'], []],
    ['198.51.100.0/25;198.51.100.128/25', ['198.51.100.0/24'], []],
    ['192.0.2.1\n192.0.2.0\r\n\t192.0.2.2 , ', ['192.0.2.0/31', '192.0.2.2/32'], []],
    ['192.0.2.5 - 192.0.2.6', ['192.0.2.5/32', '192.0.2.6/32'], []],
    ['192.0.2.4 – 192.0.2.7', ['192.0.2.4/30'], []],
    ['203.0.113.9-203.0.113.9', ['203.0.113.9/32'], []],
    ['0.0.0.0/0', ['0.0.0.0/0'], []],
    ['0.0.0.0-255.255.255.255', ['0.0.0.0/0'], []],
    ['2001:db8::/32, 2001:DB8:1::5', [], ['2001:db8::/32']],
    ['2001:db8::1-2001:db8::2', [], ['2001:db8::1/128', '2001:db8::2/128']],
    ['::/0', [], ['::/0']],
    ['::ffff:192.0.2.1', [], ['::ffff:c000:201/128']],
    ['203.0.113.0/24 2001:db8:0:0:1::/80', ['203.0.113.0/24'], ['2001:db8:0:0:1::/80']],
    ['', [], []],
  ]
  for (const [text, ipv4, ipv6] of grid) assert.deepEqual(setsOf(text), { ipv4, ipv6 }, text)
})

test('invalid entries are named with their reason, and valid ones are kept', () => {
  const grid: [string, RegExp][] = [
    ['192.0.2.300', /^is not an IP address/],
    ['192.0.2', /^is not an IP address/],
    ['010.0.0.1', /^is not an IP address/],
    ['sip.example', /^is not an IP address/],
    ['192.0.2.1:5060', /^is not an IP address/],
    ['fe80::1%eth0', /^is not an IP address/],
    ['192.0.2.0/33', /0 to 32/],
    ['2001:db8::/129', /0 to 128/],
    ['192.0.2.0/', /0 to 32/],
    ['192.0.2.0/08', /0 to 32/],
    ['192.0.2.0/24/24', /^is not a CIDR block/],
    ['192.0.2.0/255.255.255.0', /^is not a CIDR block/],
    ['192.0.2.33/28', /Write 192\.0\.2\.32\/28 for the block, or 192\.0\.2\.33/],
    ['2001:db8::1/64', /Write 2001:db8::\/64/],
    ['192.0.2.47-192.0.2.32', /end is before/],
    ['192.0.2.1-2001:db8::1', /one end is IPv4/],
    ['192.0.2.32-47', /whole first and the whole last/],
    ['192.0.2.1-192.0.2.2-192.0.2.3', /whole first/],
    ['-192.0.2.1', /whole first/],
  ]
  for (const [entry, reason] of grid) {
    const { ranges, errors } = parseFirewallRules(`198.51.100.1, ${entry}`)
    assert.equal(ranges.length, 1, entry)
    assert.deepEqual(
      errors.map((e) => e.text),
      [entry],
    )
    assert.match(errors[0]?.reason ?? '', reason)
  }
})

test('a list with dashes is not read as a range', () => {
  const { ranges, errors } = parseFirewallRules('192.0.2.1\n- 192.0.2.9')
  assert.equal(ranges.length, 1)
  assert.deepEqual(
    errors.map((f) => f.text),
    ['-192.0.2.9'],
  )
})

test('IPv6 addresses are written as in RFC 5952', () => {
  const grid: [string, string][] = [
    ['2001:0db8:0000:0000:0001:0000:0000:0001', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['1:0:0:0:0:0:0:0', '1::'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['ABCD::', 'abcd::'],
  ]
  for (const [notation, formatted] of grid) {
    const address = parseAddress(notation)
    assert.ok(address)
    assert.equal(formatAddress(address), formatted)
  }
})

// Parses the texts independently: of the code under test it uses the address parser only.

interface Interval {
  first: bigint
  last: bigint
}

function intervalOf(block: string): Interval & { family: Family } {
  const [text = '', length = ''] = block.split('/')
  const address = parseAddress(text)
  assert.ok(address, block)
  const size = 2n ** BigInt((address.family === 4 ? 32 : 128) - Number(length))
  assert.equal(address.value % size, 0n, `${block} begins at its boundary`)
  return { family: address.family, first: address.value, last: address.value + size - 1n }
}

/** Is every address of `a` in `b`? Goes from gap to gap, without merging anything. */
function covers(b: readonly Interval[], a: readonly Interval[]): boolean {
  return a.every(({ first, last }) => {
    for (let at = first; at <= last;) {
      const over = b.filter((i) => i.first <= at && at <= i.last)
      if (over.length === 0) return false
      at = over.reduce((most, i) => (i.last > most ? i.last : most), at) + 1n
    }
    return true
  })
}

const range = (family: Family): fc.Arbitrary<AddressRange> => {
  const max = 2n ** (family === 4 ? 32n : 128n) - 1n
  const anywhere = fc.tuple(fc.bigInt({ min: 0n, max }), fc.bigInt({ min: 0n, max }))
  // near each other, so that they overlap and touch
  const near = fc
    .tuple(fc.bigInt({ min: 0n, max: 300n }), fc.bigInt({ min: 0n, max: 40n }), fc.constantFrom(0n, max - 400n))
    .map(([start, length, base]): [bigint, bigint] => [base + start, base + start + length])
  return fc.oneof({ weight: 1, arbitrary: anywhere }, { weight: 3, arbitrary: near }).map(([a, b]) => ({
    family,
    first: a < b ? a : b,
    last: a < b ? b : a,
  }))
}
const ranges = fc.array(fc.oneof(range(4), range(6)), { maxLength: 12 })

const written = (r: AddressRange) =>
  `${formatAddress({ family: r.family, value: r.first })}-${formatAddress({ family: r.family, value: r.last })}`

test('the blocks contain exactly the addresses that were written, each once', () => {
  fc.assert(
    fc.property(ranges, (input) => {
      const parsed = parseFirewallRules(input.map(written).join(', '))
      assert.deepEqual(parsed, { ranges: input, errors: [] })
      const sets = cidrSets(parsed.ranges)
      for (const [family, blocks] of [
        [4, sets.ipv4],
        [6, sets.ipv6],
      ] as const) {
        const wanted = input.filter((r) => r.family === family)
        const emitted = blocks.map(intervalOf)
        assert.ok(emitted.every((i) => i.family === family))
        assert.ok(covers(emitted, wanted), 'nothing is missing')
        assert.ok(covers(wanted, emitted), 'nothing is added')
        for (const [i, block] of emitted.entries()) {
          const next = emitted[i + 1]
          if (next) assert.ok(block.last < next.first, 'sorted, without overlap')
        }
      }
    }),
    { numRuns: 500 },
  )
})

test('no two blocks could be merged into one', () => {
  fc.assert(
    fc.property(ranges, (input) => {
      const { ipv4, ipv6 } = cidrSets(input)
      for (const blocks of [ipv4, ipv6])
        for (const [i, block] of blocks.entries()) {
          const next = blocks[i + 1]
          if (next === undefined) continue
          const [a, b] = [intervalOf(block), intervalOf(next)]
          const size = a.last - a.first + 1n
          const siblings = b.last - b.first + 1n === size && a.last + 1n === b.first && a.first % (2n * size) === 0n
          assert.ok(!siblings, `${block} and ${next}`)
        }
    }),
  )
})

test('a block written as a range and as CIDR gives the same set', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), fc.integer({ min: 0, max: 128 }), (value, length) => {
      const size = 2n ** BigInt(128 - length)
      const first = value - (value % size)
      const block = `${formatAddress({ family: 6, value: first })}/${length}`
      assert.deepEqual(setsOf(block), { ipv4: [], ipv6: [block] })
      assert.deepEqual(setsOf(written({ family: 6, first, last: first + size - 1n })), setsOf(block))
    }),
  )
})

test('the nftables and iptables texts allow the same blocks as the sets', () => {
  fc.assert(
    fc.property(ranges, (input) => {
      const sets = cidrSets(input)
      const nft = nftablesText(edge, sets)
      for (const [name, blocks] of [
        ['ipv4', sets.ipv4],
        ['ipv6', sets.ipv6],
      ] as const) {
        const elements = new RegExp(`^add element inet filter demarc_edge_7_${name} \\{ (.*) \\}$`, 'm').exec(nft)?.[1]
        assert.deepEqual(elements?.split(', ') ?? [], blocks)
      }
      const iptables = iptablesText(edge, sets)
      const opened = (flag: string) =>
        [...iptables.matchAll(new RegExp(`^-A DEMARC-EDGE-7 ${flag} -s (\\S+) -j ACCEPT$`, 'gm'))].map((m) => m[1])
      assert.deepEqual(opened('-4'), sets.ipv4)
      assert.deepEqual(opened('-6'), sets.ipv6)
    }),
    { numRuns: 50 },
  )
})

test('the texts replace previously loaded addresses', () => {
  const sets = setsOf('192.0.2.32-192.0.2.48, 2001:db8::/48')
  assert.equal(
    nftablesText(edge, sets),
    `# Addresses of the edge strategy 7, US West
# Load:  nft -f FILE
# Use:   nft insert rule inet filter input jump demarc_edge_7
add table inet filter
add set inet filter demarc_edge_7_ipv4 { type ipv4_addr; flags interval; }
flush set inet filter demarc_edge_7_ipv4
add element inet filter demarc_edge_7_ipv4 { 192.0.2.32/28, 192.0.2.48/32 }
add set inet filter demarc_edge_7_ipv6 { type ipv6_addr; flags interval; }
flush set inet filter demarc_edge_7_ipv6
add element inet filter demarc_edge_7_ipv6 { 2001:db8::/48 }
add chain inet filter demarc_edge_7
flush chain inet filter demarc_edge_7
add rule inet filter demarc_edge_7 ip saddr @demarc_edge_7_ipv4 accept
add rule inet filter demarc_edge_7 ip6 saddr @demarc_edge_7_ipv6 accept
`,
  )
  assert.equal(
    iptablesText(edge, sets),
    `# Addresses of the edge strategy 7, US West
# Load:  iptables-restore --noflush FILE && ip6tables-restore --noflush FILE
# Use:   iptables -I INPUT -j DEMARC-EDGE-7 && ip6tables -I INPUT -j DEMARC-EDGE-7
*filter
:DEMARC-EDGE-7 - [0:0]
-A DEMARC-EDGE-7 -4 -s 192.0.2.32/28 -j ACCEPT
-A DEMARC-EDGE-7 -4 -s 192.0.2.48/32 -j ACCEPT
-A DEMARC-EDGE-7 -6 -s 2001:db8::/48 -j ACCEPT
COMMIT
`,
  )
})

test('a name cannot inject a rule into a text', () => {
  for (const name of ['x\n-A INPUT -j ACCEPT', 'x\rflush ruleset', 'x\u2028y', 'x\u0000y', 'x\u0085y'])
    for (const text of [nftablesText({ id: '7', name }, setsOf('')), iptablesText({ id: '7', name }, setsOf(''))])
      for (const line of text.split(/[\n\r\u2028\u2029\u0085]/))
        assert.doesNotMatch(line, /^(-A INPUT|flush ruleset|y)/)
})
