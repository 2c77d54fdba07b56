import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { retryableProblem } from '../unavailable.ts'
import { isServerLost } from './lost-server.ts'
import { serverErrorOf, type ServerError } from './server-errors.ts'

const state = (code: string) => Object.assign(new pg.DatabaseError('', 0, 'error'), { code })
const system = (code: string, syscall?: string) => Object.assign(new Error(code), { code, syscall })
const addresses = (code: string) => Object.assign(new AggregateError([system(code)]), { code })

const cases: readonly [Error, ServerError | null][] = [
  [state('57P01'), 'ended'],
  [state('57P03'), 'ended'],
  [state('08P01'), 'ended'],
  [state('25006'), 'read-only'],
  [state('25001'), null],
  [state('53300'), 'resources'],
  [state('57014'), 'canceled'],
  [state('58030'), 'broken'],
  [state('XX001'), 'broken'],
  [state('23505'), null],
  [system('ECONNRESET'), 'lost'],
  [system('ETIMEDOUT'), 'lost'],
  [system('ETIMEDOUT', 'connect'), 'unreachable'],
  [addresses('ETIMEDOUT'), 'unreachable'],
  [system('ENOENT', 'connect'), 'unreachable'],
  [system('ENOENT', 'open'), null],
  [system('EAI_AGAIN', 'getaddrinfo'), 'unreachable'],
  [new Error('Connection terminated unexpectedly'), 'lost'],
  [new Error('Connection terminated due to connection timeout'), 'unreachable'],
  [new Error('timeout expired'), 'unreachable'],
  [new Error('Query read timeout'), 'lost'],
  [new Error('The server does not support SSL connections'), 'tls'],
  [new Error('something else'), null],
]

test('an error says what is wrong with the database server, or nothing', () => {
  for (const [error, expected] of cases)
    assert.equal(serverErrorOf(error), expected, `${codeOf(error)} ${error.message}`)
})

test('connections are dropped after errors that say the server is gone or no longer the primary', () => {
  const dropping = cases.filter(([error]) => isServerLost(error)).map(([, expected]) => expected)
  assert.deepEqual(new Set(dropping), new Set(['ended', 'read-only', 'lost']))
})

test('a client may retry after every one of them, unless the server is damaged', () => {
  for (const [error, expected] of cases)
    assert.equal(
      retryableProblem(error)?.type === 'not-ready',
      expected !== null && expected !== 'broken',
      codeOf(error),
    )
})

const codeOf = (error: Error) => ('code' in error ? String(error.code) : '')
