/**
 * Tests of the store's contract, through Distributed tables over two shards (testing/two-shards.ts). Every statement must go only to
 * the shards of its accounts: force_optimize_skip_unused_shards makes the engine refuse another one with code 507.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'

/** Statements whose result needs every shard, by the function that sends them. */
const EVERY_SHARD_REASONS = {
  readAccounts: 'the accounts with records in a month',
  readMonthNames: 'the months of all accounts',
  ofEveryShard: 'copies of all records',
  // a migration copies and compares a whole store
  openTransfer: 'whether a store is empty',
  readSums: 'the sums of all accounts',
  sumClaims: 'the sums of all claims',
  mayBeInFlight: 'the inserts of all accounts',
  transfer: 'the limits of slices of all claims',
  readRows: 'records and claims of a slice',
}

/** The files that insert, read, and sum records. README.md has the command for all of them, which take many minutes. */
const FILES = ['archive', 'insert', 'export', 'summary', 'groups', 'ingest/ingest']

describe('through two shards', () => {
  for (const file of FILES) test(`${file}.test.ts passes`, () => passesThroughShards(`${file}.test.ts`))

  test('a statement that does not name its accounts fails', () => passesThroughShards('testing/every-shard.ts'))
})

test('only the listed statements go to every shard', () => {
  const found: string[] = []
  for (const file of globSync('*.ts', { cwd: import.meta.dirname, exclude: ['*.test.ts', 'modes.ts'] })) {
    const source = readFileSync(join(import.meta.dirname, file), 'utf8')
    for (const { index } of source.matchAll(/\$\{EVERY_SHARD\}/g))
      found.push(
        source
          .slice(0, index)
          .match(/function (\w+)/g)
          ?.at(-1)
          ?.slice('function '.length) ?? file,
      )
  }
  assert.deepEqual([...new Set(found)].toSorted(), Object.keys(EVERY_SHARD_REASONS).toSorted())
})

async function passesThroughShards(file: string): Promise<void> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const run = spawn(process.execPath, ['--test', join(import.meta.dirname, file)], {
    env: { ...env, DEMARC_TEST_SHARDS: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<number | null>((resolve) => run.once('exit', resolve))
  const output = await text(run.stdout)
  assert.equal(await exited, 0, output)
  assert.doesNotMatch(output, /^ℹ pass 0$/m)
}
