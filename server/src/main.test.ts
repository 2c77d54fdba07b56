import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { test } from 'node:test'

const main = path.resolve(import.meta.dirname, 'main.ts')
const run = (...args: string[]) => spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' })

test('--help prints the usage and starts nothing', () => {
  const { status, stdout, stderr } = run('--help')
  assert.deepEqual([status, stderr], [0, ''])
  assert.match(stdout, /--operator-key NAME/)
})

test('an unknown option prints the reason and the usage, without a stack trace', () => {
  const { status, stdout, stderr } = run('--operator-kee', 'Night shift')
  assert.deepEqual([status, stdout], [2, ''])
  assert.match(stderr, /'--operator-kee'[\s\S]*--operator-key NAME/)
  assert.doesNotMatch(stderr, /^ {4}at /m)
})
