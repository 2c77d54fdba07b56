import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseUrlError, parseDatabaseUrl, tlsAttempts, type DatabaseAddress } from './database-url.ts'

test('a URL is read like libpq reads it', () => {
  const grid: [string, Partial<DatabaseAddress>][] = [
    [
      'postgres://demarc:p%40ss@db.example/calls',
      { servers: [{ host: 'db.example', port: 5432 }], user: 'demarc', password: 'p@ss', database: 'calls' },
    ],
    [
      'postgresql://u:p@h1:5433,h2,[::1]:5434/d?target_session_attrs=read-write',
      {
        servers: [
          { host: 'h1', port: 5433 },
          { host: 'h2', port: 5432 },
          { host: '::1', port: 5434 },
        ],
        target_session_attrs: 'read-write',
      },
    ],
    ['postgres:///d?host=a,b&port=7', { servers: ['a', 'b'].map((host) => ({ host, port: 7 })) }],
    ['postgres://postgres@%2Frun%2Fpg/d?port=1', { servers: [{ host: '/run/pg', port: 1 }], user: 'postgres' }],
    ['postgres://u:a:b@c@h/d', { user: 'u', password: 'a:b@c', servers: [{ host: 'h', port: 5432 }] }],
    [
      'postgres://h/d?sslmode=require&options=-c%20search_path%3Dx',
      { sslmode: 'require', options: '-c search_path=x' },
    ],
    ['postgres://h?dbname=d&user=u&password=p', { user: 'u', password: 'p', database: 'd', sslmode: 'prefer' }],
  ]
  for (const [url, expected] of grid) {
    const address = parseDatabaseUrl(url)
    for (const [name, value] of Object.entries(expected))
      assert.deepEqual(address[name as keyof DatabaseAddress], value, `${name} of ${url}`)
  }
})

test('the error of an invalid URL names the parameter, and repeats nothing of the URL', () => {
  const grid: [string, RegExp][] = [
    ['mysql://secret@h/d', /^must be a URL with postgres: or postgresql:$/],
    [
      'postgres://u:secret@h/d?sslmode=secret',
      /^must have sslmode disable, allow, prefer, require, verify-ca, verify-full$/,
    ],
    ['postgres://u:secret@h/d?target_session_attrs=secret', /^must have target_session_attrs any, read-write, /],
    ['postgres://u:secret@h/d?ssl=true', /^must not have the parameter ssl$/],
    ['postgres://u:secret@h/d?SECRET!=true', /^must not have the parameter with this name$/],
    ['postgres://u:secret@h:0/d', /^must have ports between 1 and 65535$/],
    ['postgres://u:secret@h:1:2/d', /^must have hosts of the form name:port, separated by commas$/],
    ['postgres://u:secret@a,b,c/d?port=1,2', /^must have one port, or as many ports as hosts$/],
    ['postgres://u:secret%zz@h/d', /^must have % only as part of an escape such as %40$/],
    ['postgres://u:secret@h/d?sslmode=verify-ca', /^must have sslrootcert with sslmode=verify-ca$/],
    ['postgres://u:secret@h/d?sslrootcert=system', /^must have sslmode=verify-full with sslrootcert=system$/],
    ['postgres://u:secret@h/d?sslcert=c', /^must have sslcert and sslkey together$/],
    [
      `postgres://u:secret@${Array.from({ length: 17 }, (_, i) => `h${i}`).join(',')}/d`,
      /^must have at most 16 hosts$/,
    ],
  ]
  for (const [url, expected] of grid) {
    const message = databaseUrlError(url) ?? 'none'
    assert.match(message, expected, url)
    assert.doesNotMatch(message, /secret/i)
  }
})

test('a Unix socket has no TLS, and each sslmode its attempts', () => {
  const attempts = (query: string, host = 'h') => {
    const address = parseDatabaseUrl(`postgres://${encodeURIComponent(host)}/d?${query}`)
    return tlsAttempts(address, { host, port: 5432 }).map((tls) =>
      tls ? (tls.rejectUnauthorized ? 'verified' : 'tls') : 'plain',
    )
  }
  assert.deepEqual(attempts('sslmode=verify-full', '/run'), ['plain'])
  assert.deepEqual(attempts('sslmode=disable'), ['plain'])
  assert.deepEqual(attempts('sslmode=allow'), ['plain', 'tls'])
  assert.deepEqual(attempts(''), ['tls', 'plain'])
  assert.deepEqual(attempts('sslmode=require'), ['tls'])
  assert.deepEqual(attempts('sslmode=verify-full'), ['verified'])
})
