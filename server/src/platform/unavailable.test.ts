import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { DependencyUnavailable, retryableProblem } from './unavailable.ts'

const postgres = (code: string) => Object.assign(new pg.DatabaseError('an error', 0, 'error'), { code })
const system = (code: string) => Object.assign(new Error(`${code}: an error`), { code })
const shown = (error: unknown) => {
  const problem = retryableProblem(error)
  return problem && [problem.type, problem.options.headers?.['retry-after']]
}

test('only errors after which a request can be repeated say when', () => {
  const grid: [unknown, ReturnType<typeof shown>][] = [
    // disk_full, and the operating system's errors for a file
    [postgres('53100'), ['not-ready', '30']],
    [system('ENOSPC'), ['not-ready', '30']],
    [system('EDQUOT'), ['not-ready', '30']],
    [new Error('an upload', { cause: system('ENOSPC') }), ['not-ready', '30']],
    // out_of_memory, too_many_connections, read_only_sql_transaction, admin_shutdown, cannot_connect_now
    ...['53200', '53300', '25006', '57P01', '57P03'].map((code): [unknown, ReturnType<typeof shown>] => [
      postgres(code),
      ['not-ready', '2'],
    ]),
    [system('ECONNREFUSED'), ['not-ready', '2']],
    [new DependencyUnavailable('The store'), ['not-ready', '2']],
    // feature_not_supported, of a named statement after a migration and of anything else
    [Object.assign(postgres('0A000'), { routine: 'RevalidateCachedQuery' }), ['not-ready', '2']],
    [postgres('0A000'), null],
    [postgres('40001'), ['conflict', undefined]],
    [postgres('23505'), null],
    [system('ENOENT'), null],
    [new Error('a defect'), null],
  ]
  for (const [error, expected] of grid) assert.deepEqual(shown(error), expected, String(error))
})
