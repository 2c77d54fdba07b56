import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readHost, unsupportedReason, type Host } from './host.ts'

const FIT: Host = { platform: 'linux', arch: 'x64', glibc: '2.36', cpu_flags: new Set(['sse4_2', 'avx2']) }

describe('the embedded engine', () => {
  for (const [where, host] of Object.entries<Partial<Host>>({
    'Linux with glibc and AVX2': {},
    'Linux on arm64': { arch: 'arm64', cpu_flags: undefined },
    macOS: { platform: 'darwin', arch: 'arm64', glibc: undefined, cpu_flags: undefined },
    'Linux that hides its processor': { cpu_flags: undefined },
  })) {
    test(`runs on ${where}`, () => assert.equal(unsupportedReason({ ...FIT, ...host }), undefined))
  }

  for (const [where, host, reason] of [
    ['Alpine', { glibc: undefined }, /needs glibc/],
    ['a processor without AVX2', { cpu_flags: new Set(['sse4_2', 'avx']) }, /AVX2/],
    ['Windows', { platform: 'win32', glibc: undefined, cpu_flags: undefined }, /no build for win32/],
    ['a 32-bit processor', { arch: 'arm' }, /no build for linux on arm/],
  ] as const) {
    test(`rejects ${where} with the remedy`, () => {
      const refused = unsupportedReason({ ...FIT, ...host })
      assert.match(refused ?? '', reason)
      assert.match(refused ?? '', /CLICKHOUSE_URL/)
    })
  }

  test('reads the properties of its host', { skip: process.platform !== 'linux' && 'reads /proc' }, () => {
    const host = readHost()
    assert.equal(host.platform, 'linux')
    assert.ok((host.cpu_flags?.size ?? 0) > 0 || process.arch !== 'x64')
  })
})
