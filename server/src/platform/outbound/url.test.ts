import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAddressPolicy } from './addresses.ts'
import { MAX_URL_CHARACTERS, readUrl, withoutQuery } from './url.ts'

const closed = createAddressPolicy([])
const loopback_open = createAddressPolicy(['127.0.0.0/8', '::1/128'])

function codeFor(url: string, policy = closed): string {
  return readUrl(url, policy).refusal?.code ?? 'ok'
}

const GRID: [url: string, code: string][] = [
  ['https://hooks.example/cdr?token=x#part', 'ok'],
  ['HTTPS://Hooks.Example/', 'ok'],
  ['http://8.8.8.8/', 'ok'],
  ['http://[2606:4700:4700::1111]/', 'ok'],
  ['https://bücher.example/', 'ok'],
  ['https://hooks.example./', 'ok'],

  ['', 'bad_url'],
  ['hooks.example/cdr', 'bad_url'],
  ['//hooks.example/cdr', 'bad_url'],
  ['http:/hooks.example', 'bad_url'],
  ['http:hooks.example', 'bad_url'],
  ['http:///hooks.example', 'bad_url'],
  ['http://', 'bad_url'],
  ['http://?x', 'bad_url'],
  ['http://./', 'bad_url'],
  ['ftp://hooks.example/', 'bad_url'],
  ['file:///etc/passwd', 'bad_url'],
  ['gopher://hooks.example/', 'bad_url'],
  ['javascript:alert(1)', 'bad_url'],
  ['http://user@hooks.example/', 'bad_url'],
  ['http://user:pw@hooks.example/', 'bad_url'],
  ['http://:pw@hooks.example/', 'bad_url'],
  ['http://@hooks.example/', 'bad_url'],
  ['http://hooks.example@127.0.0.1/', 'bad_url'],
  [' http://hooks.example/', 'bad_url'],
  ['http://hooks.example/a b', 'bad_url'],
  ['http://hooks.example/\r\nX: y', 'bad_url'],
  ['http://hooks\t.example/', 'bad_url'],
  ['http:\\\\hooks.example\\', 'bad_url'],
  ['http://hooks.example\\@127.0.0.1/', 'bad_url'],
  ['http://[fe80::1%25eth0]/', 'bad_url'],
  ['http://[fe80::1%eth0]/', 'bad_url'],
  ['http://[::1/', 'bad_url'],
  ['http://1.2.3.4.5/', 'bad_url'],
  ['http://4294967296/', 'bad_url'],
  ['http://hooks.example:99999/', 'bad_url'],
  [`http://hooks.example/${'a'.repeat(MAX_URL_CHARACTERS)}`, 'bad_url'],
  [`http://${'a.'.repeat(127)}example/`, 'bad_url'],

  ['http://hooks.example:80/', 'ok'],
  ['http://hooks.example:443/', 'ok'],
  ['https://hooks.example:8000/', 'ok'],
  ['https://hooks.example:9999/', 'ok'],
  ['https://hooks.example:7999/', 'port_refused'],
  ['https://hooks.example:10000/', 'port_refused'],
  ['http://hooks.example:22/', 'port_refused'],
  ['http://hooks.example:0/', 'bad_url'],
  ['http://8.8.8.8:25/', 'port_refused'],
]

test('a URL is accepted or refused for a named reason', () => {
  for (const [url, code] of GRID) assert.equal(codeFor(url), code, url)
})

/** Notations of refused addresses: loopback, metadata service or private network. */
const LITERALS = [
  'http://127.0.0.1/',
  'http://127.0.0.1./',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7F.1/',
  'http://0x7f.0x0.0x0.0x1/',
  'http://017700000001/',
  'http://0177.0.0.01/',
  'http://127.1/',
  'http://127.0.1/',
  'http://0/',
  'http://0.0.0.0/',
  'http://%31%32%37.0.0.1/',
  'http://１２７.0.0.1/',
  'http://127。0。0。1/',
  'http://[::]/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[0:0:0:0:0:FFFF:7F00:0001]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::127.0.0.1]/',
  'http://[2002:7f00:1::]/',
  'http://[fe80::1]/',
  'http://[fd00:ec2::254]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/',
  'http://0xA9FEA9FE/',
  'http://10.0.0.1/',
  'http://192.168.1.1:8080/',
  'http://localhost/',
  'http://LOCALHOST:8080/',
  'http://localhost./',
  'http://anything.localhost/',
]

test('a literal address is checked in every notation', () => {
  for (const url of LITERALS) assert.equal(codeFor(url), 'address_refused', url)
})

test('an address that the operator allowed is accepted on any port', () => {
  for (const url of [
    'http://127.0.0.1:3000/',
    'http://2130706433:5/',
    'http://[::1]:3000/',
    'http://[::ffff:127.0.0.1]:1/',
    'http://localhost:3000/',
  ]) {
    assert.equal(codeFor(url, loopback_open), 'ok', url)
  }
  assert.equal(codeFor('http://10.0.0.1/', loopback_open), 'address_refused')
  assert.equal(codeFor('http://8.8.8.8:22/', loopback_open), 'port_refused')
  assert.equal(codeFor('http://0.0.0.0:3000/', loopback_open), 'address_refused')
})

test('a refusal is a sentence without path, query or password', () => {
  for (const url of [
    'http://127.0.0.1/path?token=secret',
    'http://hooks.example:22/path?secret',
    'http://u:secret@hooks.example/path',
  ]) {
    const detail = readUrl(url, closed).refusal?.detail ?? ''
    assert.match(detail, /^[A-Z].*\.$/)
    assert.doesNotMatch(detail, /secret|path/)
  }
})

test('a URL for logs has no credentials, no query and no fragment', () => {
  assert.equal(withoutQuery('https://u:p@hooks.example:8443/a/b?token=x#y'), 'https://hooks.example:8443/a/b')
  assert.equal(withoutQuery(new URL('http://hooks.example?token=x')), 'http://hooks.example/')
  assert.equal(withoutQuery('nonsense'), '(not a URL)')
})
