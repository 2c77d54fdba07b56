import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cidrError, createAddressPolicy } from './addresses.ts'

const nothing_opened = createAddressPolicy([])

function assessed(address: string, policy = nothing_opened): string {
  const assessment = policy.assess(address)
  if (!assessment.open) return assessment.kind
  return assessment.listed ? 'listed' : 'public'
}

/** The first and last address of each range, and the neighbors on both sides. */
const IPV4_EDGES: [before: string, first: string, last: string, after: string, kind: string][] = [
  ['', '0.0.0.0', '0.255.255.255', '1.0.0.0', 'unspecified'],
  ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0', 'private'],
  ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0', 'shared'],
  ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0', 'loopback'],
  ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0', 'link-local'],
  ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0', 'private'],
  ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0', 'reserved'],
  ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0', 'documentation'],
  ['192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0', 'translated'],
  ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0', 'private'],
  ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0', 'benchmarking'],
  ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0', 'documentation'],
  ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0', 'documentation'],
  ['223.255.255.255', '224.0.0.0', '239.255.255.255', '', 'multicast'],
  ['', '240.0.0.0', '255.255.255.255', '', 'reserved'],
  ['168.63.129.15', '168.63.129.16', '168.63.129.16', '168.63.129.17', 'reserved'],
]

test('every special IPv4 range is refused from first to last address, but its neighbors are not', () => {
  for (const [before, first, last, after, kind] of IPV4_EDGES) {
    for (const inside of [first, last]) assert.equal(assessed(inside), kind, inside)
    for (const outside of [before, after]) if (outside !== '') assert.equal(assessed(outside), 'public', outside)
  }
})

const IPV6: [address: string, kind: string][] = [
  ['::', 'unspecified'],
  ['0:0:0:0:0:0:0:0', 'unspecified'],
  ['::1', 'loopback'],
  ['0000:0000:0000:0000:0000:0000:0000:0001', 'loopback'],
  ['fc00::1', 'private'],
  ['fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'private'],
  ['fd00:ec2::254', 'private'],
  ['fec0::1', 'private'],
  ['fe80::1', 'link-local'],
  ['febf::1', 'link-local'],
  ['fe80::1%eth0', 'reserved'],
  ['2606:4700:4700::1111%eth0', 'reserved'],
  ['ff02::1', 'multicast'],
  ['2001:db8::1', 'documentation'],
  ['3fff:fff::1', 'documentation'],
  ['2001:2::1', 'benchmarking'],
  ['2001::1', 'translated'],
  ['2002:7f00:1::', 'translated'],
  ['64:ff9b::7f00:1', 'translated'],
  ['64:ff9b::8.8.8.8', 'translated'],
  ['64:ff9b:1::1', 'translated'],
  ['::7f00:1', 'translated'],
  ['::ffff:0:7f00:1', 'translated'],
  ['::ffff:8.8.8.8', 'translated'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::FFFF:7F00:1', 'loopback'],
  ['0:0:0:0:0:ffff:10.1.2.3', 'private'],
  ['::ffff:169.254.169.254', 'link-local'],
  ['2001:1ff::1', 'reserved'],
  ['100::1', 'reserved'],
  ['5f00::1', 'reserved'],
  ['4000::1', 'reserved'],
  ['1fff::1', 'reserved'],
  ['2001:200::1', 'public'],
  ['2606:4700:4700::1111', 'public'],
  ['2a00:1450:4001::200e', 'public'],
  ['3ffe::1', 'public'],
]

test('every special IPv6 range is refused, in every notation, and global unicast is not', () => {
  for (const [address, expected] of IPV6) assert.equal(assessed(address), expected, address)
})

test('text that is not an address is refused', () => {
  for (const text of ['', 'localhost', '127.1', '0x7f000001', '1.2.3.4.5', '[::1]'])
    assert.equal(assessed(text), 'reserved', text)
})

test('the operator’s list allows its ranges and nothing else', () => {
  const policy = createAddressPolicy(['10.1.0.0/16', '127.0.0.1', 'fd00:1::/32'])
  for (const address of ['10.1.0.0', '10.1.255.255', '127.0.0.1', '::ffff:127.0.0.1', 'fd00:1::5']) {
    assert.equal(assessed(address, policy), 'listed', address)
  }
  assert.equal(assessed('10.0.255.255', policy), 'private')
  assert.equal(assessed('127.0.0.2', policy), 'loopback')
  assert.equal(assessed('fd00:2::1', policy), 'private')
  assert.equal(assessed('8.8.8.8', policy), 'public')
})

test('listing a mapped range or all of one family does not allow the other', () => {
  const all_ipv6 = createAddressPolicy(['::/0'])
  assert.equal(assessed('127.0.0.1', all_ipv6), 'loopback')
  assert.equal(assessed('8.8.8.8', all_ipv6), 'public')
  const all_ipv4 = createAddressPolicy(['0.0.0.0/0'])
  assert.equal(assessed('::1', all_ipv4), 'loopback')
  assert.equal(assessed('10.0.0.1', all_ipv4), 'listed')
})

test('no list allows the unspecified address, which connects to loopback, or multicast', () => {
  const everything = createAddressPolicy(['0.0.0.0/0', '::/0'])
  for (const address of ['0.0.0.0', '::', '::ffff:0.0.0.0'])
    assert.equal(assessed(address, everything), 'unspecified', address)
  for (const address of ['224.0.0.1', 'ff02::1', '::ffff:224.0.0.1'])
    assert.equal(assessed(address, everything), 'multicast', address)
})

test('every error in the list is reported', () => {
  for (const good of ['10.0.0.0/8', '10.0.0.1', '0.0.0.0/0', '::/0', 'fd00::/8', '::1', '::1/128'])
    assert.equal(cidrError(good), null, good)
  const bad = [
    '',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10/8',
    'fd00::/129',
    'fe80::1%eth0',
    'localhost',
    '::ffff:10.0.0.0/104',
  ]
  for (const text of bad) assert.match(cidrError(text) ?? '', /^".*" .*\.$/, text)
  assert.throws(() => createAddressPolicy(['10.0.0.0/33', 'x']), /10\.0\.0\.0\/33.*"x"/)
})
