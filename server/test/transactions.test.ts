import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

/**
 * A transaction has one connection, which runs one statement at a time: concurrent statements gain nothing, and if one fails,
 * the others still run after the transaction has ended.
 */

const root = path.resolve(import.meta.dirname, '../..')

/** The arguments of each `Promise.all(…)` and its variants. */
function* togetherIn(text: string): Generator<string> {
  for (const { index } of text.matchAll(/\bPromise\.(?:all|allSettled|any|race)\(/g)) {
    const start = text.indexOf('(', index)
    let [depth, end] = [0, start]
    do depth += text[end] === '(' ? 1 : text[end] === ')' ? -1 : 0
    while (depth > 0 && ++end < text.length)
    yield text.slice(start + 1, end)
  }
}

test('no transaction runs statements concurrently', () => {
  const files = globSync('server/src/**/*.ts', { cwd: root }).filter((file) => !/\.test\.ts$|\/testing\//.test(file))
  const found = files.flatMap((file) =>
    [...togetherIn(readFileSync(path.join(root, file), 'utf8'))]
      .filter((args) => /\btx\b/.test(args))
      .map((args) => `${file}: ${args.trim().split('\n')[0] ?? ''}`),
  )
  assert.deepEqual(found, [])
})

test('the parser finds them across lines and around nested brackets', () => {
  const text =
    'await Promise.all([a(db, (x) => x), b(c.tx)])\nawait Promise.all(\n  rows.map((row) => keep(tx, row)),\n)'
  assert.deepEqual(
    [...togetherIn(text)].map((args) => /\btx\b/.test(args)),
    [true, true],
  )
  assert.deepEqual([...togetherIn('await Promise.all([a(db)])\nawait b(tx)')], ['[a(db)]'])
})
